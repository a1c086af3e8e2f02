/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory_kind.h"

#include <string.h>

static const char *const names[TB_MEMORY_KINDS] = {
	[TB_MEMORY_MAIN] = "main",   [TB_MEMORY_HBM] = "hbm",
	[TB_MEMORY_CXL] = "cxl",     [TB_MEMORY_GPU] = "gpu",
	[TB_MEMORY_OTHER] = "other",
};

const char *tb_memory_kind_name(enum tb_memory_kind kind)
{
	return names[kind];
}

bool tb_memory_kind_parse(const char *name, size_t length,
			  enum tb_memory_kind *kind)
{
	for (int i = 0; i < TB_MEMORY_KINDS; i++) {
		if (strlen(names[i]) != length ||
		    strncmp(names[i], name, length) != 0)
			continue;
		*kind = (enum tb_memory_kind)i;
		return true;
	}
	return false;
}

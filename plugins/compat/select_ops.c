/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See select_ops.h. */
#include "select_ops.h"

#include <string.h>

#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"

struct tb_select_ops tb_ops;
static plugin_handle_t cons_tres = PLUGIN_INVALID_HANDLE;

/* In the order of the pointers in struct tb_select_ops. */
#define NAME_OP(type, name, ...) "select_p_" #name,
static const char *symbols[] = { SELECT_OPS(NAME_OP, NAME_OP) };

_Static_assert(sizeof(symbols) == sizeof(tb_ops),
	       "one symbol for each operation");

int tb_ops_load(void)
{
	int count = sizeof(tb_ops) / sizeof(void *);

	if (cons_tres != PLUGIN_INVALID_HANDLE)
		return SLURM_SUCCESS;
	cons_tres = plugin_load_and_link("select/cons_tres", count, symbols,
					 (void **)&tb_ops);
	if (cons_tres == PLUGIN_INVALID_HANDLE) {
		error("%s: cannot load select/cons_tres, which it wraps; is select_cons_tres.so in PluginDir=%s?",
		      TB_SELECT_TYPE, slurm_conf.plugindir);
		return SLURM_ERROR;
	}
	return SLURM_SUCCESS;
}

void tb_ops_unload(void)
{
	if (cons_tres == PLUGIN_INVALID_HANDLE)
		return;
	plugin_unload(cons_tres);
	cons_tres = PLUGIN_INVALID_HANDLE;
	memset(&tb_ops, 0, sizeof(tb_ops));
}

bool tb_nodes_are_locked(void)
{
	return SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_features.h"

#include <string.h>

#include "compat/slurm_types.h"

bool tb_name_is_listed(const char *list, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, length) &&
		    (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

bool tb_some_node_has_feature(const char *name, void *nodes)
{
	const node_info_msg_t *all = nodes;

	for (uint32_t i = 0; i < all->record_count; i++)
		if (tb_name_is_listed(all->node_array[i].features, name))
			return true;
	return false;
}

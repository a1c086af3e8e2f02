/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See select_ops.h. */
#include "select_ops.h"

#include <string.h>

#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"

slurm_select_ops_t tb_ops;
static plugin_handle_t cons_tres = PLUGIN_INVALID_HANDLE;

int tb_ops_load(void)
{
	int count = sizeof(tb_ops) / sizeof(void *);

	if (cons_tres != PLUGIN_INVALID_HANDLE)
		return SLURM_SUCCESS;
	cons_tres = plugin_load_and_link("select/cons_tres", count, tb_ops_symbols,
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

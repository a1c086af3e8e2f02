/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See select_ops.h. */
#include "select_ops.h"

#include <string.h>

#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"

slurm_select_ops_t tb_ops;
static plugin_handle_t cons_tres = PLUGIN_INVALID_HANDLE;

/* In the order of the operations. */
static const char *symbols[] = {
	"plugin_id",
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	"select_p_state_save",
	"select_p_state_restore",
	"select_p_job_init",
#endif
	"select_p_node_init",
	"select_p_job_test",
	"select_p_job_begin",
	"select_p_job_ready",
	"select_p_job_expand",
	"select_p_job_resized",
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	"select_p_job_signal",
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	"select_p_job_mem_reduce",
#endif
	"select_p_job_fini",
	"select_p_job_suspend",
	"select_p_job_resume",
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	"select_p_step_pick_nodes",
	"select_p_step_start",
	"select_p_step_finish",
	"select_p_select_nodeinfo_pack",
	"select_p_select_nodeinfo_unpack",
	"select_p_select_nodeinfo_alloc",
	"select_p_select_nodeinfo_free",
#endif
	"select_p_select_nodeinfo_set_all",
	"select_p_select_nodeinfo_set",
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	"select_p_select_nodeinfo_get",
	"select_p_select_jobinfo_alloc",
	"select_p_select_jobinfo_free",
	"select_p_select_jobinfo_set",
	"select_p_select_jobinfo_get",
	"select_p_select_jobinfo_copy",
	"select_p_select_jobinfo_pack",
	"select_p_select_jobinfo_unpack",
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	"select_p_select_jobinfo_sprint",
	"select_p_select_jobinfo_xstrdup",
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	"select_p_get_info_from_plugin",
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	"select_p_update_node_config",
#endif
	"select_p_reconfigure",
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
	"select_p_resv_test",
#endif
};

_Static_assert(sizeof(symbols) == sizeof(slurm_select_ops_t),
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

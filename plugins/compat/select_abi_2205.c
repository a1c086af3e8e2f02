/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi_2205.c - what Slurm wanted of a select plugin up to 24.11: to keep its
 * state, to take part in steps, and to know what it had put into messages
 */
#include "select_ops.h"

#include "src/common/read_config.h"

#include "select_topobind/hooks.h"

EXPORT extern const uint32_t plugin_id;

/*
 * Commands load all select plugins, so it must be one that no other has.  Up to
 * 23.11 it is that of "a wrapper over cons_tres", which Slurm's own checks accept
 * as one.
 */
const uint32_t plugin_id = 110;

/* Slurm does: see the hooks of its state. */
void tb_state_begin(void)
{
}

EXPORT extern int select_p_state_save(char *directory);
extern int select_p_state_save(char *directory)
{
	int rc = tb_ops.state_save(directory);

	tb_hook_state_saved(directory);
	return rc;
}

EXPORT extern int select_p_state_restore(char *directory);
extern int select_p_state_restore(char *directory)
{
	int rc = tb_ops.state_restore(directory);

	tb_hook_state_restored(directory);
	return rc;
}

EXPORT extern int select_p_step_start(step_record_t *step);
extern int select_p_step_start(step_record_t *step)
{
	int rc = tb_ops.step_start(step);

	if (rc == SLURM_SUCCESS)
		tb_hook_step_start(step);
	return rc;
}

/* What is Slurm's alone */

FORWARD(int, job_init, job_init,
	(list_t *jobs),
	(jobs))
FORWARD(bitstr_t *, step_pick_nodes, step_pick_nodes,
	(job_record_t *job, select_jobinfo_t *jobinfo, uint32_t node_count, bitstr_t **avail_nodes),
	(job, jobinfo, node_count, avail_nodes))
FORWARD(int, step_finish, step_finish,
	(step_record_t *step, bool killing),
	(step, killing))
FORWARD(int, select_nodeinfo_pack, nodeinfo_pack,
	(select_nodeinfo_t *info, buf_t *buffer, uint16_t version),
	(info, buffer, version))
FORWARD(int, select_nodeinfo_unpack, nodeinfo_unpack,
	(select_nodeinfo_t **info, buf_t *buffer, uint16_t version),
	(info, buffer, version))
FORWARD(select_nodeinfo_t *, select_nodeinfo_alloc, nodeinfo_alloc,
	(void),
	())
FORWARD(int, select_nodeinfo_free, nodeinfo_free,
	(select_nodeinfo_t *info),
	(info))
FORWARD(int, select_nodeinfo_get, nodeinfo_get,
	(select_nodeinfo_t *info, enum select_nodedata_type what, enum node_states state, void *data),
	(info, what, state, data))
FORWARD(select_jobinfo_t *, select_jobinfo_alloc, jobinfo_alloc,
	(void),
	())
FORWARD(int, select_jobinfo_free, jobinfo_free,
	(select_jobinfo_t *info),
	(info))
FORWARD(int, select_jobinfo_set, jobinfo_set,
	(select_jobinfo_t *info, enum select_jobdata_type what, void *data),
	(info, what, data))
FORWARD(int, select_jobinfo_get, jobinfo_get,
	(select_jobinfo_t *info, enum select_jobdata_type what, void *data),
	(info, what, data))
FORWARD(select_jobinfo_t *, select_jobinfo_copy, jobinfo_copy,
	(select_jobinfo_t *info),
	(info))
FORWARD(int, select_jobinfo_pack, jobinfo_pack,
	(select_jobinfo_t *info, buf_t *buffer, uint16_t version),
	(info, buffer, version))
FORWARD(int, select_jobinfo_unpack, jobinfo_unpack,
	(select_jobinfo_t **info, buf_t *buffer, uint16_t version),
	(info, buffer, version))
FORWARD(int, get_info_from_plugin, get_info_from_plugin,
	(enum select_plugindata_info what, job_record_t *job, void *data),
	(what, job, data))

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
FORWARD(int, job_signal, job_signal,
	(job_record_t *job, int signal),
	(job, signal))
FORWARD(char *, select_jobinfo_sprint, jobinfo_sprint,
	(select_jobinfo_t *info, char *text, size_t size, int mode),
	(info, text, size, mode))
FORWARD(char *, select_jobinfo_xstrdup, jobinfo_xstrdup,
	(select_jobinfo_t *info, int mode),
	(info, mode))
FORWARD(int, update_node_config, update_node_config,
	(int index),
	(index))
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops.h - operations up to Slurm 24.11: to keep a plugin's state, to take part
 * in steps, to show its configuration, and to know what it has put into messages; see
 * ../select_ops.h
 */
#ifndef TB_COMPAT_UP_TO_2411_SELECT_OPS_H
#define TB_COMPAT_UP_TO_2411_SELECT_OPS_H

/* clang-format off */
#define SELECT_OPS_UP_TO_2411(OWN, PASS) \
	OWN(int, state_save, (char *directory)) \
	PASS(int, state_restore, (char *directory), (directory)) \
	OWN(int, step_start, (step_record_t *step)) \
	PASS(int, job_init, (list_t *jobs), (jobs)) \
	OWN(int, get_info_from_plugin, \
	    (enum select_plugindata_info what, job_record_t *job, \
	     void *data)) \
	PASS(bitstr_t *, step_pick_nodes, \
	     (job_record_t *job, select_jobinfo_t *info, uint32_t node_count, \
	      bitstr_t **available), \
	     (job, info, node_count, available)) \
	PASS(int, step_finish, \
	     (step_record_t *step, bool killing), \
	     (step, killing)) \
	PASS(int, select_nodeinfo_pack, \
	     (select_nodeinfo_t *info, buf_t *buffer, uint16_t version), \
	     (info, buffer, version)) \
	PASS(int, select_nodeinfo_unpack, \
	     (select_nodeinfo_t **info, buf_t *buffer, uint16_t version), \
	     (info, buffer, version)) \
	PASS(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ()) \
	PASS(int, select_nodeinfo_free, (select_nodeinfo_t *info), (info)) \
	PASS(int, select_nodeinfo_get, \
	     (select_nodeinfo_t *info, enum select_nodedata_type what, \
	      enum node_states state, void *data), \
	     (info, what, state, data)) \
	PASS(select_jobinfo_t *, select_jobinfo_alloc, (void), ()) \
	PASS(int, select_jobinfo_free, (select_jobinfo_t *info), (info)) \
	PASS(int, select_jobinfo_set, \
	     (select_jobinfo_t *info, enum select_jobdata_type what, \
	      void *data), \
	     (info, what, data)) \
	PASS(int, select_jobinfo_get, \
	     (select_jobinfo_t *info, enum select_jobdata_type what, \
	      void *data), \
	     (info, what, data)) \
	PASS(select_jobinfo_t *, select_jobinfo_copy, \
	     (select_jobinfo_t *info), \
	     (info)) \
	PASS(int, select_jobinfo_pack, \
	     (select_jobinfo_t *info, buf_t *buffer, uint16_t version), \
	     (info, buffer, version)) \
	PASS(int, select_jobinfo_unpack, \
	     (select_jobinfo_t **info, buf_t *buffer, uint16_t version), \
	     (info, buffer, version))
/* clang-format on */

#endif

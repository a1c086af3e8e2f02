/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops_2405.h - the operations of a select plugin from Slurm 24.05 on, whose
 * headers do not tell of them; the names of their symbols are in select_ops.c
 */
#ifndef TB_COMPAT_SELECT_OPS_2405_H
#define TB_COMPAT_SELECT_OPS_2405_H

#include "select_compat.h"

typedef struct {
	uint32_t *plugin_id;
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	int (*state_save)(char *dir_name);
	int (*state_restore)(char *dir_name);
	int (*job_init)(list_t *jobs);
#endif
	int (*node_init)(void);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
	int (*job_test)(job_record_t *job, bitstr_t *nodes,
			uint32_t min_nodes, uint32_t max_nodes,
			uint32_t req_nodes, uint16_t mode,
			list_t *preemptees, list_t **preempted,
			resv_exc_t *excluded);
#else
	int (*job_test)(job_record_t *job, bitstr_t *nodes,
			uint32_t min_nodes, uint32_t max_nodes,
			uint32_t req_nodes, uint16_t mode,
			list_t *preemptees, list_t **preempted,
			resv_exc_t *excluded, will_run_data_t *will_run);
#endif
	int (*job_begin)(job_record_t *job);
	int (*job_ready)(job_record_t *job);
	int (*job_expand)(job_record_t *from, job_record_t *to);
	int (*job_resized)(job_record_t *job, node_record_t *node);
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	void (*job_mem_reduce)(job_record_t *job);
#endif
	int (*job_fini)(job_record_t *job);
	int (*job_suspend)(job_record_t *job, bool indefinite);
	int (*job_resume)(job_record_t *job, bool indefinite);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	bitstr_t *(*step_pick_nodes)(job_record_t *job,
				     select_jobinfo_t *info,
				     uint32_t node_count, bitstr_t **available);
	int (*step_start)(step_record_t *step);
	int (*step_finish)(step_record_t *step, bool killing);
	int (*nodeinfo_pack)(select_nodeinfo_t *info, buf_t *buffer,
			     uint16_t version);
	int (*nodeinfo_unpack)(select_nodeinfo_t **info, buf_t *buffer,
			       uint16_t version);
	select_nodeinfo_t *(*nodeinfo_alloc)(void);
	int (*nodeinfo_free)(select_nodeinfo_t *info);
#endif
	int (*nodeinfo_set_all)(void);
	int (*nodeinfo_set)(job_record_t *job);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	int (*nodeinfo_get)(select_nodeinfo_t *info,
			    enum select_nodedata_type what,
			    enum node_states state, void *data);
	select_jobinfo_t *(*jobinfo_alloc)(void);
	int (*jobinfo_free)(select_jobinfo_t *info);
	int (*jobinfo_set)(select_jobinfo_t *info,
			   enum select_jobdata_type what, void *data);
	int (*jobinfo_get)(select_jobinfo_t *info,
			   enum select_jobdata_type what, void *data);
	select_jobinfo_t *(*jobinfo_copy)(select_jobinfo_t *info);
	int (*jobinfo_pack)(select_jobinfo_t *info, buf_t *buffer,
			    uint16_t version);
	int (*jobinfo_unpack)(select_jobinfo_t **info, buf_t *buffer,
			      uint16_t version);
	int (*get_info_from_plugin)(enum select_plugindata_info what,
				    job_record_t *job, void *data);
#endif
	int (*reconfigure)(void);
} slurm_select_ops_t;

#endif

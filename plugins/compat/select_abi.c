/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_abi.c - the select plugin that slurmctld loads, where its versions agree
 *
 * Every operation is passed on to select/cons_tres, and calls a hook of topobind
 * where it takes part.  Up to Slurm 24.11 clients and slurmd load the plugin too,
 * to unpack what slurmctld packed, so nothing here may need slurmctld's own
 * symbols before a hook is called.
 */
#include "select_ops.h"

#include "src/common/read_config.h"

#include "select_topobind/request/expand.h"
#include "select_topobind/hooks.h"

EXPORT extern const char plugin_name[];
EXPORT extern const char plugin_type[];
EXPORT extern const uint32_t plugin_version;

const char plugin_name[] = "Consumable sockets, caches, NUMA nodes and cores";
const char plugin_type[] = TB_SELECT_TYPE;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Since Slurm 25.05 switch/topobind loads it once more. */
static unsigned times_loaded;

static int init_in_slurmctld(void)
{
	int rc = tb_hook_init();

	if (rc == SLURM_SUCCESS)
		tb_steps_begin();
	return rc;
}

EXPORT int init(void);
EXPORT int init(void)
{
	int rc;

	if (times_loaded++)
		return SLURM_SUCCESS;
	rc = tb_ops_load();
	if (rc == SLURM_SUCCESS && running_in_slurmctld())
		rc = init_in_slurmctld();
	if (rc != SLURM_SUCCESS)
		times_loaded = 0;
	return rc;
}

EXPORT int fini(void);
EXPORT int fini(void)
{
	if (--times_loaded)
		return SLURM_SUCCESS;
	if (running_in_slurmctld())
		tb_hook_fini();
	tb_ops_unload();
	return SLURM_SUCCESS;
}

/* Where topobind takes part */

int select_p_node_init(void)
{
	int rc = tb_ops.node_init();

	if (rc == SLURM_SUCCESS) {
		tb_hook_control_begins();
		tb_hook_node_init();
	}
	return rc;
}

int select_p_reconfigure(void)
{
	int rc = tb_ops.reconfigure();

	if (rc == SLURM_SUCCESS)
		tb_hook_reconfigure();
	return rc;
}

int select_p_job_begin(job_record_t *job)
{
	int rc = tb_ops.job_begin(job);

	if (rc == SLURM_SUCCESS)
		tb_hook_job_begin(job);
	return rc;
}

int select_p_select_nodeinfo_set(job_record_t *job)
{
	int rc = tb_ops.select_nodeinfo_set(job);

	tb_hook_job_changed(job);
	return rc;
}

/* slurmctld calls it before it shows nodes. */
int select_p_select_nodeinfo_set_all(void)
{
	int rc = tb_ops.select_nodeinfo_set_all();

	tb_hook_control_begins();
	tb_hook_nodes_shown(tb_nodes_are_locked());
	return rc;
}

/* Also the last call before a controller ends or gives control back. */
int select_p_job_fini(job_record_t *job)
{
	int rc = tb_ops.job_fini(job);

	tb_hook_job_finished(job);
	return rc;
}

int select_p_job_suspend(job_record_t *job, bool indefinite)
{
	int rc = tb_ops.job_suspend(job, indefinite);

	/* A job that the gang scheduler pauses keeps its cores. */
	if (rc == SLURM_SUCCESS && indefinite)
		tb_hook_job_suspended(job);
	return rc;
}

int select_p_job_resume(job_record_t *job, bool indefinite)
{
	int rc;

	if (indefinite) {
		rc = tb_hook_job_may_resume(job);
		if (rc != SLURM_SUCCESS)
			return rc;
		/* cons_tres still counts a job that the gang scheduler paused. */
		indefinite = !tb_hook_job_holds(job);
	}
	rc = tb_ops.job_resume(job, indefinite);
	if (rc == SLURM_SUCCESS && indefinite)
		tb_hook_job_resumed(job);
	return rc;
}

int select_p_job_resized(job_record_t *job, node_record_t *node)
{
	int rc = tb_ops.job_resized(job, node);

	tb_hook_job_resized(job, node->index);
	return rc;
}

int select_p_job_expand(job_record_t *from, job_record_t *to)
{
	int rc = tb_expand_may_merge(from, to);

	if (rc != SLURM_SUCCESS)
		return rc;
	tb_hook_job_expanding(from, to);
	rc = tb_ops.job_expand(from, to);
	tb_hook_job_expanded(from, to);
	return rc;
}

/* May, does, or when will this job run? */
int select_p_job_test(job_record_t *job, bitstr_t *nodes, uint32_t min_nodes,
		      uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
		      list_t *preemptees, list_t **preempted,
		      tb_excluded_t *excluded WILL_RUN_PARAMETER)
{
	struct tb_test test = {
		.job = job,
		.nodes = nodes,
		.min_nodes = min_nodes,
		.max_nodes = max_nodes,
		.req_nodes = req_nodes,
		.mode = mode,
		.preemptees = preemptees,
		.preempted = preempted,
		.excluded = excluded,
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)
		.will_run = will_run,
#endif
	};

	return tb_answer(&test);
}

/* What is Slurm's alone */

#define DEFINE_NOTHING(type, name, parameters)
#define PASS_ON(type, name, parameters, arguments) \
	type select_p_##name parameters \
	{ \
		return tb_ops.name arguments; \
	}
SELECT_OPS(DEFINE_NOTHING, PASS_ON)

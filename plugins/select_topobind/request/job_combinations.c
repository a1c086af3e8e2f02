/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_combinations.h"

#include "src/common/macros.h"
#include "src/common/read_config.h"

#include "common/job/option_numbers.h"
#include "compat/select_gres.h"
#include "select_topobind/nodes/nodes.h"
#include "job_asked.h"

/* Does the job itself ask for them, not OverSubscribe=EXCLUSIVE of its partition? */
static bool wants_whole_nodes(const job_record_t *job)
{
	return tb_wants_whole_nodes(job) &&
	       !(job->part_ptr && job->part_ptr->max_share == 0);
}

/* Who has whole nodes has their GPUs, too. */
int tb_job_gpus_check(const job_record_t *job, const struct tb_request *request,
		      struct tb_error *err)
{
	return tb_request_check_gpus(request,
				     tb_wants_whole_nodes(job) ||
					     tb_gres_are_asked(job, "gpu"),
				     err);
}

int tb_job_isolation_check(const struct tb_conf *site, const job_record_t *job,
			   const struct tb_request *request,
			   struct tb_error *err)
{
	if (!request->isolate || !tb_request_binds(request))
		return 0;
	if (tb_request_check_isolation(request,
				       tb_conf_isolation(site,
							 tb_job_partition(job)),
				       err))
		return -1;
	if (tb_job_sharing_limit(job) <= 1)
		return 0;
	return tb_fail(
		err,
		"bisolate=yes does not go with units that jobs share or take turns on (OverSubscribe): leave it out, or use a partition without");
}

/* With CR_ONE_TASK_PER_CORE the site asked for it, not the job. */
static uint16_t get_tasks_per_core(const multi_core_data_t *layout)
{
	bool of_site = slurm_conf.select_type_param & SELECT_ONE_TASK_PER_CORE;

	return of_site && layout->ntasks_per_core == 1
		       ? TB_OPTION_NOT_SAID
		       : tb_option_number(layout->ntasks_per_core);
}

/* Other distributions do no harm: on a node tasks are in the order of slots. */
static bool has_distribution(const job_record_t *job, uint32_t distribution)
{
	return (job->details->task_dist & SLURM_DIST_STATE_BASE) ==
	       distribution;
}

static struct tb_job_options get_options(const job_record_t *job)
{
	const job_details_t *details = job->details;
	const multi_core_data_t *layout = details->mc_ptr;
	struct tb_job_options options = {
		.tasks_per_core = TB_OPTION_NOT_SAID,
		.tasks_per_socket = TB_OPTION_NOT_SAID,
		.threads_per_core = TB_OPTION_NOT_SAID,
		.spec_cores = tb_option_spec(details->core_spec, false),
		.spec_threads = tb_option_spec(details->core_spec, true),
		.plane = has_distribution(job, SLURM_DIST_PLANE),
		.arbitrary = has_distribution(job, SLURM_DIST_ARBITRARY),
		.exclusive = wants_whole_nodes(job),
		.cpus_per_gpu = job->cpus_per_tres,
		.gpus_per_socket = job->tres_per_socket,
		.near_devices = job->bit_flags & GRES_ENFORCE_BIND,
		.node_cpus = MAX(details->orig_pn_min_cpus,
				 details->pn_min_cpus),
		.task_cpus = tb_option_count(details->cpus_per_task),
		.tasks_of_node = details->ntasks_per_node,
	};

	if (!layout)
		return options;
	options.tasks_per_core = get_tasks_per_core(layout);
	options.tasks_per_socket = tb_option_number(layout->ntasks_per_socket);
	options.threads_per_core = tb_option_number(layout->threads_per_core);
	return options;
}

int tb_job_combinations_check(const job_record_t *job,
			      const struct tb_request *request,
			      struct tb_error *err)
{
	const struct tb_job_options options = get_options(job);

	return tb_job_options_check(&options, request, err);
}

bool tb_job_comes_first(const job_record_t *job, const struct tb_request *site)
{
	const struct tb_job_options options = get_options(job);

	return tb_job_options_come_first(&options, site);
}

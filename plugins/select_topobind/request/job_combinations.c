/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_combinations.h"

#include <stdio.h>

#include "src/common/read_config.h"

#include "compat/select_gres.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/try/scale.h"

struct check {
	const struct tb_request *request;
	struct tb_error *err;
};

/* Check a number of the job's record; both values for "unset" are large. */
static int check_number(const struct check *check, const char *option,
			uint16_t number)
{
	char value[sizeof("65535")];

	if (number >= NO_VAL16)
		return 0;
	snprintf(value, sizeof(value), "%hu", number);
	return tb_combination_check(check->request, TB_JOB, option, value,
				    check->err);
}

static int check_word(const struct check *check, bool said, const char *option,
		      const char *value)
{
	if (!said)
		return 0;
	return tb_combination_check(check->request, TB_JOB, option, value,
				    check->err);
}

/* Does the job itself ask for them, not OverSubscribe=EXCLUSIVE of its partition? */
static bool wants_whole_nodes(const job_record_t *job)
{
	return tb_wants_whole_nodes(job) &&
	       !(job->part_ptr && job->part_ptr->max_share == 0);
}

/* Only for jobs that asked: implicitly bound tasks share their cores. */
static int check_asked(const struct check *check, const job_record_t *job)
{
	const multi_core_data_t *layout = job->details->mc_ptr;

	/* With CR_ONE_TASK_PER_CORE the site asked for it, not the job. */
	if (layout &&
	    !(layout->ntasks_per_core == 1 &&
	      slurm_conf.select_type_param & SELECT_ONE_TASK_PER_CORE) &&
	    check_number(check, "ntasks-per-core", layout->ntasks_per_core))
		return -1;
	return check_word(check, wants_whole_nodes(job), "exclusive",
			  "exclusive");
}

static int check_layout(const struct check *check,
			const multi_core_data_t *layout)
{
	if (!layout)
		return 0;
	if (check_number(check, "ntasks-per-socket", layout->ntasks_per_socket))
		return -1;
	return check_number(check, "threads-per-core",
			    layout->threads_per_core);
}

static int check_core_spec(const struct check *check, uint16_t spec)
{
	if (spec == NO_VAL16)
		return 0;
	if (spec & CORE_SPEC_THREAD)
		return check_number(check, "thread-spec",
				    spec & ~CORE_SPEC_THREAD);
	return check_number(check, "core-spec", spec);
}

/* Other distributions do no harm: on a node tasks are in the order of slots. */
static int check_distribution(const struct check *check, uint32_t task_dist)
{
	uint32_t base = task_dist & SLURM_DIST_STATE_BASE;

	if (check_word(check, base == SLURM_DIST_PLANE, "distribution",
		       "plane") ||
	    check_word(check, base == SLURM_DIST_ARBITRARY, "distribution",
		       "arbitrary"))
		return -1;
	return 0;
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
	if (tb_sharing_limit(job) <= 1)
		return 0;
	return tb_fail(
		err,
		"bisolate=yes does not go with units that jobs share or take turns on (OverSubscribe): leave it out, or use a partition without");
}

int tb_job_combinations_check(const job_record_t *job,
			      const struct tb_request *request, bool implicit,
			      struct tb_error *err)
{
	const job_details_t *details = job->details;
	const struct check check = { .request = request, .err = err };

	if ((!implicit && check_asked(&check, job)) ||
	    tb_request_check_window(request, err) ||
	    check_layout(&check, details->mc_ptr) ||
	    check_core_spec(&check, details->core_spec) ||
	    check_distribution(&check, details->task_dist) ||
	    check_word(&check, job->cpus_per_tres != NULL, "cpus-per-gpu",
		       job->cpus_per_tres) ||
	    check_word(&check, job->tres_per_socket != NULL, "gpus-per-socket",
		       job->tres_per_socket) ||
	    check_word(&check, job->bit_flags & GRES_ENFORCE_BIND, "gres-flags",
		       "enforce-binding"))
		return -1;
	return 0;
}

/* Slurm itself makes them those of a task, and of --ntasks-per-node tasks. */
bool tb_job_asks_for_cpus_of_nodes(const job_record_t *job)
{
	const job_details_t *details = job->details;
	uint32_t cpus = MAX(details->orig_pn_min_cpus, details->pn_min_cpus);

	return cpus > MAX(details->cpus_per_task, 1) &&
	       cpus > details->ntasks_per_node * details->cpus_per_task;
}

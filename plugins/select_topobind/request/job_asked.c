/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_asked.h"

#include "src/common/macros.h"

#include "compat/select_gres.h"
#include "core/plan/booked.h"

static int has_count(void *feature, void *unused)
{
	(void)unused;
	return ((const job_feature_t *)feature)->count > 0;
}

bool tb_job_has_tasks_of_devices(const job_record_t *job)
{
	uint16_t each = job->details->ntasks_per_tres;

	return job->gres_list_req && each && each < NO_VAL16;
}

bool tb_job_is_asked_in_part(const job_record_t *job)
{
	const job_details_t *details = job->details;

	/*
	 * Slurm wants all devices of a part of the nodes, and each with CPUs for its
	 * tasks: with --ntasks-per-gpu these are all tasks.
	 */
	return !tb_job_has_tasks_of_devices(job) &&
	       details->min_cpus == details->min_nodes &&
	       details->min_cpus < details->num_tasks &&
	       details->feature_list_use &&
	       list_find_first(details->feature_list_use, has_count, NULL);
}

static uint32_t count_required(const job_details_t *details)
{
	return details->req_node_bitmap
		       ? bit_set_count(details->req_node_bitmap)
		       : 0;
}

struct tb_asked tb_job_asked(const job_record_t *job)
{
	const job_details_t *details = job->details;

	return (struct tb_asked){
		.tasks = details->num_tasks,
		.tasks_per_node = details->ntasks_per_node,
		.min_nodes = details->min_nodes,
		.max_nodes = details->max_nodes,
		.required = count_required(details),
		.task_cpus = details->cpus_per_task,
		.node_cpus = details->pn_min_cpus,
		.tasks_are_given = job->bit_flags & JOB_NTASKS_SET,
		.may_be_fewer = tb_nodes_have_all_tasks(),
		.overcommit = details->overcommit,
		.in_part = tb_job_is_asked_in_part(job),
	};
}

uint32_t tb_job_slots(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_slots(&asked);
}

uint32_t tb_job_slots_per_node(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_slots_of_node(&asked);
}

uint32_t tb_job_least_hosts(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_least_hosts(&asked);
}

uint32_t tb_job_exact_tasks(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_exact_tasks(&asked);
}

uint32_t tb_job_exact_slots(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_exact_slots(&asked);
}

uint32_t tb_job_most_nodes(const job_record_t *job, uint32_t nodes)
{
	struct tb_asked asked = tb_job_asked(job);

	return tb_asked_most_nodes(&asked, nodes);
}

/* Flags in some versions, numbers in others: 3 is --exclusive=mcs there. */
bool tb_wants_whole_nodes(const job_record_t *job)
{
	return job->details &&
	       (job->details->whole_node &
		(WHOLE_NODE_REQUIRED | WHOLE_NODE_USER)) == WHOLE_NODE_REQUIRED;
}

uint32_t tb_cpus_per_core(const job_record_t *job, uint32_t node)
{
	const multi_core_data_t *layout = job->details->mc_ptr;
	uint32_t asked = 0;

	/* --threads-per-core and --hint=nomultithread end up here. */
	if (layout && layout->threads_per_core != NO_VAL16)
		asked = MAX(layout->threads_per_core, 1);
	return tb_booked_per_core(asked, node_record_table_ptr[node]->tpc);
}

/* Later Slurms put -c into tres_per_task, too. */
bool tb_job_has_task_devices(const job_record_t *job)
{
	uint32_t entries = tb_gres_entries(job);

	for (uint32_t i = 0; i < entries; i++)
		if (tb_gres_asked(job, i).per_task)
			return true;
	return false;
}

uint16_t tb_partition_rows(const part_record_t *partition)
{
	return partition ? partition->max_share & ~SHARED_FORCE : 1;
}

/* Where all jobs share nobody has a node for himself. */
uint16_t tb_job_sharing_limit(const job_record_t *job)
{
	bool forced = job->part_ptr && job->part_ptr->max_share & SHARED_FORCE;

	if (job->het_job_id || (!forced && (tb_wants_whole_nodes(job) ||
					    job->details->share_res != 1)))
		return 1;
	return MAX(tb_partition_rows(job->part_ptr), 1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_spec.h"

#include "sbatch_counts.h"

static struct tb_asked find_asked(const job_desc_msg_t *job)
{
	return (struct tb_asked){
		.tasks = tb_given_count(job->num_tasks),
		.tasks_per_node = tb_given_count_16(job->ntasks_per_node),
		.min_nodes = tb_given_count(job->min_nodes),
		.max_nodes = tb_given_count(job->max_nodes),
		.task_cpus = tb_given_count_16(job->cpus_per_task),
		.node_cpus = tb_given_count_16(job->pn_min_cpus),
		.tasks_are_given = job->bitflags & JOB_NTASKS_SET,
		.may_be_fewer = tb_nodes_have_all_tasks(),
		.overcommit = job->overcommit == 1,
	};
}

/* As slurmctld counts them, whatever --ntasks says. */
static void count_tasks_of_gpus(struct tb_job_spec *spec, uint16_t each)
{
	uint32_t gpus = tb_job_devices_of_job(&spec->devices);

	if (!each || !gpus)
		return;
	spec->asked.tasks = tb_multiply_counts(gpus, each);
	spec->asked.tasks_are_given = true;
}

int tb_plan_spec_find_devices(struct tb_plan_options *options,
			      struct tb_error *err)
{
	struct tb_job_devices *devices = &options->spec.devices;
	const struct {
		const char *list;
		enum tb_devices_for who;
	} lists[] = {
		{ options->gres_per_job, TB_DEVICES_FOR_JOB },
		{ options->gres_per_node, TB_DEVICES_FOR_NODE },
		{ options->gres_per_task, TB_DEVICES_FOR_TASK },
		{ options->gres_per_socket, TB_DEVICES_FOR_SOCKET },
	};
	uint16_t each = (uint16_t)tb_given_count_16(
		options->job.ntasks_per_tres);

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (tb_job_devices_add(devices, lists[i].list, lists[i].who,
				       err))
			return -1;
	count_tasks_of_gpus(&options->spec, each);
	return tb_job_devices_add_shares(devices, each, &options->spec.asked,
					 err);
}

void tb_plan_spec_make(struct tb_plan_options *options)
{
	const job_desc_msg_t *job = &options->job;
	struct tb_job_spec *spec = &options->spec;

	spec->partitions = job->partition;
	spec->required = job->req_nodes;
	spec->excluded = job->exc_nodes;
	spec->features = job->features;
	spec->reservation = job->reservation;
	spec->asked = find_asked(job);
	spec->layout = (struct tb_layout){
		tb_given_count_16(job->sockets_per_node),
		tb_given_count_16(job->cores_per_socket),
		tb_given_count_16(job->threads_per_core),
	};
	if (job->pn_min_memory != NO_VAL64)
		spec->memory = job->pn_min_memory;
	spec->memory_is_set = spec->memory;
	spec->gpu_memory = tb_job_devices_gpu_memory(options->memory_per_gres);
	spec->gres = options->gres_per_job || options->gres_per_node ||
		     options->gres_per_task || options->gres_per_socket;
	spec->near = tb_job_spec_near(job->bitflags);
	spec->whole_nodes = job->shared == JOB_SHARED_NONE;
	spec->oversubscribe = job->shared == JOB_SHARED_OK;
	spec->minutes = job->time_limit == NO_VAL || job->time_limit == INFINITE
				? -1
				: (int64_t)job->time_limit;
	tb_job_spec_complete(spec);
}

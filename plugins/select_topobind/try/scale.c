/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scale.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"
#include "core/plan/booked.h"

static int has_count(void *feature, void *unused)
{
	(void)unused;
	return ((const job_feature_t *)feature)->count > 0;
}

/*
 * Slurm wants all devices of a part of the nodes, and each with CPUs for its tasks: with
 * --ntasks-per-gpu these are all tasks.
 */
static bool has_tasks_of_devices(const job_record_t *job)
{
	uint16_t each = job->details->ntasks_per_tres;

	return job->gres_list_req && each && each < NO_VAL16;
}

bool tb_job_is_asked_in_part(const job_record_t *job)
{
	const job_details_t *details = job->details;

	return !has_tasks_of_devices(job) &&
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

/* Set, they have select/cons_tres take other cores than it is shown. */
#define SCALED_FLAGS ((uint64_t)(GRES_ENFORCE_BIND | JOB_NTASKS_SET))

static void save_job(const job_record_t *job, struct tb_scale *saved)
{
	const job_details_t *details = job->details;

	*saved = (struct tb_scale){
		.flags = job->bit_flags & SCALED_FLAGS,
		.overcommit = details->overcommit,
		.ntasks_per_node = details->ntasks_per_node,
		.ntasks_per_tres = details->ntasks_per_tres,
		.contiguous = details->contiguous,
		.num_tasks = details->num_tasks,
		.cpus_per_task = details->cpus_per_task,
		.min_cpus = details->min_cpus,
		.max_cpus = details->max_cpus,
		.pn_min_cpus = details->pn_min_cpus,
		.orig_pn_min_cpus = details->orig_pn_min_cpus,
	};
	saved->sockets_per_node = details->mc_ptr->sockets_per_node;
	saved->cores_per_socket = details->mc_ptr->cores_per_socket;
	saved->ntasks_per_core = details->mc_ptr->ntasks_per_core;
	saved->ntasks_per_socket = details->mc_ptr->ntasks_per_socket;
}

/*
 * What select/cons_tres would look for among the cores that it is shown.  Nodes
 * are chosen by their own sockets and cores, in offer_placement.c, and no two tasks with
 * slots share a core.
 */
static void free_layout(multi_core_data_t *layout)
{
	layout->sockets_per_node = NO_VAL16;
	layout->cores_per_socket = NO_VAL16;
	layout->ntasks_per_core = INFINITE16;
	/* Bound jobs have none, or 0, by which select/cons_tres divides. */
	layout->ntasks_per_socket = INFINITE16;
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

/*
 * With --overcommit the tasks of a device share the slot of their node, too: Slurm
 * would want a slot for each.
 */
static void forget_tasks_of_devices(job_record_t *job, struct tb_scale *saved)
{
	uint32_t entries = tb_gres_entries(job);

	if (!job->details->overcommit || !has_tasks_of_devices(job))
		return;
	saved->tasks_each = xcalloc(entries, sizeof(*saved->tasks_each));
	for (uint32_t i = 0; i < entries; i++) {
		struct tb_gres_ask ask = tb_gres_asked(job, i);

		saved->tasks_each[i] = ask.tasks_each;
		ask.tasks_each = NO_VAL16;
		tb_gres_ask_again(job, i, &ask);
	}
}

static void restore_tasks_of_devices(job_record_t *job,
				     const struct tb_scale *saved)
{
	uint32_t entries = saved->tasks_each ? tb_gres_entries(job) : 0;

	for (uint32_t i = 0; i < entries; i++) {
		struct tb_gres_ask ask = tb_gres_asked(job, i);

		ask.tasks_each = saved->tasks_each[i];
		tb_gres_ask_again(job, i, &ask);
	}
}

/* How many tasks a node has, where select/cons_tres knows; else 0. */
static uint32_t count_tasks_of_node(const job_details_t *details)
{
	if (details->ntasks_per_node)
		return details->ntasks_per_node;
	if (details->max_nodes == 1 || details->num_tasks == 1)
		return details->num_tasks;
	return details->num_tasks == details->min_nodes &&
	       details->num_tasks == details->max_nodes;
}

/*
 * For a job with GRES select/cons_tres puts away the cores that its tasks on the
 * node do not need: let them need all.  Where these do not divide by the tasks,
 * or nobody knows how many of them a node has, and GRES do not go with tasks,
 * there is one for each node.
 */
void tb_scale_tasks_of_host(job_record_t *job, uint32_t cpus)
{
	job_details_t *details = job->details;
	uint32_t tasks = count_tasks_of_node(details);

	/* With GRES for each task their number counts. */
	if (!job->gres_list_req || !tb_job_has_task_devices(job))
		job->bit_flags &= ~(uint64_t)JOB_NTASKS_SET;
	if (!job->gres_list_req) {
		/* CPUs for so many tasks only would be fewer than the units. */
		details->ntasks_per_node = 0;
		return;
	}
	if (!tb_job_has_task_devices(job) &&
	    (tasks ? cpus % tasks : details->min_nodes == details->max_nodes)) {
		details->ntasks_per_node = 0;
		details->num_tasks = MAX(details->min_nodes, 1);
		tasks = 1;
	}
	if (!tasks)
		return;
	details->cpus_per_task = MAX(details->cpus_per_task, cpus / tasks);
}

/*
 * Of a part of its nodes Slurm wants all devices, and with --overcommit one node has a
 * slot for all tasks: more nodes can be needed than for the slots that are asked for.
 */
static bool needs_nodes_for_devices(const job_record_t *job)
{
	return job->gres_list_req && job->details->max_nodes != 1 &&
	       (job->details->overcommit || tb_job_is_asked_in_part(job));
}

/* As select/cons_tres makes one when it is first asked: the first answer is as others. */
static void need_layout(job_details_t *details)
{
	multi_core_data_t *layout;

	if (details->mc_ptr)
		return;
	layout = xmalloc(sizeof(*layout));
	layout->sockets_per_node = NO_VAL16;
	layout->cores_per_socket = NO_VAL16;
	layout->threads_per_core = NO_VAL16;
	details->mc_ptr = layout;
}

void tb_scale_job(job_record_t *job, enum tb_type type, uint32_t cpus,
		  struct tb_scale *saved)
{
	job_details_t *details = job->details;
	struct tb_asked asked = tb_job_asked(job);
	uint32_t slots = tb_asked_slots(&asked);
	uint32_t least = cpus; /* on a node */
	bool some_nodes = needs_nodes_for_devices(job);

	need_layout(details);
	save_job(job, saved);
	forget_tasks_of_devices(job, saved);
	details->pn_min_cpus = tb_asked_cpus_of_node(&asked);
	/* A node without a task would have no CPUs. */
	if (details->num_tasks && !some_nodes)
		details->num_tasks = slots;
	/* Near devices are found in devices.c, not by sockets. */
	job->bit_flags &= ~(uint64_t)GRES_ENFORCE_BIND;
	/* For it, select/cons_tres wants all tasks on each node. */
	details->ntasks_per_tres = NO_VAL16;
	free_layout(details->mc_ptr);
	if (type == TB_SLOT) {
		details->cpus_per_task = cpus;
		/* Where nobody said how many tasks, each node has so many. */
		if (!tb_asked_exact_slots(&asked) && !details->overcommit)
			least *= MAX(details->ntasks_per_node, 1);
		/*
		 * select/cons_tres would count CPUs for tasks that the job does not
		 * have.  0: the nodes' offers alone limit them.
		 */
		details->ntasks_per_node = tb_asked_slots_of_each(&asked);
		details->min_cpus = MAX(details->min_cpus, slots * cpus);
	} else {
		tb_scale_tasks_of_host(job, cpus);
		/* It gives nodes whole tasks; all CPUs are asked for later. */
		least -= cpus % MAX(details->cpus_per_task, 1);
		details->min_cpus = MAX(details->min_cpus,
					MAX(details->min_nodes, 1) * least);
	}
	/* With --overcommit a node would get a CPU, not its units. */
	if (details->overcommit) {
		details->overcommit = 0;
		details->ntasks_per_node = 0;
		details->num_tasks = some_nodes ? 0 : slots;
	}
	details->pn_min_cpus = MAX(details->pn_min_cpus, least);
	/* Equal, or cons_tres takes it for a correction of its own. */
	details->orig_pn_min_cpus = MIN(details->pn_min_cpus, NO_VAL16 - 1);
	if (details->max_cpus != NO_VAL)
		details->max_cpus = MAX(details->max_cpus, details->min_cpus);
	if (some_nodes)
		details->max_cpus = TB_PLENTY_OF_CPUS;
}

void tb_unscale_job(job_record_t *job, struct tb_scale *saved)
{
	job_details_t *details = job->details;

	restore_tasks_of_devices(job, saved);
	xfree(saved->tasks_each);
	job->bit_flags |= saved->flags;
	details->overcommit = saved->overcommit;
	details->ntasks_per_node = saved->ntasks_per_node;
	details->ntasks_per_tres = saved->ntasks_per_tres;
	details->contiguous = saved->contiguous;
	details->num_tasks = saved->num_tasks;
	details->cpus_per_task = saved->cpus_per_task;
	details->min_cpus = saved->min_cpus;
	details->max_cpus = saved->max_cpus;
	details->pn_min_cpus = saved->pn_min_cpus;
	details->orig_pn_min_cpus = saved->orig_pn_min_cpus;
	details->mc_ptr->sockets_per_node = saved->sockets_per_node;
	details->mc_ptr->cores_per_socket = saved->cores_per_socket;
	details->mc_ptr->ntasks_per_core = saved->ntasks_per_core;
	details->mc_ptr->ntasks_per_socket = saved->ntasks_per_socket;
}

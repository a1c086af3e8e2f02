/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/place/choose.h"
#include "core/place/masked.h"
#include "core/request/alternatives.h"
#include "core/request/parts.h"
#include "core/soft/soft.h"

bool tb_step_plan_fits(const struct tb_topology *topology, unsigned node_cores)
{
	return node_cores == tb_topology_cores(topology) ||
	       node_cores == tb_topology_threads(topology);
}

struct tb_bitset *tb_step_plan_threads(const struct tb_step_plan_input *input,
				       const char *cores, struct tb_error *err)
{
	const struct tb_topology *topology = input->topology;
	unsigned node_cores = input->node_cores;
	struct tb_bitset *set, *threads;

	if (!tb_step_plan_fits(topology, node_cores)) {
		tb_fail(err,
			"this node has %u cores in Slurm but its topology "
			"has %u cores with %u threads; one of the two must be "
			"equal",
			node_cores, tb_topology_cores(topology),
			tb_topology_threads(topology));
		return NULL;
	}
	set = tb_bitset_parse_list(cores != NULL ? cores : "", node_cores, err);
	if (set == NULL || node_cores == tb_topology_threads(topology))
		return set;
	threads = tb_bitset_create(tb_topology_threads(topology));
	if (threads != NULL)
		tb_threads_of_cores(topology, set, threads);
	else
		tb_fail(err, "out of memory");
	tb_bitset_destroy(set);
	return threads;
}

static int alloc_tasks(struct tb_step_plan *plan, unsigned tasks,
		       struct tb_error *err)
{
	plan->tasks = tasks;
	plan->task = calloc(tasks, sizeof(*plan->task));
	plan->slot = calloc(tasks, sizeof(*plan->slot));
	if (tasks > 0 && (plan->task == NULL || plan->slot == NULL))
		return tb_fail(err, "out of memory");
	return 0;
}

static int give_all(struct tb_step_plan *plan, const struct tb_bitset *threads,
		    struct tb_error *err)
{
	for (unsigned i = 0; i < plan->tasks; i++) {
		plan->slot[i] = TB_NO_SLOT;
		plan->task[i] = tb_bitset_copy(threads);
		if (plan->task[i] == NULL)
			return tb_fail(err, "out of memory");
		tb_step_plan_drop_masked(plan, plan->task[i]);
	}
	return 0;
}

static int fail_cpus(const struct tb_step_plan_input *input,
		     const struct tb_request *request, struct tb_error *err)
{
	char *list = tb_request_print_cpus(request);
	int rc;

	rc = tb_fail(err,
		     "the step's cores on this node, %s, do not include the "
		     "CPUs %.100s of its bcpus: name CPUs among them",
		     input->step_cores, list != NULL ? list : "");
	free(list);
	return rc;
}

static int fail_slots(const struct tb_step_plan_input *input,
		      const struct tb_request *request, unsigned slots,
		      struct tb_error *err)
{
	char *units;
	int rc;

	if (request->cpus != NULL)
		return fail_cpus(input, request, err);
	units = tb_request_print_units(request, "");
	rc = tb_fail(err,
		     "the step has %u %s on this node but its cores "
		     "%s hold %u %s of %s: start fewer tasks, or let "
		     "them share with --overcommit; beside other steps ask "
		     "for the CPUs of a slot with -c, to wait for one",
		     input->tasks, tb_count_word(input->tasks, "task", "tasks"),
		     input->step_cores, slots,
		     tb_count_word(slots, "slot", "slots"),
		     units != NULL ? units : "");
	free(units);
	return rc;
}

/* Enough for its tasks? */
static bool has_slots(const struct tb_step_plan_input *input,
		      const struct tb_request *request, unsigned slots)
{
	bool shares = input->shares || request->type == TB_HOST;

	return slots > 0 && (shares || slots >= input->tasks);
}

/* One of the placed slots for each task. */
static int give_slots(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      const struct tb_request *request,
		      const struct tb_placer *placer, unsigned slots,
		      struct tb_error *err)
{
	if (!has_slots(input, request, slots))
		return fail_slots(input, request, slots, err);
	for (unsigned i = 0; i < plan->tasks; i++) {
		plan->slot[i] = i % slots;
		plan->task[i] = tb_bitset_create(
			tb_topology_threads(input->topology));
		if (plan->task[i] == NULL)
			return tb_fail(err, "out of memory");
		tb_placed_group(placer, plan->slot[i], plan->task[i]);
		tb_placed_drop_masked(placer, plan->task[i]);
	}
	return 0;
}

/* It had a slot when it started: the machine is another one since. */
static int fail_topology(const struct tb_step_plan_input *input,
			 struct tb_error *err)
{
	char *units = tb_request_print_units(input->job, "");
	int rc;

	rc = tb_fail(err,
		     "the topology of this node has changed since the "
		     "job started: its cores %s hold no slot of %s any "
		     "more; start tasks on all of these cores with srun "
		     "--bamount=0, or submit the job again",
		     input->job_cores, units != NULL ? units : "");
	free(units);
	return rc;
}

/* Of the job's request, or of one of its alternatives. */
static bool grant_has_mask(const struct tb_step_plan *plan,
			   const struct tb_step_plan_input *input,
			   const struct tb_request *job)
{
	return plan->masked == NULL ||
	       tb_grant_has_mask(input->topology, job, plan->job, plan->masked,
				 input->node_cores ==
					 tb_topology_threads(input->topology));
}

static void drop_mask(struct tb_step_plan *plan)
{
	tb_bitset_destroy(plan->masked);
	plan->masked = NULL;
}

/* The parts that were just placed; where they are not there: of none. */
static int keep_parts(struct tb_step_plan *plan,
		      const struct tb_request *request,
		      const struct tb_placer *placer, struct tb_error *err)
{
	if (request->nparts == 0 ||
	    tb_bitset_is_empty(tb_placed_part(placer, 0)))
		return 0;
	plan->nparts = request->nparts;
	for (unsigned i = 0; i < plan->nparts; i++) {
		plan->part_name[i] = tb_request_print_part(request, i);
		plan->part[i] = tb_bitset_copy(tb_placed_part(placer, i));
		if (plan->part_name[i] == NULL || plan->part[i] == NULL)
			return tb_fail(err, "out of memory");
	}
	return 0;
}

/* The parts of the job, of which a step can have some CPUs. */
static int find_parts(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      struct tb_error *err)
{
	struct tb_request job = tb_request_masked(input->job, plan->masked);
	struct tb_placer *placer;
	int rc;

	if (job.nparts == 0 || !tb_request_binds(&job) ||
	    tb_request_binds(input->step))
		return 0;
	placer = tb_placer_create(input->topology);
	if (placer == NULL)
		return tb_fail(err, "out of memory");
	tb_place_again(placer, &job, plan->job);
	rc = keep_parts(plan, &job, placer, err);
	tb_placer_destroy(placer);
	return rc;
}

/* Does the job's grant hold its slots?  It did when the job started. */
static bool grant_is_whole(const struct tb_step_plan *plan,
			   const struct tb_request *job,
			   struct tb_placer *placer)
{
	if (job->cpus != NULL)
		return true;
	if (job->nparts > 0)
		return plan->nparts > 0;
	return tb_place_again(placer, job, plan->job) > 0;
}

/* The slots of the job's request, in what the step has of its grant. */
static int place_job(struct tb_step_plan *plan,
		     const struct tb_step_plan_input *input,
		     struct tb_placer *placer, struct tb_error *err)
{
	struct tb_request job = tb_request_masked(input->job, plan->masked);
	unsigned slots;

	/* Nobody gave it units: it was plain when it started. */
	if (input->implicit && tb_place_again(placer, &job, plan->step) == 0)
		return give_all(plan, plan->step, err);
	if (!grant_is_whole(plan, &job, placer))
		return fail_topology(input, err);
	slots = tb_place_again(placer, &job, plan->step);
	/* It can have had the whole node, slot by slot, before the filter. */
	if (plan->masked != NULL && slots < input->tasks && !input->shares &&
	    job.type == TB_SLOT && job.cpus == NULL) {
		drop_mask(plan);
		slots = tb_place_again(placer, input->job, plan->step);
	}
	return give_slots(plan, input, input->job, placer, slots, err);
}

/* Everything that the step does not have, as "used". */
static struct tb_bitset *complement(const struct tb_bitset *set)
{
	struct tb_bitset *rest = tb_bitset_create(set->nbits);

	if (rest != NULL) {
		tb_bitset_set_range(rest, 0, rest->nbits);
		tb_bitset_andnot(rest, set);
	}
	return rest;
}

/* The alternative of the step's own request that its units hold. */
static int place_chosen(const struct tb_step_plan *plan,
			const struct tb_step_plan_input *input,
			struct tb_placer *placer, const struct tb_bitset *used,
			struct tb_request *plain)
{
	struct tb_request step = tb_request_masked(input->step, plan->masked);

	*plain = tb_request_plain(&step,
				  tb_place_choose(placer, &step, used,
						  input->tasks, tb_place));
	return tb_place(placer, plain, used, input->tasks);
}

/* A step with a request of its own is placed anew, inside what it has. */
static int place_step(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      struct tb_placer *placer, struct tb_error *err)
{
	struct tb_bitset *used = complement(plan->step);
	struct tb_request plain;
	int placed;

	if (used == NULL)
		return tb_fail(err, "out of memory");
	placed = place_chosen(plan, input, placer, used, &plain);
	if (placed < (int)input->tasks &&
	    !grant_has_mask(plan, input, input->job)) {
		drop_mask(plan);
		placed = place_chosen(plan, input, placer, used, &plain);
	}
	tb_bitset_destroy(used);
	if (placed == TB_PLACE_TOPOLOGY_MISMATCH)
		return tb_fail(err, "the step's btopology is not the topology "
				    "of this node");
	if (placed == TB_PLACE_FILTER_MISMATCH)
		return tb_fail(err, "the shape of the step's bfilter is not "
				    "that of this node");
	if (placed > 0 && keep_parts(plan, &plain, placer, err) < 0)
		return -1;
	return give_slots(plan, input, &plain, placer,
			  placed > 0 ? tb_placed_groups(placer) : 0, err);
}

/* Whole cores of Slurm: are the placed threads in just these? */
static bool fills(const struct tb_step_plan_input *input,
		  const struct tb_placer *placer,
		  const struct tb_bitset *threads)
{
	struct tb_bitset *placed = tb_bitset_copy(tb_placed_threads(placer));
	struct tb_bitset *cores = tb_bitset_create(
		tb_topology_cores(input->topology));
	bool same = false;

	if (placed != NULL && cores != NULL) {
		if (input->node_cores == tb_topology_cores(input->topology)) {
			tb_cores_of_threads(input->topology, placed, cores);
			tb_threads_of_cores(input->topology, cores, placed);
		}
		same = tb_bitset_equal(placed, threads);
	}
	tb_bitset_destroy(placed);
	tb_bitset_destroy(cores);
	return same;
}

/*
 * How well an alternative goes with the cores that the job and the step have:
 * its units fill the job's, there is a slot for each task, and none besides.
 */
static unsigned rate(const struct tb_step_plan *plan,
		     const struct tb_step_plan_input *input,
		     const struct tb_request *plain, struct tb_placer *placer)
{
	struct tb_request there = tb_request_masked(plain,
						    grant_has_mask(plan, input,
								   plain)
							    ? plan->masked
							    : NULL);
	unsigned slots = tb_place_again(placer, &there, plan->job);
	unsigned points = slots > 0 && fills(input, placer, plan->job) ? 1 : 0;

	slots = tb_place_again(placer, &there, plan->step);
	if (!has_slots(input, plain, slots))
		return 0;
	points += 2;
	if (fills(input, placer, plan->step))
		points += slots == input->tasks || plain->type == TB_HOST ? 2
									  : 1;
	return points;
}

/*
 * Which alternative the job was given comes with its script or from srun, which asks
 * the controller.  Where neither says so: the one that goes best with the cores that
 * were granted, and of equal ones the first.
 */
static int choose_alternative(const struct tb_step_plan *plan,
			      const struct tb_step_plan_input *input,
			      struct tb_request *chosen, struct tb_error *err)
{
	struct tb_placer *placer = tb_placer_create(input->topology);
	unsigned best = 0;

	if (placer == NULL)
		return tb_fail(err, "out of memory");
	*chosen = tb_request_plain(input->job, 0);
	for (unsigned i = 0; i < tb_request_plain_count(input->job); i++) {
		struct tb_request plain = tb_request_plain(input->job, i);
		unsigned points = rate(plan, input, &plain, placer);

		if (points <= best)
			continue;
		best = points;
		*chosen = plain;
	}
	tb_placer_destroy(placer);
	return 0;
}

static int place_tasks(struct tb_step_plan *plan,
		       const struct tb_step_plan_input *input,
		       struct tb_error *err)
{
	struct tb_placer *placer = tb_placer_create(input->topology);
	int rc;

	if (placer == NULL)
		return tb_fail(err, "out of memory");
	if (tb_request_binds(input->step))
		rc = place_step(plan, input, placer, err);
	else
		rc = place_job(plan, input, placer, err);
	tb_placer_destroy(placer);
	return rc;
}

/* Where its job says which, a step's own request without is hard. */
static enum tb_hardness find_mode(const struct tb_request *request,
				  const struct tb_step_plan_input *input)
{
	bool says = tb_request_mode(input->job, TB_HARD) ==
		    tb_request_mode(input->job, TB_SOFT);

	return tb_request_mode(request, says && request != input->job
						? TB_HARD
						: input->site_mode);
}

/* A step's own request takes nothing over, but it stays inside its job. */
static void choose_policies(struct tb_step_plan *plan,
			    const struct tb_step_plan_input *input)
{
	const struct tb_request *request = tb_request_binds(input->step)
						   ? input->step
						   : input->job;
	struct tb_memory_policy job = tb_request_memory(input->job,
							input->site);

	plan->instance = request->instance;
	plan->memory = tb_request_memory(request, input->site);
	plan->mode = find_mode(request, input);
	plan->allow = request->allow;
	plan->job_mode = tb_request_binds(input->job)
				 ? tb_request_mode(input->job, input->site_mode)
				 : TB_HARD;
	plan->job_is_local = input->job->instance == TB_SET &&
			     job.where == TB_MEMORY_LOCAL;
	plan->job_kinds = job.kinds;
	if (plan->job_is_local)
		plan->memory.kinds &= plan->job_kinds;
}

/* The cores are the task's own; it does not use all of their threads. */
static void limit_threads(struct tb_step_plan *plan,
			  const struct tb_step_plan_input *input)
{
	if (input->threads_per_core == 0)
		return;
	for (unsigned i = 0; i < plan->tasks; i++) {
		if (plan->slot[i] != TB_NO_SLOT)
			tb_limit_threads(input->topology,
					 input->threads_per_core,
					 plan->task[i]);
	}
}

/* What the site masks; of a plain job nothing. */
static int find_masked(struct tb_step_plan *plan,
		       const struct tb_step_plan_input *input,
		       struct tb_error *err)
{
	const struct tb_topology *topology = input->topology;

	if (input->filter == NULL || !tb_request_binds(input->job) ||
	    !tb_filter_matches(input->filter, topology))
		return 0;
	plan->masked = tb_bitset_create(tb_topology_threads(topology));
	if (plan->masked == NULL)
		return tb_fail(err, "out of memory");
	tb_filter_add(input->filter, topology, plan->masked);
	return 0;
}

/* What each task gets, when the job's request has no alternatives any more. */
static int give_tasks(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      struct tb_error *err)
{
	/*
	 * In a job that started before the filter only steps with a request of
	 * their own heed it, if they can.
	 */
	if (!tb_request_binds(input->step) &&
	    !grant_has_mask(plan, input, input->job))
		drop_mask(plan);
	if (find_parts(plan, input, err) < 0)
		return -1;
	if (input->whole)
		return give_all(plan, plan->job, err);
	if (tb_request_binds(input->step))
		return place_tasks(plan, input, err);
	/* A step may switch off its slots, but not leave its job's units. */
	if (tb_request_has_binding(input->step) ||
	    !tb_request_binds(input->job))
		return give_all(plan, plan->step, err);
	return place_tasks(plan, input, err);
}

static int give_chosen(struct tb_step_plan *plan,
		       const struct tb_step_plan_input *input,
		       struct tb_error *err)
{
	struct tb_step_plan_input chosen = *input;
	struct tb_request plain;

	if (input->job->nalternatives == 0)
		return give_tasks(plan, input, err);
	if (choose_alternative(plan, input, &plain, err) < 0)
		return -1;
	chosen.job = &plain;
	return give_tasks(plan, &chosen, err);
}

static int make_plan(struct tb_step_plan *plan,
		     const struct tb_step_plan_input *input,
		     struct tb_error *err)
{
	memset(plan, 0, sizeof(*plan));
	choose_policies(plan, input);
	plan->job = tb_step_plan_threads(input, input->job_cores, err);
	if (plan->job == NULL)
		return -1;
	plan->step = tb_step_plan_threads(input, input->step_cores, err);
	if (plan->step == NULL || alloc_tasks(plan, input->tasks, err) < 0 ||
	    find_masked(plan, input, err) < 0)
		return -1;
	return give_chosen(plan, input, err);
}

int tb_step_plan_make(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      struct tb_error *err)
{
	int rc = make_plan(plan, input, err);

	if (rc == 0)
		limit_threads(plan, input);
	return rc;
}

/* What holds for all of the job. */
static struct tb_near near_job(const struct tb_step_plan *plan)
{
	return (struct tb_near){ plan->job_is_local ? plan->job : NULL,
				 plan->job_kinds };
}

struct tb_near tb_step_plan_near(const struct tb_step_plan *plan, unsigned task)
{
	if (plan->memory.where == TB_MEMORY_NONE)
		return near_job(plan);
	return (struct tb_near){ plan->task[task], plan->memory.kinds };
}

struct tb_near tb_step_plan_constrained(const struct tb_step_plan *plan,
					unsigned task)
{
	if (plan->memory.where != TB_MEMORY_LOCAL)
		return near_job(plan);
	return tb_step_plan_near(plan, task);
}

struct tb_near tb_step_plan_step_constrained(const struct tb_step_plan *plan)
{
	if (plan->memory.where != TB_MEMORY_LOCAL)
		return near_job(plan);
	return (struct tb_near){ plan->step, plan->memory.kinds };
}

bool tb_step_plan_has_gpu_memory(const struct tb_step_plan *plan)
{
	unsigned kinds = 0;

	if (plan->memory.where != TB_MEMORY_NONE)
		kinds |= plan->memory.kinds;
	if (plan->job_is_local)
		kinds |= plan->job_kinds;
	return kinds & TB_MEMORY_BIT(TB_MEMORY_GPU);
}

void tb_step_plan_drop_masked(const struct tb_step_plan *plan,
			      struct tb_bitset *threads)
{
	struct tb_bitset *rest;

	if (plan->masked == NULL)
		return;
	rest = tb_bitset_copy(threads);
	if (rest == NULL)
		return;
	tb_bitset_andnot(rest, plan->masked);
	if (!tb_bitset_is_empty(rest))
		tb_bitset_assign(threads, rest);
	tb_bitset_destroy(rest);
}

struct tb_bitset *tb_step_plan_scope(const struct tb_step_plan *plan,
				     const struct tb_topology *topology,
				     unsigned threads_per_core, unsigned task)
{
	struct tb_bitset *scope = tb_bitset_create(
		tb_topology_threads(topology));

	if (scope == NULL)
		return NULL;
	tb_soft_scope(topology, plan->allow, plan->task[task], scope);
	if (threads_per_core > 0)
		tb_limit_threads(topology, threads_per_core, scope);
	tb_step_plan_drop_masked(plan, scope);
	tb_bitset_or(scope, plan->task[task]);
	return scope;
}

void tb_step_plan_clear(struct tb_step_plan *plan)
{
	tb_bitset_destroy(plan->job);
	tb_bitset_destroy(plan->step);
	tb_bitset_destroy(plan->masked);
	for (unsigned i = 0; i < plan->nparts; i++) {
		free(plan->part_name[i]);
		tb_bitset_destroy(plan->part[i]);
	}
	for (unsigned i = 0; plan->task != NULL && i < plan->tasks; i++)
		tb_bitset_destroy(plan->task[i]);
	free(plan->task);
	free(plan->slot);
	memset(plan, 0, sizeof(*plan));
}

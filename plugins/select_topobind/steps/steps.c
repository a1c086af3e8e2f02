/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "steps.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"

#include "compat/select_steps.h"
#include "core/place/masked.h"

#include "select_topobind/books/cores_taken.h"
#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/nodes/nodes.h"
#include "step_layout.h"

/* The step on one of its nodes. */
struct step_node {
	struct tb_shape *shape;
	uint32_t job_index;	/* of the node among the job's */
	uint32_t first;		/* its first core among the job's */
	uint32_t cpus_per_core; /* that the step can use */
	uint32_t threads; /* of a core, all of which Slurm counts as used */
	const struct tb_filter *filter; /* of the site; NULL: none */
};

struct placing {
	step_record_t *step;
	struct tb_request request; /* for tb_place_again(), borrowed */
	bool by_host;		   /* tasks share units */
	/* By core of the job: held by its other steps, and by no step. */
	bitstr_t *others, *free_cores;
	uint32_t count;
	struct step_node *parts; /* in the order of the step's layout */
	uint16_t *tasks;
};

static bool is_exact(const step_record_t *step)
{
	return !(step->flags & SSF_WHOLE);
}

static bool is_overlapping(const step_record_t *step)
{
	return step->flags & SSF_OVERLAP_FORCE;
}

struct others {
	const step_record_t *step;
	bitstr_t *cores;
};

/* The others are scripts and shells, which run beside the steps they start. */
static bool is_normal(const step_record_t *step)
{
	return step->step_id.step_id <= SLURM_MAX_NORMAL_STEP_ID;
}

static int add_cores(void *item, void *arg)
{
	step_record_t *other = item;
	struct others *others = arg;

	if (other != others->step && other->core_bitmap_job &&
	    is_normal(other) && !is_overlapping(other) &&
	    bit_size(other->core_bitmap_job) == bit_size(others->cores))
		bit_or(others->cores, other->core_bitmap_job);
	return 0;
}

/*
 * The job's core_bitmap_used does not tell: it also has what Slurm has just picked
 * for this step, and lacks the cores of a step with all CPUs.
 */
static bitstr_t *find_cores_of_others(const step_record_t *step)
{
	struct others others = { step, NULL };
	job_record_t *job = step->job_ptr;

	others.cores = bit_alloc(bit_size(job->job_resrcs->core_bitmap));
	if (!is_overlapping(step))
		list_for_each(job->step_list, add_cores, &others);
	return others.cores;
}

/* --threads-per-core of the step or of its job, and --hint=nomultithread. */
static uint32_t count_cpus_per_core(const step_record_t *step, uint32_t threads)
{
	const multi_core_data_t *job = step->job_ptr->details->mc_ptr;
	uint16_t asked = step->threads_per_core;

	if ((!asked || asked == NO_VAL16) && job)
		asked = job->threads_per_core;
	return asked && asked != NO_VAL16 ? MIN(asked, threads) : threads;
}

/* The step on one of the job's nodes.  False: it has no usable topology. */
static bool set_step_node(struct step_node *part, const step_record_t *step,
			  const struct tb_allocated_node *at)
{
	part->shape = tb_node_shape(at->node);
	part->filter = part->shape
			       ? tb_node_filter(at->node, part->shape,
						tb_job_filter(step->job_ptr))
			       : NULL;
	part->job_index = at->index;
	part->first = at->first_core;
	part->threads = MAX(node_record_table_ptr[at->node]->tpc, 1);
	part->cpus_per_core = count_cpus_per_core(step, part->threads);
	return part->shape;
}

/* False: a node has no usable topology, or the layout is of other nodes. */
static bool find_step_nodes(struct placing *placing)
{
	const step_record_t *step = placing->step;
	const job_resources_t *granted = step->job_ptr->job_resrcs;
	uint32_t nodes = step->step_layout->node_cnt, cores = 0;
	struct tb_allocated_node at = { 0 };

	placing->parts = xcalloc(nodes, sizeof(*placing->parts));
	while (tb_allocated_node_next(granted, &at)) {
		cores += node_record_table_ptr[at.node]->tot_cores;
		if (!bit_test(step->step_node_bitmap, at.node))
			continue;
		if (placing->count == nodes ||
		    !set_step_node(&placing->parts[placing->count], step, &at))
			return false;
		placing->count++;
	}
	return placing->count == nodes &&
	       cores == bit_size(granted->core_bitmap);
}

/* What the site masked for the job when it started; NULL: nothing. */
static const struct tb_bitset *find_masked(const struct placing *placing,
					   const struct step_node *part,
					   struct tb_scratch *scratch)
{
	const struct tb_shape *shape = part->shape;

	tb_node_mask(part->filter, shape, scratch);
	if (!scratch->is_masked)
		return NULL;
	tb_cores_from_bits(scratch->cores,
			   placing->step->job_ptr->job_resrcs->core_bitmap,
			   part->first);
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	return tb_grant_has_mask(shape->topology, &placing->request,
				 scratch->threads, scratch->masked,
				 shape->by_thread)
		       ? scratch->masked
		       : NULL;
}

/* In the job's threads on the node that no other step has.  Changes scratch. */
static uint32_t place_free_slots(const struct placing *placing,
				 const struct step_node *part,
				 struct tb_scratch *scratch)
{
	struct tb_request there = tb_request_masked(&placing->request,
						    find_masked(placing, part,
								scratch));

	tb_cores_from_bits(scratch->cores, placing->free_cores, part->first);
	tb_shape_threads(part->shape, scratch->cores, scratch->threads);
	return tb_place_again(part->shape->placer, &there, scratch->threads);
}

static uint32_t count_cpus_of_cores(const struct step_node *part,
				    const struct tb_bitset *cores)
{
	return tb_bitset_count(cores) * part->cpus_per_core;
}

/*
 * A step with another -c than the job wants as many units as hold these CPUs,
 * instead of the job's slots.  Slurm does not tell whether -c was given; -c1 is
 * taken for not given.
 */
static void set_amount(struct placing *placing)
{
	const step_record_t *step = placing->step;
	const struct step_node *part = &placing->parts[0];
	struct tb_shape *shape = part->shape;
	struct tb_scratch *scratch = shape->scratch;
	uint32_t amount = placing->request.amount, cpus;

	if (!is_exact(step) || step->cpus_per_task <= 1 ||
	    step->cpus_per_task == step->job_ptr->details->cpus_per_task)
		return;
	placing->request.amount = 1;
	if (place_free_slots(placing, part, scratch)) {
		tb_placed_group(shape->placer, 0, scratch->threads);
		tb_placed_drop_masked(shape->placer, scratch->threads);
		tb_shape_cores(shape, scratch->threads, scratch->cores);
		cpus = count_cpus_of_cores(part, scratch->cores);
		amount = (step->cpus_per_task + cpus - 1) / cpus;
	}
	placing->request.amount = amount;
}

/* Move tasks to where slots are, when some node has more of them than slots. */
static void move_tasks(struct placing *placing)
{
	const step_record_t *step = placing->step;
	uint32_t *slots;
	bool fits = true;

	if (placing->by_host || (step->flags & SSF_OVERCOMMIT) ||
	    !tb_step_layout_is_free(step))
		return;
	slots = xcalloc(placing->count, sizeof(*slots));
	for (uint32_t i = 0; i < placing->count; i++) {
		slots[i] = place_free_slots(placing, &placing->parts[i],
					    placing->parts[i].shape->scratch);
		fits = fits && placing->tasks[i] <= slots[i];
	}
	if (!fits &&
	    !tb_step_layout_fit(step->step_layout, slots, placing->tasks))
		memcpy(placing->tasks, step->step_layout->tasks,
		       sizeof(*placing->tasks) * placing->count);
	xfree(slots);
}

static bool tasks_moved(const struct placing *placing)
{
	return memcmp(placing->tasks, placing->step->step_layout->tasks,
		      sizeof(*placing->tasks) * placing->count) != 0;
}

/* Are so many slots, which have these cores, enough for the node's tasks? */
static bool slots_suffice(const struct placing *placing, uint32_t index,
			  uint32_t groups, const struct tb_bitset *cores)
{
	const step_record_t *step = placing->step;

	if (step->flags & SSF_OVERCOMMIT)
		return groups > 0;
	if (!placing->by_host)
		return groups >= placing->tasks[index];
	return groups > 0 &&
	       count_cpus_of_cores(&placing->parts[index], cores) >=
		       placing->tasks[index] * MAX(step->cpus_per_task, 1);
}

/* Has Slurm picked a core with one of these threads? */
static bool has_picked(const struct placing *placing,
		       const struct step_node *part,
		       const struct tb_bitset *threads)
{
	const struct tb_shape *shape = part->shape;

	if (!placing->step->core_bitmap_job)
		return false;
	for (uint32_t core = 0; core < shape->ncores; core++) {
		struct tb_thread_range own = tb_shape_core_threads(shape, core);

		if (tb_bitset_test(threads, own.first) &&
		    bit_test(placing->step->core_bitmap_job,
			     part->first + core))
			return true;
	}
	return false;
}

/*
 * The cores of as many free slots as needed, into scratch->cores.  False: there are
 * too few.  For a step with GRES Slurm has picked cores near them: slots with such
 * cores come first.
 */
static bool take_slots(const struct placing *placing, uint32_t index,
		       struct tb_scratch *scratch)
{
	const struct step_node *part = &placing->parts[index];
	const struct tb_shape *shape = part->shape;
	uint32_t slots = place_free_slots(placing, part, scratch), taken = 0;
	bool has_gres = placing->step->gres_list_alloc;

	tb_bitset_clear_all(scratch->used);
	tb_bitset_clear_all(scratch->cores);
	for (uint32_t i = 0; i < 2 * slots; i++) {
		if (slots_suffice(placing, index, taken, scratch->cores))
			return true;
		tb_placed_group(shape->placer, i % slots, scratch->threads);
		if ((has_gres && has_picked(placing, part, scratch->threads)) !=
		    (i < slots))
			continue;
		tb_bitset_or(scratch->used, scratch->threads);
		tb_shape_cores(shape, scratch->used, scratch->cores);
		taken++;
	}
	return slots_suffice(placing, index, taken, scratch->cores);
}

/*
 * The cores of whole slots on all nodes, and how many CPUs that is for a task.
 * NULL: there are too few slots on some node.
 */
static bitstr_t *pick_cores(const struct placing *placing, uint32_t *per_task)
{
	bitstr_t *cores = bit_alloc(bit_size(placing->others));

	*per_task = NO_VAL16 - 1;
	for (uint32_t i = 0; i < placing->count; i++) {
		const struct step_node *part = &placing->parts[i];
		struct tb_scratch *scratch = part->shape->scratch;

		if (!take_slots(placing, i, scratch)) {
			FREE_NULL_BITMAP(cores);
			return NULL;
		}
		tb_cores_to_bits(scratch->cores, cores, part->first);
		*per_task = MIN(*per_task,
				count_cpus_of_cores(part, scratch->cores) /
					placing->tasks[i]);
	}
	return cores;
}

/* The CPUs that Slurm counts for a step on a node, and subtracts at its end. */
static uint32_t count_slurm_cpus(const struct step_node *part, uint32_t tasks,
				 uint32_t per_task)
{
	uint32_t cores = (tasks * per_task + part->cpus_per_core - 1) /
			 part->cpus_per_core;

	if (part->cpus_per_core == part->threads)
		return tasks * per_task;
	return cores * part->threads;
}

/* What Slurm has counted for the step on the node so far. */
static uint32_t count_cpus_so_far(const struct placing *placing, uint32_t index)
{
	const step_record_t *step = placing->step;
	const struct step_node *part = &placing->parts[index];

	if (!tb_step_is_counted())
		return 0;
	return tb_step_counted(count_slurm_cpus(part,
						step->step_layout->tasks[index],
						step->cpus_per_task),
			       part->threads);
}

static bool count_cpus(const struct placing *placing, uint32_t index,
		       uint32_t per_task, bool commit)
{
	const step_record_t *step = placing->step;
	job_resources_t *books = step->job_ptr->job_resrcs;
	const struct step_node *part = &placing->parts[index];
	uint32_t node = part->job_index;
	uint32_t before = count_cpus_so_far(placing, index);
	uint32_t after = tb_step_counted(count_slurm_cpus(part,
							  placing->tasks[index],
							  per_task),
					 part->threads);
	uint32_t used = books->cpus_used[node];

	if (used < before || used - before + after > books->cpus[node])
		return false;
	if (commit)
		books->cpus_used[node] = used - before + after;
	return true;
}

static bool counts_memory_by_cpu(const step_record_t *step, uint32_t index)
{
	if (!(step->pn_min_memory & MEM_PER_CPU) ||
	    (step->flags & SSF_MEM_ZERO))
		return false;
	if (!tb_step_is_counted())
		return slurm_conf.select_type_param & SELECT_MEMORY;
	return step->memory_allocated && step->memory_allocated[index];
}

/* With memory by CPU the step has more memory, too. */
static bool count_memory(const struct placing *placing, uint32_t index,
			 uint32_t per_task, bool commit)
{
	const step_record_t *step = placing->step;
	job_resources_t *books = step->job_ptr->job_resrcs;
	uint32_t node = placing->parts[index].job_index;
	uint64_t before, after;

	if (!counts_memory_by_cpu(step, index))
		return true;
	before = tb_step_is_counted() ? step->memory_allocated[index] : 0;
	after = (step->pn_min_memory & ~MEM_PER_CPU) * placing->tasks[index] *
		per_task;
	if (books->memory_used[node] < before ||
	    books->memory_used[node] - before + after >
		    books->memory_allocated[node])
		return false;
	if (commit) {
		books->memory_used[node] += after - before;
		step->memory_allocated[index] = after;
	}
	return true;
}

static void tell_slurm_cpus(const struct placing *placing, uint32_t per_task)
{
	uint16_t *cpus = xcalloc(placing->count, sizeof(*cpus));

	for (uint32_t i = 0; i < placing->count; i++)
		cpus[i] = count_slurm_cpus(&placing->parts[i],
					   placing->tasks[i], per_task);
	tb_step_set_cpus(placing->step, cpus);
	xfree(cpus);
}

/*
 * Count in Slurm's books what the step uses of its job when each task has per_task
 * CPUs.  False: a node does not have as many.  Without commit nothing is changed.
 */
static bool count_step(const struct placing *placing, uint32_t per_task,
		       bool commit)
{
	for (uint32_t i = 0; i < placing->count; i++)
		if (!count_cpus(placing, i, per_task, commit) ||
		    !count_memory(placing, i, per_task, commit))
			return false;
	if (commit)
		tell_slurm_cpus(placing, per_task);
	return true;
}

/* Does it fit?  Where Slurm has not counted the step yet it does so by itself. */
static bool charge_step(const struct placing *placing, uint32_t per_task)
{
	return count_step(placing, per_task, false) &&
	       (!tb_step_is_counted() || count_step(placing, per_task, true));
}

static uint32_t count_all_slurm_cpus(const struct placing *placing)
{
	uint32_t cpus = 0;

	for (uint32_t i = 0; i < placing->count; i++)
		cpus += count_slurm_cpus(&placing->parts[i], placing->tasks[i],
					 placing->step->cpus_per_task);
	return cpus;
}

/*
 * Count the CPUs of whole slots as used, so that other steps wait for them.  Where
 * that is not possible, count as many as Slurm did.  False: tasks moved, and not
 * even that is possible.
 */
static bool charge_cpus(const struct placing *placing, uint32_t per_task)
{
	step_record_t *step = placing->step;

	if (is_overlapping(step) || (step->flags & SSF_OVERCOMMIT))
		return true;
	if (per_task > step->cpus_per_task && charge_step(placing, per_task)) {
		step->cpus_per_task = per_task;
		step->cpu_count = count_all_slurm_cpus(placing);
		return true;
	}
	if (!tasks_moved(placing))
		return true;
	return charge_step(placing, step->cpus_per_task);
}

/*
 * Where Slurm has not counted the step yet, it takes preset cores as they are and
 * looks for devices near the job's cores that are not used: so all others are,
 * until it has found them.
 */
static void preset_cores(const struct placing *placing, bitstr_t *cores)
{
	step_record_t *step = placing->step;
	job_resources_t *books = step->job_ptr->job_resrcs;

	step->core_bitmap_job = bit_copy(cores);
	bit_copybits(books->core_bitmap_used, books->core_bitmap);
	bit_and_not(books->core_bitmap_used, cores);
}

static void replace_cores(const struct placing *placing, bitstr_t *cores)
{
	step_record_t *step = placing->step;
	bitstr_t *used = step->job_ptr->job_resrcs->core_bitmap_used;

	if (!tb_step_is_counted()) {
		preset_cores(placing, cores);
		return;
	}
	if (!is_overlapping(step)) {
		bit_and_not(used, step->core_bitmap_job);
		bit_or(used, placing->others);
		bit_or(used, cores);
	}
	bit_copybits(step->core_bitmap_job, cores);
}

/* Give the step exactly the cores of its slots. */
static bool place_exact(const struct placing *placing)
{
	uint32_t per_task;
	bitstr_t *cores = pick_cores(placing, &per_task);
	bool placed = cores && charge_cpus(placing, per_task);

	if (placed)
		replace_cores(placing, cores);
	FREE_NULL_BITMAP(cores);
	return placed;
}

static void place_step(struct placing *placing)
{
	slurm_step_layout_t *layout = placing->step->step_layout;
	size_t size = sizeof(*placing->tasks) * placing->count;

	placing->tasks = xmalloc(size);
	memcpy(placing->tasks, layout->tasks, size);
	if (!placing->by_host)
		set_amount(placing);
	move_tasks(placing);
	if (is_exact(placing->step) && !place_exact(placing))
		return;
	if (tasks_moved(placing))
		tb_step_layout_set(layout, placing->tasks);
}

/* Has each node a task?  srun checks that, but other clients may not. */
static bool has_tasks(const slurm_step_layout_t *layout)
{
	if (!layout || !layout->node_cnt)
		return false;
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		if (!layout->tasks[i])
			return false;
	return true;
}

/* Has Slurm picked cores exactly where it does so before plugins are asked? */
static bool has_expected_cores(const step_record_t *step)
{
	bitstr_t *of_job = step->job_ptr->job_resrcs->core_bitmap;

	if (!tb_step_is_counted())
		return !step->core_bitmap_job;
	return step->core_bitmap_job &&
	       bit_size(step->core_bitmap_job) == bit_size(of_job);
}

static bool is_placeable(const step_record_t *step,
			 const struct tb_request *request)
{
	const job_resources_t *granted = step->job_ptr->job_resrcs;

	return is_normal(step) && has_tasks(step->step_layout) &&
	       step->step_node_bitmap && granted && granted->core_bitmap &&
	       granted->core_bitmap_used && !request->cpus &&
	       bit_size(granted->node_bitmap) == tb_node_count() &&
	       bit_size(step->step_node_bitmap) == tb_node_count() &&
	       has_expected_cores(step);
}

/*
 * In Slurm's books the job's cores that its steps have are used.  Overlapping steps
 * use none.
 */
static void write_used(const step_record_t *step, bitstr_t *others)
{
	bitstr_t *used = step->job_ptr->job_resrcs->core_bitmap_used;

	bit_copybits(used, others);
	if (step->core_bitmap_job && !is_overlapping(step))
		bit_or(used, step->core_bitmap_job);
}

void tb_step_place(step_record_t *step, const struct tb_request *request)
{
	struct placing placing = { .step = step, .request = *request };

	if (!is_placeable(step, request))
		return;
	placing.by_host = request->type == TB_HOST;
	if (placing.by_host) {
		/* Of parts any cores. */
		placing.request.type = TB_SLOT;
		placing.request.amount = 1;
		placing.request.nparts = 0;
	}
	placing.others = find_cores_of_others(step);
	if (!tb_step_is_counted())
		write_used(step, placing.others);
	placing.free_cores = bit_copy(step->job_ptr->job_resrcs->core_bitmap);
	bit_and_not(placing.free_cores, placing.others);
	if (find_step_nodes(&placing))
		place_step(&placing);
	xfree(placing.tasks);
	xfree(placing.parts);
	FREE_NULL_BITMAP(placing.others);
	FREE_NULL_BITMAP(placing.free_cores);
}

void tb_step_write_cores(const step_record_t *step)
{
	bitstr_t *others = find_cores_of_others(step);

	write_used(step, others);
	FREE_NULL_BITMAP(others);
}

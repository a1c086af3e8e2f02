/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "steps.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_steps.h"

#include "nodes.h"
#include "step_layout.h"

/* The step on one of its nodes. */
struct part {
	struct tb_shape *shape;
	uint32_t job_index; /* of the node among the job's */
	uint32_t first;     /* its first core among the job's */
	uint32_t cpus_per_core; /* that the step can use... */
	uint32_t threads;       /* ...and that Slurm counts as taken */
};

struct placing {
	step_record_t *step;
	struct tb_request request; /* for tb_place_again(), borrowed */
	bool by_host; /* tasks share units */
	bitstr_t *others; /* cores of the job's other steps, in job's order */
	uint32_t count;
	struct part *parts; /* in the order of the step's layout */
	uint16_t *tasks;
};

static bool is_exact(const step_record_t *step)
{
	return !(step->flags & SSF_WHOLE);
}

static bool overlaps(const step_record_t *step)
{
	return step->flags & SSF_OVERLAP_FORCE;
}

struct others {
	const step_record_t *step;
	bitstr_t *cores;
};

/* Scripts and shells are there beside the steps that they start. */
static bool is_normal(const step_record_t *step)
{
	return step->step_id.step_id <= SLURM_MAX_NORMAL_STEP_ID;
}

static int add_cores(void *item, void *arg)
{
	step_record_t *other = item;
	struct others *others = arg;

	if (other != others->step && other->core_bitmap_job &&
	    is_normal(other) && !overlaps(other) &&
	    bit_size(other->core_bitmap_job) == bit_size(others->cores))
		bit_or(others->cores, other->core_bitmap_job);
	return 0;
}

/*
 * The job's own core_bitmap_used also has what Slurm has just picked for this
 * step, and lacks what a step of all CPUs has.
 */
static bitstr_t *cores_of_others(const step_record_t *step)
{
	struct others others = { step, NULL };
	job_record_t *job = step->job_ptr;

	others.cores = bit_alloc(bit_size(job->job_resrcs->core_bitmap));
	if (!overlaps(step))
		list_for_each(job->step_list, add_cores, &others);
	return others.cores;
}

/* --threads-per-core of the step or of its job, and --hint=nomultithread. */
static uint32_t cpus_per_core(const step_record_t *step, uint32_t threads)
{
	const multi_core_data_t *job = step->job_ptr->details->mc_ptr;
	uint16_t asked = step->threads_per_core;

	if ((!asked || asked == NO_VAL16) && job)
		asked = job->threads_per_core;
	return asked && asked != NO_VAL16 ? MIN(asked, threads) : threads;
}

/* False when a node has no usable topology, or the layout is another. */
static bool find_parts(struct placing *placing)
{
	const step_record_t *step = placing->step;
	const job_resources_t *granted = step->job_ptr->job_resrcs;
	uint32_t nodes = step->step_layout->node_cnt, first = 0, index = 0;

	placing->parts = xcalloc(nodes, sizeof(*placing->parts));
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		struct part *part = &placing->parts[placing->count];

		if (!bit_test(granted->node_bitmap, node))
			continue;
		if (bit_test(step->step_node_bitmap, node)) {
			if (placing->count == nodes)
				return false;
			part->shape = tb_node_shape(node);
			part->job_index = index;
			part->first = first;
			part->threads =
				MAX(node_record_table_ptr[node]->tpc, 1);
			part->cpus_per_core =
				cpus_per_core(step, part->threads);
			if (!part->shape)
				return false;
			placing->count++;
		}
		first += node_record_table_ptr[node]->tot_cores;
		index++;
	}
	return placing->count == nodes &&
	       first == bit_size(granted->core_bitmap);
}

/* The job's threads on the node that no other step has: shape->threads. */
static void find_free(const struct placing *placing, const struct part *part)
{
	bitstr_t *granted = placing->step->job_ptr->job_resrcs->core_bitmap;
	struct tb_shape *shape = part->shape;

	tb_bitset_clear_all(shape->cores);
	for (uint32_t core = 0; core < shape->cores->nbits; core++)
		if (bit_test(granted, part->first + core) &&
		    !bit_test(placing->others, part->first + core))
			tb_bitset_set(shape->cores, core);
	tb_shape_threads(shape, shape->cores, shape->threads);
}

static uint32_t free_slots(const struct placing *placing,
			   const struct part *part)
{
	find_free(placing, part);
	return tb_place_again(part->shape->placer, &placing->request,
			      part->shape->threads);
}

static uint32_t cpus_of_cores(const struct part *part)
{
	return tb_bitset_count(part->shape->cores) * part->cpus_per_core;
}

/*
 * -c other than the job's asks for as many units as hold the CPUs, instead of
 * the job's slots.  Slurm does not tell whether it was given; -c1 says nothing.
 */
static void set_amount(struct placing *placing)
{
	const step_record_t *step = placing->step;
	const struct part *part = &placing->parts[0];
	struct tb_shape *shape = part->shape;
	uint32_t amount = placing->request.amount;

	if (!is_exact(step) || step->cpus_per_task <= 1 ||
	    step->cpus_per_task == step->job_ptr->details->cpus_per_task)
		return;
	placing->request.amount = 1;
	if (free_slots(placing, part)) {
		tb_placed_group(shape->placer, 0, shape->threads);
		tb_shape_cores(shape, shape->threads, shape->cores);
		amount = (step->cpus_per_task + cpus_of_cores(part) - 1) /
			 cpus_of_cores(part);
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
	    !tb_layout_is_free(step))
		return;
	slots = xcalloc(placing->count, sizeof(*slots));
	for (uint32_t i = 0; i < placing->count; i++) {
		slots[i] = free_slots(placing, &placing->parts[i]);
		fits = fits && placing->tasks[i] <= slots[i];
	}
	if (!fits && !tb_layout_fit(step->step_layout, slots, placing->tasks))
		memcpy(placing->tasks, step->step_layout->tasks,
		       sizeof(*placing->tasks) * placing->count);
	xfree(slots);
}

static bool tasks_moved(const struct placing *placing)
{
	return memcmp(placing->tasks, placing->step->step_layout->tasks,
		      sizeof(*placing->tasks) * placing->count) != 0;
}

/* Has a step on a node enough with these many groups, now in shape->cores? */
static bool suffices(const struct placing *placing, uint32_t index,
		     uint32_t groups)
{
	const step_record_t *step = placing->step;

	if (step->flags & SSF_OVERCOMMIT)
		return groups > 0;
	if (!placing->by_host)
		return groups >= placing->tasks[index];
	return groups > 0 &&
	       cpus_of_cores(&placing->parts[index]) >=
	       placing->tasks[index] * MAX(step->cpus_per_task, 1);
}

/* Has Slurm picked one of the cores that shape->threads are of? */
static bool was_picked(const struct placing *placing, const struct part *part)
{
	const struct tb_shape *shape = part->shape;

	for (uint32_t core = 0; core < shape->cores->nbits; core++) {
		uint32_t thread = shape->by_thread
			? core : tb_core_first_thread(shape->topology, core);

		if (tb_bitset_test(shape->threads, thread) &&
		    bit_test(placing->step->core_bitmap_job,
			     part->first + core))
			return true;
	}
	return false;
}

/*
 * The cores of as many free slots as needed: shape->cores.  False: too few.  For
 * a step with GRES Slurm has picked cores near them: their slots come first.
 */
static bool take_slots(const struct placing *placing, uint32_t index)
{
	const struct part *part = &placing->parts[index];
	struct tb_shape *shape = part->shape;
	uint32_t slots = free_slots(placing, part), taken = 0;
	bool has_gres = placing->step->gres_list_alloc;

	tb_bitset_clear_all(shape->used);
	tb_bitset_clear_all(shape->cores);
	for (uint32_t i = 0; i < 2 * slots; i++) {
		if (suffices(placing, index, taken))
			return true;
		tb_placed_group(shape->placer, i % slots, shape->threads);
		if ((has_gres && was_picked(placing, part)) != (i < slots))
			continue;
		tb_bitset_or(shape->used, shape->threads);
		tb_shape_cores(shape, shape->used, shape->cores);
		taken++;
	}
	return suffices(placing, index, taken);
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
		const struct part *part = &placing->parts[i];
		const struct tb_bitset *taken = part->shape->cores;

		if (!take_slots(placing, i)) {
			FREE_NULL_BITMAP(cores);
			return NULL;
		}
		for (unsigned core = tb_bitset_next(taken, 0);
		     core < taken->nbits;
		     core = tb_bitset_next(taken, core + 1))
			bit_set(cores, part->first + core);
		*per_task = MIN(*per_task,
				cpus_of_cores(part) / placing->tasks[i]);
	}
	return cores;
}

/* The CPUs that Slurm counts for a step on a node, and takes back in the end. */
static uint32_t counted_cpus(const struct part *part, uint32_t tasks,
			     uint32_t per_task)
{
	uint32_t cores = (tasks * per_task + part->cpus_per_core - 1) /
			 part->cpus_per_core;

	if (part->cpus_per_core == part->threads)
		return tasks * per_task;
	return cores * part->threads;
}

static bool count_cpus(const struct placing *placing, uint32_t index,
		       uint32_t per_task, bool commit)
{
	const step_record_t *step = placing->step;
	job_resources_t *books = step->job_ptr->job_resrcs;
	const struct part *part = &placing->parts[index];
	uint32_t node = part->job_index;
	uint32_t before = tb_step_counted(
		counted_cpus(part, step->step_layout->tasks[index],
			     step->cpus_per_task), part->threads);
	uint32_t after = tb_step_counted(
		counted_cpus(part, placing->tasks[index], per_task),
		part->threads);
	uint32_t used = books->cpus_used[node];

	if (used < before || used - before + after > books->cpus[node])
		return false;
	if (commit)
		books->cpus_used[node] = used - before + after;
	return true;
}

/* Memory by CPU goes with the CPUs. */
static bool count_memory(const struct placing *placing, uint32_t index,
			 uint32_t per_task, bool commit)
{
	const step_record_t *step = placing->step;
	job_resources_t *books = step->job_ptr->job_resrcs;
	uint32_t node = placing->parts[index].job_index;
	uint64_t before, after;

	if (!(step->pn_min_memory & MEM_PER_CPU) ||
	    (step->flags & SSF_MEM_ZERO) || !step->memory_allocated ||
	    !step->memory_allocated[index])
		return true;
	before = step->memory_allocated[index];
	after = (step->pn_min_memory & ~MEM_PER_CPU) *
		placing->tasks[index] * per_task;
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

static void tell_slurm(const struct placing *placing, uint32_t per_task)
{
	uint16_t *cpus = xcalloc(placing->count, sizeof(*cpus));

	for (uint32_t i = 0; i < placing->count; i++)
		cpus[i] = counted_cpus(&placing->parts[i], placing->tasks[i],
				       per_task);
	tb_step_set_cpus(placing->step, cpus);
	xfree(cpus);
}

/*
 * Count what the step uses of its job in Slurm's books when each task has
 * per_task CPUs.  False when some node has not got them; without commit nothing
 * is changed.
 */
static bool count(const struct placing *placing, uint32_t per_task, bool commit)
{
	for (uint32_t i = 0; i < placing->count; i++)
		if (!count_cpus(placing, i, per_task, commit) ||
		    !count_memory(placing, i, per_task, commit))
			return false;
	if (commit)
		tell_slurm(placing, per_task);
	return true;
}

static uint32_t all_counted_cpus(const struct placing *placing)
{
	uint32_t cpus = 0;

	for (uint32_t i = 0; i < placing->count; i++)
		cpus += counted_cpus(&placing->parts[i], placing->tasks[i],
				     placing->step->cpus_per_task);
	return cpus;
}

/*
 * Count the CPUs of whole slots as used, so that other steps wait for them; as
 * Slurm had them where that cannot be.  False: not even that, as tasks moved.
 */
static bool charge(const struct placing *placing, uint32_t per_task)
{
	step_record_t *step = placing->step;

	if (overlaps(step) || (step->flags & SSF_OVERCOMMIT))
		return true;
	if (per_task > step->cpus_per_task && count(placing, per_task, false)) {
		count(placing, per_task, true);
		step->cpus_per_task = per_task;
		step->cpu_count = all_counted_cpus(placing);
		return true;
	}
	if (!tasks_moved(placing))
		return true;
	return count(placing, step->cpus_per_task, false) &&
	       count(placing, step->cpus_per_task, true);
}

static void replace_cores(const struct placing *placing, bitstr_t *cores)
{
	step_record_t *step = placing->step;
	bitstr_t *used = step->job_ptr->job_resrcs->core_bitmap_used;

	if (!overlaps(step)) {
		bit_and_not(used, step->core_bitmap_job);
		bit_or(used, placing->others);
		bit_or(used, cores);
	}
	bit_copybits(step->core_bitmap_job, cores);
}

/* The step's share of the job, on exact cores. */
static bool place_exact(const struct placing *placing)
{
	uint32_t per_task;
	bitstr_t *cores = pick_cores(placing, &per_task);
	bool placed = cores && charge(placing, per_task);

	if (placed)
		replace_cores(placing, cores);
	FREE_NULL_BITMAP(cores);
	return placed;
}

static void place(struct placing *placing)
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
		tb_layout_set(layout, placing->tasks);
}

/* On each node at least one; srun sees to that, another client need not. */
static bool has_tasks(const slurm_step_layout_t *layout)
{
	if (!layout || !layout->node_cnt)
		return false;
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		if (!layout->tasks[i])
			return false;
	return true;
}

static bool is_placeable(const step_record_t *step,
			 const struct tb_request *request)
{
	const job_resources_t *granted = step->job_ptr->job_resrcs;

	return is_normal(step) && has_tasks(step->step_layout) &&
	       step->step_node_bitmap && step->core_bitmap_job &&
	       granted && granted->core_bitmap_used && !request->cpus &&
	       bit_size(granted->node_bitmap) == tb_node_count() &&
	       bit_size(step->step_node_bitmap) == tb_node_count() &&
	       bit_size(step->core_bitmap_job) ==
		       bit_size(granted->core_bitmap);
}

void tb_step_place(step_record_t *step, const struct tb_request *request)
{
	struct placing placing = { .step = step, .request = *request };

	if (!is_placeable(step, request))
		return;
	placing.by_host = request->type == TB_HOST;
	if (placing.by_host) {
		placing.request.type = TB_SLOT;
		placing.request.amount = 1;
	}
	placing.others = cores_of_others(step);
	if (find_parts(&placing))
		place(&placing);
	xfree(placing.tasks);
	xfree(placing.parts);
	FREE_NULL_BITMAP(placing.others);
}

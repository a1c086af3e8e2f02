/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offers.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/implicit.h"
#include "core/plan/suffice.h"
#include "core/topology/fragmentation.h"

#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/order/node_facts.h"
#include "scale.h"
#include "select_topobind/books/sharing.h"
#include "unit_sizes.h"

/* The CPUs that Slurm counts for a set of threads of the node.  Changes cores. */
static uint32_t count_cpus(const struct tb_offers *offers,
			   const job_record_t *job, uint32_t node,
			   const struct tb_shape *shape,
			   const struct tb_bitset *threads,
			   struct tb_bitset *cores)
{
	uint32_t per_core = tb_cpus_per_core(job, node);

	/* Slots of threads can share a core; whole cores are the host's. */
	if (offers->request->unit.letter == 'T' &&
	    offers->request->type == TB_SLOT &&
	    per_core == node_record_table_ptr[node]->tpc)
		return tb_bitset_count(threads);
	tb_shape_cores(shape, threads, cores);
	return tb_bitset_count(cores) * per_core;
}

/* Likewise of placed threads, only those on which tasks run.  Changes both sets. */
static uint32_t count_task_cpus(const struct tb_offers *offers,
				const job_record_t *job, uint32_t node,
				const struct tb_shape *shape,
				struct tb_bitset *threads,
				struct tb_bitset *cores)
{
	uint32_t cpus, left;

	tb_placed_drop_masked(shape->placer, threads);
	cpus = count_cpus(offers, job, node, shape, threads, cores);
	left = tb_bitset_count(threads);
	return tb_cpus_per_core(job, node) == node_record_table_ptr[node]->tpc
		       ? MIN(cpus, left)
		       : cpus;
}

/* How many units hold the CPUs of one task of an implicitly bound job? */
static uint32_t count_units_per_task(const struct tb_offers *offers,
				     const struct tb_test *test, uint32_t node,
				     struct tb_shape *shape,
				     struct tb_scratch *scratch)
{
	uint32_t unit_cpus;

	if (tb_sharing_place(shape, test, offers->request, NULL, 1, scratch) <=
	    0)
		return 0;
	tb_bitset_assign(scratch->threads, tb_placed_threads(shape->placer));
	unit_cpus = count_task_cpus(offers, test->job, node, shape,
				    scratch->threads, scratch->cores);
	return tb_implicit_units(test->implicit_cpus, unit_cpus);
}

/* For so many tasks that have their units together; 0: each slot has its own. */
static struct tb_affinity *find_affinity(const struct tb_offers *offers,
					 uint32_t node, struct tb_shape *shape,
					 uint32_t tasks,
					 struct tb_bitset *cores)
{
	return offers->devices ? tb_devices_find(offers->devices, node, shape,
						 offers->view, tasks, cores)
			       : NULL;
}

/* The units of all tasks of an implicitly bound job on a node at once. */
struct implicit {
	const struct tb_offers *offers;
	const struct tb_test *test;
	uint32_t node;
	struct tb_shape *shape;
	struct tb_scratch *scratch;
	struct tb_request whole; /* borrows its filter */
	uint32_t per_task;	 /* units */
	uint32_t placed;	 /* the tasks of the last placement */
};

/* The more tasks there are, the more units and devices they need. */
static bool tasks_fit(void *arg, uint32_t tasks)
{
	struct implicit *implicit = arg;
	struct tb_affinity *affinity = find_affinity(implicit->offers,
						     implicit->node,
						     implicit->shape, tasks,
						     implicit->scratch->cores);

	implicit->whole.amount = tasks * implicit->per_task;
	implicit->placed = tasks;
	return tb_sharing_place(implicit->shape, implicit->test,
				&implicit->whole, affinity, tasks,
				implicit->scratch) > 0;
}

/*
 * Each task by itself.  Together their units are taken where they lie closest, which
 * can be near too few of the devices that they must all be near.
 */
static uint32_t place_apart(const struct implicit *implicit, uint32_t tasks)
{
	const struct tb_offers *offers = implicit->offers;
	struct tb_request each = *offers->request; /* borrows its filter */
	int count;

	each.type = TB_SLOT;
	each.amount = implicit->per_task;
	count = tb_sharing_place(implicit->shape, implicit->test, &each,
				 find_affinity(offers, implicit->node,
					       implicit->shape, 0,
					       implicit->scratch->cores),
				 tasks, implicit->scratch);
	return count > 0 ? count : 0;
}

/* As host type places them, for as many of the tasks as there are units for. */
static uint32_t place_together(struct implicit *implicit, uint32_t tasks)
{
	const struct tb_offers *offers = implicit->offers;
	uint32_t available = tb_units_available(implicit->shape->topology,
						implicit->whole.unit,
						implicit->scratch->used,
						tb_scratch_masked(
							implicit->scratch));
	uint32_t most = tb_implicit_most(tasks, implicit->per_task, available,
					 tasks_fit, implicit);

	if (most < MIN(tasks, available / implicit->per_task) &&
	    tb_devices_must_be_near(offers->devices)) {
		uint32_t apart = place_apart(implicit, tasks);

		if (apart > most)
			return apart;
		implicit->placed = 0;
	}
	if (most && implicit->placed != most)
		tasks_fit(implicit, most);
	return most;
}

static int place_implicit(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t node,
			  struct tb_shape *shape, uint32_t tasks,
			  struct tb_scratch *scratch)
{
	struct implicit implicit = { .offers = offers,
				     .test = test,
				     .node = node,
				     .shape = shape,
				     .scratch = scratch,
				     .whole = *offers->request };

	implicit.per_task = count_units_per_task(offers, test, node, shape,
						 scratch);
	implicit.whole.type = TB_HOST;
	return implicit.per_task ? place_together(&implicit, tasks) : 0;
}

/* So many tasks have their units together; 0: each slot has its own. */
static uint32_t count_joint_tasks(const struct tb_offers *offers,
				  const struct tb_test *test, uint32_t slots)
{
	if (test->implicit_cpus)
		return slots;
	return offers->request->type == TB_HOST;
}

/* Nobody can have these threads: they count as in use. */
static void take_out_threads(const struct tb_test *test,
			     const struct tb_bitset *threads,
			     struct tb_scratch *scratch)
{
	tb_bitset_or(scratch->used, threads);
	if (!test->share)
		return;
	TB_BITSET_EACH(thread, threads)
		scratch->holders[thread].jobs = TB_SHARE_NEVER;
}

/* Units with masked threads hold too few CPUs for a task. */
static void take_out_masked_units(const struct tb_offers *offers,
				  const struct tb_test *test,
				  const struct tb_shape *shape,
				  struct tb_scratch *scratch)
{
	const struct tb_request *request = offers->request;
	struct tb_bitset *masked = scratch->masked;

	if (!scratch->is_masked)
		tb_bitset_clear_all(masked);
	if (request->filter &&
	    tb_filter_matches(request->filter, shape->topology))
		tb_filter_add(request->filter, shape->topology, masked);
	scratch->is_masked = true;
	tb_bitset_clear_all(scratch->threads);
	tb_units_add_masked(shape->topology, request->unit, masked,
			    scratch->threads);
	take_out_threads(test, scratch->threads, scratch);
}

/* With what scratch says is used; how many slots, or less than 1. */
static int place_slots(const struct tb_offers *offers,
		       const struct tb_test *test, const struct tb_offer *offer,
		       struct tb_shape *shape, uint32_t slots,
		       struct tb_scratch *scratch)
{
	uint32_t joint = count_joint_tasks(offers, test, slots);

	if (offer->unit_size)
		tb_unit_size_only(shape, offers->request->unit,
				  offer->unit_size,
				  offers->request->type == TB_HOST ||
					  offer->unequal,
				  test->share, scratch);
	if (offer->whole)
		take_out_masked_units(offers, test, shape, scratch);
	if (test->implicit_cpus)
		return place_implicit(offers, test, offer->node, shape, slots,
				      scratch);
	return tb_sharing_place(shape, test, offers->request,
				find_affinity(offers, offer->node, shape, joint,
					      scratch->cores),
				slots, scratch);
}

/*
 * Have all slots equally many CPUs?  Slots of threads share cores.  Units that lie
 * inside others are not of one size, whatever their cores say.
 */
static bool slots_are_alike(const struct tb_offers *offers,
			    const job_record_t *job, uint32_t node,
			    struct tb_shape *shape, struct tb_scratch *scratch,
			    uint32_t cpus)
{
	const struct tb_request *request = offers->request;

	return !request->cpus && request->unit.letter != 'T' &&
	       !tb_unit_size_after(shape, request->unit, 0) &&
	       count_cpus(offers, job, node, shape,
			  tb_placed_threads(shape->placer), scratch->cores) ==
		       cpus * tb_placed_groups(shape->placer);
}

/*
 * How many of the placed slots, from the first on, are as large as the first.
 * Where units differ in size only those can be asked for in one go.
 */
static uint32_t count_equal_slots(const struct tb_offers *offers,
				  const job_record_t *job, uint32_t node,
				  struct tb_shape *shape,
				  struct tb_scratch *scratch, uint32_t *cpus)
{
	struct tb_bitset *slot = scratch->threads;
	uint32_t groups = tb_placed_groups(shape->placer), equal;

	tb_placed_group(shape->placer, 0, slot);
	*cpus = count_cpus(offers, job, node, shape, slot, scratch->cores);
	if (slots_are_alike(offers, job, node, shape, scratch, *cpus))
		return groups;
	for (equal = 1; equal < groups; equal++) {
		tb_placed_group(shape->placer, equal, slot);
		if (count_cpus(offers, job, node, shape, slot,
			       scratch->cores) != *cpus)
			break;
	}
	return equal;
}

/* Where they may be unequal. */
static void find_extremes(const struct tb_offers *offers,
			  const job_record_t *job, uint32_t node,
			  struct tb_shape *shape, struct tb_scratch *scratch,
			  struct tb_placed *placed)
{
	placed->least = placed->largest = placed->cpus;
	for (uint32_t i = placed->equal; i < placed->slots; i++) {
		uint32_t cpus;

		tb_placed_group(shape->placer, i, scratch->threads);
		cpus = count_cpus(offers, job, node, shape, scratch->threads,
				  scratch->cores);
		placed->least = MIN(placed->least, cpus);
		placed->largest = MAX(placed->largest, cpus);
	}
}

/* With a mask: of the slots that count, the one on which fewest CPUs run tasks. */
static uint32_t find_fewest_task_cpus(const struct tb_offers *offers,
				      const struct tb_test *test, uint32_t node,
				      struct tb_shape *shape,
				      struct tb_scratch *scratch,
				      const struct tb_placed *placed)
{
	uint32_t count = offers->request->equal == TB_UNEQUAL ? placed->slots
							      : placed->equal;
	uint32_t fewest = placed->cpus;

	if (test->implicit_cpus ||
	    !(scratch->is_masked || offers->request->filter))
		return fewest;
	for (uint32_t i = 0; i < count; i++) {
		tb_placed_group(shape->placer, i, scratch->threads);
		fewest = MIN(fewest,
			     count_task_cpus(offers, test->job, node, shape,
					     scratch->threads, scratch->cores));
	}
	return fewest;
}

static void size_slots(const struct tb_offers *offers,
		       const struct tb_test *test, uint32_t node,
		       struct tb_shape *shape, struct tb_scratch *scratch,
		       struct tb_placed *placed)
{
	if (test->implicit_cpus) {
		placed->equal = placed->slots;
		placed->cpus = count_cpus(offers, test->job, node, shape,
					  tb_placed_threads(shape->placer),
					  scratch->cores) /
			       placed->slots;
	} else {
		placed->equal = count_equal_slots(offers, test->job, node,
						  shape, scratch,
						  &placed->cpus);
		if (offers->request->equal == TB_UNEQUAL)
			find_extremes(offers, test->job, node, shape, scratch,
				      placed);
	}
	placed->runs = find_fewest_task_cpus(offers, test, node, shape, scratch,
					     placed);
}

/* How well the placed units fit a node with so much used; they are added to it. */
static void describe_fit(const struct tb_test *test,
			 const struct tb_shape *shape,
			 struct tb_scratch *scratch, struct tb_placed *placed)
{
	const struct tb_bitset *threads = tb_placed_threads(shape->placer);
	struct tb_bitset *used = scratch->used, *not_free = scratch->threads;
	enum tb_allocation policy = test->choice ? test->choice->policy
						 : TB_ALLOCATE_SLURM;

	if (!tb_policy_looks_at_fit(policy))
		return;
	placed->diameter = tb_diameter(shape->topology, threads);
	tb_bitset_assign(not_free, used);
	if (scratch->is_masked) {
		tb_bitset_or(not_free, scratch->masked);
		tb_bitset_andnot(used, scratch->masked);
	}
	placed->broken = -(int32_t)tb_broken_containers(shape->topology, used,
							not_free);
	tb_bitset_or(used, threads);
	tb_bitset_or(not_free, threads);
	placed->broken += tb_broken_containers(shape->topology, used, not_free);
	placed->left = not_free->nbits - tb_bitset_count(not_free);
}

/* A placement whose memory must fit. */
struct in_memory {
	const struct tb_offers *offers;
	const struct tb_test *test;
	const struct tb_offer *offer;
	struct tb_shape *shape;
	struct tb_scratch *scratch;
	uint32_t slots;
	struct tb_placed *placed;
	uint32_t tries;
};

static int try_in_memory(void *arg, const struct tb_bitset *blocked,
			 struct tb_bitset *placed)
{
	struct in_memory *try = arg;
	int count;

	tb_shape_threads(try->shape, blocked, try->scratch->threads);
	take_out_threads(try->test, try->scratch->threads, try->scratch);
	count = place_slots(try->offers, try->test, try->offer, try->shape,
			    try->slots, try->scratch);
	/* Of the others, not of those that lack memory. */
	if (!try->tries++)
		try->placed->could_be_more =
			tb_sharing_could_be_more(try->scratch, try->test);
	if (count > 0)
		tb_shape_cores(try->shape,
			       tb_placed_threads(try->shape->placer), placed);
	return count;
}

/* With what scratch says is used; sets could_be_more and lacks_memory. */
static int place_in_memory(const struct tb_offers *offers,
			   const struct tb_test *test,
			   const struct tb_offer *offer, struct tb_shape *shape,
			   uint32_t slots, struct tb_scratch *scratch,
			   struct tb_placed *placed)
{
	struct in_memory try = { offers,  test,	 offer,	 shape,
				 scratch, slots, placed, 0 };
	struct tb_local_memory memory;
	int count;

	if (tb_node_memory_find(offers->memory, offer->node, shape, scratch,
				&memory)) {
		count = tb_memory_place(&memory, try_in_memory, &try);
		placed->lacks_memory = try.tries > 1;
		return count;
	}
	count = place_slots(offers, test, offer, shape, slots, scratch);
	placed->could_be_more = tb_sharing_could_be_more(scratch, test);
	return count;
}

/* With what scratch says is used, and room for placed->cores. */
static void place_and_describe(const struct tb_offers *offers,
			       const struct tb_test *test,
			       const struct tb_offer *offer,
			       struct tb_shape *shape, uint32_t slots,
			       struct tb_scratch *scratch,
			       struct tb_placed *placed)
{
	int count = place_in_memory(offers, test, offer, shape, slots, scratch,
				    placed);

	if (count <= 0)
		return;
	placed->slots = offers->request->type == TB_HOST ? 1 : count;
	size_slots(offers, test, offer->node, shape, scratch, placed);
	tb_shape_cores(shape, tb_placed_threads(shape->placer), scratch->cores);
	tb_bitset_assign(&placed->cores, scratch->cores);
	describe_fit(test, shape, scratch, placed);
	if (placed->taken)
		tb_devices_get_taken(offers->devices, placed->taken);
}

/* Valid until the next node is looked at. */
static const struct tb_placed *
place_once(struct tb_offers *offers, const struct tb_test *test,
	   const struct tb_offer *offer, struct tb_shape *shape, uint32_t slots,
	   struct tb_scratch *scratch)
{
	struct tb_placed *placed = &offers->last;

	*placed = (struct tb_placed){ .cores = *scratch->placed };
	tb_sharing_used(offer->node, shape, offers->view, test, offers->request,
			scratch);
	place_and_describe(offers, test, offer, shape, slots, scratch, placed);
	return placed;
}

/* Which cores the job cannot have, or who has them.  Changes scratch->cores. */
static const struct tb_bitset *find_state(const struct tb_offers *offers,
					  const struct tb_test *test,
					  const struct tb_offer *offer,
					  const struct tb_shape *shape,
					  struct tb_scratch *scratch)
{
	if (test->share)
		return tb_sharing_state(offer->node, shape, offers->view, test,
					scratch);
	tb_node_taken(offer->node, offers->view, test, scratch->cores);
	return scratch->cores;
}

/* All that a placement depends on, except what is the same for all nodes. */
static struct tb_memo_key make_key(const struct tb_offers *offers,
				   const struct tb_test *test,
				   const struct tb_offer *offer,
				   const struct tb_shape *shape, uint32_t slots,
				   const struct tb_affinity *affinity,
				   const struct tb_bitset *taken)
{
	return (struct tb_memo_key) {
		.shape = shape,
		.filter = tb_node_filter(offer->node, shape, offers->filter),
		.numbers = {
			slots,
			offer->unit_size << 2 | offer->whole << 1 |
				(offer->unequal != 0),
			tb_cpus_per_core(test->job, offer->node) << 16 |
				node_record_table_ptr[offer->node]->tpc,
			test->share,
		},
		.cores = offers->devices ? tb_devices_state(offers->devices,
							    affinity, taken)
					 : taken,
	};
}

/* Of a job that needs memory of NUMA nodes also how much is free there. */
static const struct tb_bitset *
add_memory_state(const struct tb_offers *offers, const struct tb_offer *offer,
		 const struct tb_shape *shape, uint32_t slots,
		 const struct tb_bitset *words, struct tb_scratch *scratch)
{
	struct tb_local_memory memory;

	return tb_node_memory_find(offers->memory, offer->node, shape, scratch,
				   &memory)
		       ? tb_node_memory_state(offers->memory, &memory, slots,
					      words)
		       : words;
}

/* A remembered placement, as if it had just been made. */
static const struct tb_placed *recall(const struct tb_offers *offers,
				      const struct tb_placed *placed)
{
	if (placed->taken)
		tb_devices_set_taken(offers->devices, placed->taken);
	return placed;
}

/* The memory of a new one; false: there is none. */
static bool make_placed(const struct tb_offers *offers,
			const struct tb_shape *shape, struct tb_placed *placed)
{
	uint32_t pools = offers->devices ? tb_devices_pools(offers->devices)
					 : 0;

	placed->cores.nbits = shape->ncores;
	if (pools)
		placed->taken = tb_memo_keep(offers->memo,
					     pools * sizeof(*placed->taken));
	return (!pools || placed->taken) &&
	       tb_memo_make_set(offers->memo, &placed->cores);
}

const struct tb_placed *tb_offers_place(struct tb_offers *offers,
					const struct tb_test *test,
					const struct tb_offer *offer,
					struct tb_shape *shape, uint32_t slots)
{
	struct tb_scratch *scratch = shape->scratch;
	const struct tb_bitset *taken;
	struct tb_affinity *affinity;
	struct tb_placed *placed;
	struct tb_memo_key key;
	bool is_new;

	if (offers->devices)
		tb_devices_assume(offers->devices, offer->devices);
	if (!offers->memo)
		return place_once(offers, test, offer, shape, slots, scratch);
	affinity = find_affinity(offers, offer->node, shape,
				 count_joint_tasks(offers, test, slots),
				 scratch->cores);
	taken = find_state(offers, test, offer, shape, scratch);
	key = make_key(offers, test, offer, shape, slots, affinity, taken);
	key.cores = add_memory_state(offers, offer, shape, slots, key.cores,
				     scratch);
	placed = tb_memo_find(offers->memo, &key, &is_new);
	if (placed && !is_new)
		return recall(offers, placed);
	if (!placed || !make_placed(offers, shape, placed))
		return place_once(offers, test, offer, shape, slots, scratch);
	tb_sharing_used(offer->node, shape, offers->view, test, offers->request,
			scratch);
	place_and_describe(offers, test, offer, shape, slots, scratch, placed);
	return placed;
}

static bool is_short_of(uint16_t wanted, uint16_t there)
{
	return wanted != NO_VAL16 && wanted > there;
}

/* --sockets-per-node, --cores-per-socket, --threads-per-core, -B. */
static bool node_is_large_enough(uint32_t node, const job_record_t *job)
{
	const multi_core_data_t *wanted = job->details->mc_ptr;
	const node_record_t *record = node_record_table_ptr[node];

	return !wanted ||
	       !(is_short_of(wanted->sockets_per_node, record->tot_sockets) ||
		 is_short_of(wanted->cores_per_socket, record->cores) ||
		 is_short_of(wanted->threads_per_core, record->tpc));
}

static bool node_is_offered(const struct tb_offers *offers,
			    const struct tb_test *test, uint32_t node,
			    const struct tb_shape *shape)
{
	return shape && node_is_large_enough(node, test->job) &&
	       (!tb_wants_whole_nodes(test->job) ||
		tb_view_node_idle(offers->view, node));
}

/* Another offer of the node in its class has the same slots, and as many. */
static bool is_needless(const struct tb_offers *offers,
			const struct tb_offer *offer)
{
	const struct tb_offer *own = offers->list + offers->count;

	while (own > offers->list && own[-1].node == offer->node) {
		own--;
		if (own->larger == offer->larger && !offer->unequal &&
		    own->cpus == offer->cpus && own->slots >= offer->slots)
			return true;
	}
	return false;
}

static void add_offer(struct tb_offers *offers, const struct tb_offer *offer)
{
	if (is_needless(offers, offer))
		return;
	if (offers->count == offers->room) {
		offers->room *= 2;
		xrecalloc(offers->list, offers->room, sizeof(*offers->list));
	}
	offers->list[offers->count++] = *offer;
}

/* Do fewer or more devices of those for all nodes let it have more slots? */
static bool can_vary_devices(const struct tb_offers *offers)
{
	struct tb_devices_asked asked;

	return offers->request->type == TB_SLOT &&
	       tb_devices_must_be_near(offers->devices) &&
	       tb_devices_asked_one(offers->devices, &asked) && asked.per_job &&
	       tb_devices_are_for_nodes(offers->devices);
}

/*
 * The placement with most slots: near the node's share of the devices for all nodes,
 * near all of its free ones, or near one.
 */
static const struct tb_placed *
place_most(struct tb_offers *offers, const struct tb_test *test,
	   struct tb_offer *offer, struct tb_shape *shape, uint32_t slots)
{
	const struct tb_placed *placed = tb_offers_place(offers, test, offer,
							 shape, slots);
	uint32_t most = placed->equal, number[] = { 0, 1 };

	if (most >= slots || !can_vary_devices(offers))
		return placed;
	number[0] = tb_devices_free(offers->devices);
	for (int i = 0; i < 2 && most < slots; i++) {
		struct tb_offer other = *offer;

		other.devices = number[i];
		placed = tb_offers_place(offers, test, &other, shape, slots);
		if (placed->equal <= most)
			continue;
		most = placed->equal;
		offer->devices = number[i];
	}
	return tb_offers_place(offers, test, offer, shape, slots);
}

/* Leaving out units with masked threads, where slots with them hold no task. */
static const struct tb_placed *
place_tasks(struct tb_offers *offers, const struct tb_test *test,
	    struct tb_offer *offer, struct tb_shape *shape, uint32_t slots)
{
	const struct tb_placed *placed = place_most(offers, test, offer, shape,
						    slots);

	if (!placed->slots ||
	    placed->runs >= test->job->details->cpus_per_task ||
	    offers->request->type == TB_HOST)
		return placed;
	offer->whole = true;
	return place_most(offers, test, offer, shape, slots);
}

/* What the node offers in units of one size; 0: of any size.  False: nothing. */
static bool find_offer(struct tb_offers *offers, const struct tb_test *test,
		       uint32_t node, struct tb_shape *shape,
		       uint32_t unit_size, struct tb_offer *offer)
{
	const struct tb_placed *placed;
	uint32_t slots, cpus;

	*offer = (struct tb_offer){ .node = node, .unit_size = unit_size };
	placed = place_tasks(offers, test, offer, shape,
			     tb_job_slots_per_node(test->job));
	slots = placed->equal;
	cpus = placed->cpus;

	offers->could_be_more |= placed->could_be_more;
	offers->without_memory += !slots && placed->lacks_memory;
	if (!slots)
		return false;
	if (placed->runs < test->job->details->cpus_per_task)
		return false;
	/* -c must fit into a slot's units, and Slurm counts in 16 bits. */
	if (cpus < test->job->details->cpus_per_task || cpus >= NO_VAL16)
		return false;
	if (cpus * slots < tb_job_cpus_per_node(test->job))
		return false;
	offer->slots = tb_partition_limit_slots(offers->limit, node, slots,
						cpus);
	offer->cpus = cpus;
	offer->runs = placed->runs;
	offers->limited += offer->slots < slots;
	if (!offer->slots)
		return false;
	if (offers->memo && offer->slots == placed->slots)
		offer->placed = placed;
	return true;
}

/* The CPUs that hold all tasks of a job; where others hold some: any number. */
static uint32_t count_cpus_on_one_node(const struct tb_test *test)
{
	const job_details_t *details = test->job->details;

	return test->max_nodes == 1 && !details->overcommit
		       ? tb_job_slots(test->job) *
				 MAX(details->cpus_per_task, 1)
		       : UINT32_MAX;
}

/*
 * The first units of the node can be too small: leave out small ones until it
 * holds all tasks, or as many as it can.
 */
static void offer_larger_units(struct tb_offers *offers,
			       const struct tb_test *test, uint32_t node)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job);
	uint32_t enough = count_cpus_on_one_node(test), size = 0;
	struct tb_offer offer, best = { 0 };

	if (!node_is_offered(offers, test, node, shape))
		return;
	do {
		if (best.cpus < enough &&
		    find_offer(offers, test, node, shape, size, &offer) &&
		    offer.cpus > best.cpus)
			best = offer;
		size = tb_unit_size_after(shape, offers->request->unit, size);
	} while (size);
	best.larger = true;
	if (best.slots)
		add_offer(offers, &best);
}

/* Returns whether a host could have larger units than the offered ones. */
static bool offer_node(struct tb_offers *offers, const struct tb_test *test,
		       uint32_t node)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job);
	const struct tb_request *request = offers->request;
	uint32_t size = 0;
	struct tb_offer offer;

	if (!node_is_offered(offers, test, node, shape))
		return false;
	if (find_offer(offers, test, node, shape, 0, &offer))
		add_offer(offers, &offer);
	if (request->cpus || test->implicit_cpus)
		return false;
	if (request->type == TB_HOST)
		return tb_unit_size_after(shape, request->unit, 0);
	while ((size = tb_unit_size_after(shape, request->unit, size)))
		if (find_offer(offers, test, node, shape, size, &offer))
			add_offer(offers, &offer);
	return false;
}

static void offer_nodes(struct tb_offers *offers, const struct tb_test *test)
{
	bool differ = false;

	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(test->nodes, node))
			differ = offer_node(offers, test, node) || differ;
	for (uint32_t node = 0; differ && node < tb_node_count(); node++)
		if (bit_test(test->nodes, node))
			offer_larger_units(offers, test, node);
}

/* Without units with masked threads where these make slots too small. */
static const struct tb_placed *
place_unequal(struct tb_offers *offers, const struct tb_test *test,
	      struct tb_offer *offer, struct tb_shape *shape, uint32_t slots)
{
	const struct tb_placed *placed = tb_offers_place(offers, test, offer,
							 shape, slots);

	if (!placed->slots || placed->runs >= placed->least ||
	    placed->runs >= test->job->details->cpus_per_task)
		return placed;
	offer->whole = true;
	return tb_offers_place(offers, test, offer, shape, slots);
}

/*
 * All slots of the node, whatever their size: small units are left out until the
 * smallest slot holds a task.
 */
static void offer_unequal_slots(struct tb_offers *offers,
				const struct tb_test *test, uint32_t node)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job);
	uint32_t slots = tb_job_slots_per_node(test->job);
	struct tb_offer offer = { .node = node };
	const struct tb_placed *placed;

	if (!node_is_offered(offers, test, node, shape))
		return;
	offer.unequal = tb_cpus_per_core(test->job, node);
	do {
		placed = place_unequal(offers, test, &offer, shape, slots);
		if (placed->slots && MIN(placed->least, placed->runs) >=
					     test->job->details->cpus_per_task)
			break;
		offer.unit_size = tb_unit_size_after(shape,
						     offers->request->unit,
						     offer.unit_size);
	} while (offer.unit_size);
	if (!placed->slots ||
	    MIN(placed->least, placed->runs) <
		    test->job->details->cpus_per_task ||
	    placed->largest >= NO_VAL16 ||
	    placed->least * placed->slots < tb_job_cpus_per_node(test->job))
		return;
	offer.cpus = placed->least;
	offer.slots = tb_partition_limit_slots(offers->limit, node,
					       placed->slots, placed->largest);
	offers->limited += offer.slots < placed->slots;
	if (offer.slots)
		add_offer(offers, &offer);
}

/*
 * Of the offers from first on, set the CPUs to those of the smallest slot on all nodes
 * that have as many CPUs for a core.
 */
static void share_least_cpus(struct tb_offers *offers, uint32_t first)
{
	uint32_t most = 0, *least;

	for (uint32_t i = first; i < offers->count; i++)
		most = MAX(most, offers->list[i].unequal);
	least = xcalloc(most + 1, sizeof(*least));
	for (uint32_t i = first; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];
		uint32_t *own = &least[offer->unequal];

		*own = *own ? MIN(*own, offer->cpus) : offer->cpus;
	}
	for (uint32_t i = first; i < offers->count; i++)
		offers->list[i].cpus = least[offers->list[i].unequal];
	xfree(least);
}

/*
 * The last classes: select/cons_tres counts equal slots, so each is offered as the
 * smallest one, and pass 2 asks for all of their cores.  GRES are chosen by what a
 * task asks for, so jobs with some have equal slots.
 */
static void offer_unequal(struct tb_offers *offers, const struct tb_test *test)
{
	uint32_t first = offers->count;

	if (offers->request->equal == TB_EQUAL || test->implicit_cpus ||
	    test->job->gres_list_req)
		return;
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(test->nodes, node))
			offer_unequal_slots(offers, test, node);
	share_least_cpus(offers, first);
}

/*
 * First offers of units of any size, then those of one size only, and then of
 * unequal ones.
 */
static int compare_sizes(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;

	if (a->unequal != b->unequal)
		return a->unequal < b->unequal ? -1 : 1;
	if (!a->unequal && !a->unit_size != !b->unit_size)
		return a->unit_size ? 1 : -1;
	if (a->cpus != b->cpus)
		return a->cpus < b->cpus ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

static void sort_offers(struct tb_offers *offers)
{
	for (uint32_t i = 1; i < offers->count; i++)
		if (compare_sizes(&offers->list[i - 1], &offers->list[i]) > 0) {
			qsort(offers->list, offers->count,
			      sizeof(*offers->list), compare_sizes);
			return;
		}
}

struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view)
{
	struct tb_offers *offers = xmalloc(sizeof(*offers));

	offers->request = request;
	offers->view = view;
	offers->devices = tb_devices_create(test);
	offers->limit = tb_partition_limit_create(test, view);
	offers->memory = tb_node_memory_create(test, request, view);
	offers->filter = tb_job_filter(test->job);
	offers->memo = test->memo;
	offers->room = bit_set_count(test->nodes) + 1;
	offers->list = xcalloc(offers->room, sizeof(*offers->list));
	offer_nodes(offers, test);
	offer_unequal(offers, test);
	if (request->type == TB_SLOT)
		sort_offers(offers);
	return offers;
}

void tb_offers_destroy(struct tb_offers *offers)
{
	if (!offers)
		return;
	tb_devices_destroy(offers->devices);
	tb_node_memory_destroy(offers->memory);
	tb_partition_limit_destroy(offers->limit);
	xfree(offers->list);
	xfree(offers);
}

uint32_t tb_offers_class(const struct tb_offers *offers, uint32_t next)
{
	const struct tb_offer *own = &offers->list[next];
	uint32_t end = next;

	if (next >= offers->count)
		return 0;
	while (offers->request->type == TB_HOST && end < offers->count &&
	       offers->list[end].larger == own->larger)
		end++;
	while (offers->request->type == TB_SLOT && end < offers->count &&
	       offers->list[end].cpus == own->cpus &&
	       offers->list[end].unequal == own->unequal &&
	       (own->unequal ||
		!offers->list[end].unit_size == !own->unit_size))
		end++;
	return end;
}

uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end)
{
	uint32_t cpus = offers->list[first].cpus;

	for (uint32_t i = first; i < end; i++)
		cpus = MIN(cpus, offers->list[i].cpus);
	return cpus;
}

static int compare_descending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

uint32_t tb_offer_holds(const struct tb_offers *offers,
			const struct tb_test *test,
			const struct tb_offer *offer)
{
	const job_details_t *details = test->job->details;
	uint32_t holds;

	if (offers->request->type == TB_SLOT || details->overcommit)
		return offer->slots;
	holds = offer->runs / MAX(details->cpus_per_task, 1);
	return details->ntasks_per_node ? MIN(holds, details->ntasks_per_node)
					: holds;
}

static bool is_required(const struct tb_test *test, uint32_t node)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return required && bit_test(required, node);
}

uint32_t tb_offers_hold(const struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end)
{
	bitstr_t *required = test->job->details->req_node_bitmap;
	struct tb_node_slots *list = xcalloc(end - first, sizeof(*list));
	uint64_t most;

	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];

		list[i - first] = (struct tb_node_slots){
			.slots = tb_offer_holds(offers, test, offer),
			.required = is_required(test, offer->node),
		};
	}
	most = tb_most_slots(list, end - first,
			     required ? bit_set_count(required) : 0,
			     test->max_nodes);
	xfree(list);
	return MIN(most, UINT32_MAX);
}

/* What a node that is not required holds must be at least so much, to be kept. */
struct cut {
	uint32_t holds;
	uint32_t equal; /* so many that hold just this are kept, too */
};

/* False: all can be kept, or none is larger than another. */
static bool find_cut(uint32_t *holds, uint32_t count, uint32_t kept,
		     struct cut *cut)
{
	if (count <= kept || !kept)
		return false;
	qsort(holds, count, sizeof(*holds), compare_descending);
	*cut = (struct cut){ .holds = holds[kept - 1] };
	for (uint32_t i = 0; i < kept; i++)
		cut->equal += holds[i] == cut->holds;
	return holds[0] > holds[count - 1];
}

static void keep_from_cut(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t first,
			  uint32_t end, struct cut cut, bitstr_t *nodes)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		uint32_t holds = tb_offer_holds(offers, test, offer);

		if (!bit_test(nodes, offer->node) ||
		    is_required(test, offer->node) || holds > cut.holds)
			continue;
		if (holds == cut.holds && cut.equal)
			cut.equal--;
		else
			bit_clear(nodes, offer->node);
	}
}

bool tb_offers_keep_largest(const struct tb_offers *offers,
			    const struct tb_test *test, uint32_t first,
			    uint32_t end, bitstr_t *nodes)
{
	uint32_t *holds = xcalloc(end - first, sizeof(*holds));
	uint32_t count = 0, required = 0;
	struct cut cut;
	bool found;

	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (!bit_test(nodes, offer->node))
			continue;
		if (is_required(test, offer->node))
			required++;
		else
			holds[count++] = tb_offer_holds(offers, test, offer);
	}
	found = find_cut(holds, count,
			 test->max_nodes > required ? test->max_nodes - required
						    : 0,
			 &cut);
	if (found)
		keep_from_cut(offers, test, first, end, cut, nodes);
	xfree(holds);
	return found;
}

void tb_allow_cores(uint32_t node, const struct tb_bitset *cores,
		    struct tb_mask *mask)
{
	unsigned first = tb_bitset_next(cores, 0);

	while (first < cores->nbits) {
		unsigned end = tb_bitset_next_clear(cores, first);

		tb_mask_allow(mask, node, first, end - first);
		first = tb_bitset_next(cores, end);
	}
}

/* Of each slot as many cores as are asked for. */
static void allow_unequal(struct tb_offers *offers, const struct tb_test *test,
			  const struct tb_offer *offer, struct tb_mask *mask)
{
	struct tb_shape *shape = tb_node_shape(offer->node);
	struct tb_scratch *scratch = shape->scratch;
	const struct tb_placed *placed = place_once(offers, test, offer, shape,
						    offer->slots, scratch);

	for (uint32_t i = 0; i < placed->slots; i++) {
		uint32_t left = offer->cpus / offer->unequal;

		tb_placed_group(shape->placer, i, scratch->threads);
		tb_shape_cores(shape, scratch->threads, scratch->cores);
		TB_BITSET_EACH(core, scratch->cores) {
			if (left)
				left--;
			else
				tb_bitset_clear(scratch->cores, core);
		}
		tb_allow_cores(offer->node, scratch->cores, mask);
	}
}

void tb_offers_allow(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, const bitstr_t *nodes,
		     struct tb_mask *mask)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		const struct tb_placed *placed = offer->placed;

		if (!bit_test((bitstr_t *)nodes, offer->node))
			continue;
		if (offer->unequal) {
			allow_unequal(offers, test, offer, mask);
			continue;
		}
		if (!placed)
			placed = tb_offers_place(offers, test, offer,
						 tb_node_shape(offer->node),
						 offer->slots);
		tb_allow_cores(offer->node, &placed->cores, mask);
	}
}

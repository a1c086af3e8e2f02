/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offer_placement.h"

#include "src/common/macros.h"

#include "core/place/masked.h"
#include "core/plan/implicit.h"
#include "core/topology/fragmentation.h"

#include "scale.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/order/node_facts.h"
#include "unit_sizes.h"

static struct tb_books get_books(const job_record_t *job, uint32_t node,
				 const struct tb_shape *shape)
{
	return (struct tb_books){
		.by_thread = shape->by_thread,
		.threads_per_core = node_record_table_ptr[node]->tpc,
		.cpus_per_core = tb_cpus_per_core(job, node),
	};
}

/* The CPUs that Slurm counts for a set of threads of the node. */
static uint32_t count_cpus(const struct tb_offers *offers,
			   const job_record_t *job, uint32_t node,
			   const struct tb_shape *shape,
			   const struct tb_bitset *threads)
{
	const struct tb_books books = get_books(job, node, shape);

	return tb_booked_cpus(&books, offers->request, shape->topology,
			      threads);
}

/* Those of the placed threads on which tasks run. */
static uint32_t count_runs(const struct tb_offers *offers,
			   const job_record_t *job, uint32_t node,
			   const struct tb_shape *shape,
			   const struct tb_bitset *threads)
{
	const struct tb_books books = get_books(job, node, shape);

	return tb_booked_runs(&books, offers->request, shape->topology, threads,
			      tb_placed_masked(shape->placer));
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
	unit_cpus = count_runs(offers, test->job, node, shape,
			       tb_placed_threads(shape->placer));
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
};

static bool place_together(void *arg, uint32_t tasks)
{
	struct implicit *implicit = arg;
	struct tb_affinity *affinity = find_affinity(implicit->offers,
						     implicit->node,
						     implicit->shape, tasks,
						     implicit->scratch->cores);

	implicit->whole.amount = tasks * implicit->per_task;
	return tb_sharing_place(implicit->shape, implicit->test,
				&implicit->whole, affinity, tasks,
				implicit->scratch) > 0;
}

static uint32_t place_apart(void *arg, uint32_t tasks)
{
	const struct implicit *implicit = arg;
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

/* Where all must be near: others fit beside them. */
static uint32_t count_most_tasks(const struct implicit *implicit)
{
	const struct tb_offers *offers = implicit->offers;

	if (!tb_devices_must_be_near(offers->devices))
		return UINT32_MAX;
	find_affinity(offers, implicit->node, implicit->shape, 1,
		      implicit->scratch->cores);
	return tb_devices_most_tasks(offers->devices);
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

	struct tb_implicit_tasks how = { .together = place_together,
					 .apart = place_apart,
					 .arg = &implicit };

	how.units = count_units_per_task(offers, test, node, shape, scratch);
	if (!how.units)
		return 0;
	implicit.per_task = how.units;
	implicit.whole.type = TB_HOST;
	how.available = tb_units_available(shape->topology, implicit.whole.unit,
					   scratch->used,
					   tb_scratch_masked(scratch));
	how.most = count_most_tasks(&implicit);
	how.near = tb_devices_must_be_near(offers->devices);
	return tb_implicit_place_tasks(&how, tasks);
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

static void take_out_masked_units(const struct tb_offers *offers,
				  const struct tb_test *test,
				  const struct tb_shape *shape,
				  struct tb_scratch *scratch)
{
	struct tb_request there = tb_request_masked(offers->request,
						    tb_scratch_masked(scratch));

	tb_masked_units(shape->topology, &there, scratch->threads);
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
			    struct tb_shape *shape, uint32_t cpus)
{
	const struct tb_request *request = offers->request;

	return !request->cpus && request->unit.letter != 'T' &&
	       !tb_unit_size_after(shape, request->unit, 0) &&
	       count_cpus(offers, job, node, shape,
			  tb_placed_threads(shape->placer)) ==
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
	*cpus = count_cpus(offers, job, node, shape, slot);
	if (slots_are_alike(offers, job, node, shape, *cpus))
		return groups;
	for (equal = 1; equal < groups; equal++) {
		tb_placed_group(shape->placer, equal, slot);
		if (count_cpus(offers, job, node, shape, slot) != *cpus)
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
		cpus = count_cpus(offers, job, node, shape, scratch->threads);
		placed->least = MIN(placed->least, cpus);
		placed->largest = MAX(placed->largest, cpus);
	}
}

/* Of the slots that count, what runs tasks on the one where fewest do. */
static uint32_t
find_fewest_runs(const struct tb_offers *offers, const struct tb_test *test,
		 const struct tb_offer *offer, struct tb_shape *shape,
		 struct tb_scratch *scratch, const struct tb_placed *placed)
{
	uint32_t slots = offer->unequal ? placed->slots : placed->equal;
	uint32_t fewest = offer->unequal ? placed->least : placed->cpus;

	if (test->implicit_cpus || !tb_placed_masked(shape->placer))
		return fewest;
	for (uint32_t i = 0; i < slots; i++) {
		tb_placed_group(shape->placer, i, scratch->threads);
		fewest = MIN(fewest, count_runs(offers, test->job, offer->node,
						shape, scratch->threads));
	}
	return fewest;
}

static void size_slots(const struct tb_offers *offers,
		       const struct tb_test *test, const struct tb_offer *offer,
		       struct tb_shape *shape, struct tb_scratch *scratch,
		       struct tb_placed *placed)
{
	uint32_t node = offer->node;

	if (test->implicit_cpus) {
		placed->equal = placed->slots;
		placed->cpus = count_cpus(offers, test->job, node, shape,
					  tb_placed_threads(shape->placer)) /
			       placed->slots;
	} else {
		placed->equal = count_equal_slots(offers, test->job, node,
						  shape, scratch,
						  &placed->cpus);
		if (offers->request->equal == TB_UNEQUAL)
			find_extremes(offers, test->job, node, shape, scratch,
				      placed);
	}
	placed->runs = find_fewest_runs(offers, test, offer, shape, scratch,
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
	size_slots(offers, test, offer, shape, scratch, placed);
	tb_shape_cores(shape, tb_placed_threads(shape->placer), scratch->cores);
	tb_bitset_assign(&placed->cores, scratch->cores);
	describe_fit(test, shape, scratch, placed);
	if (placed->taken)
		tb_devices_get_taken(offers->devices, placed->taken);
}

const struct tb_placed *
tb_offers_place_anew(struct tb_offers *offers, const struct tb_test *test,
		     const struct tb_offer *offer, struct tb_shape *shape,
		     uint32_t slots, struct tb_scratch *scratch)
{
	struct tb_placed *placed = &offers->last;

	*placed = (struct tb_placed){ .cores = *scratch->placed };
	tb_sharing_used(offer->node, shape, offers->held, test, offers->request,
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
	tb_node_taken(offer->node, offers->held, test, scratch->cores);
	return scratch->cores;
}

/*
 * All that a placement depends on, except what is the same for all nodes
 * (kept_placements.c).
 */
static struct tb_memo_key make_key(const struct tb_offers *offers,
				   const struct tb_test *test,
				   const struct tb_offer *offer,
				   const struct tb_shape *shape, uint32_t slots,
				   const struct tb_affinity *affinity,
				   const struct tb_bitset *taken)
{
	return (struct tb_memo_key) {
		.shape = shape->number,
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
		return tb_offers_place_anew(offers, test, offer, shape, slots,
					    scratch);
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
		return tb_offers_place_anew(offers, test, offer, shape, slots,
					    scratch);
	tb_sharing_used(offer->node, shape, offers->held, test, offers->request,
			scratch);
	place_and_describe(offers, test, offer, shape, slots, scratch, placed);
	return placed;
}

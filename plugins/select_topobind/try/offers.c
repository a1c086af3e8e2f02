/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offers.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/place/masked.h"
#include "core/plan/implicit.h"
#include "core/plan/near_devices.h"
#include "core/plan/suffice.h"
#include "core/topology/fragmentation.h"

#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/order/node_facts.h"
#include "scale.h"
#include "select_topobind/books/sharing.h"
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
	how.available =
		tb_units_available_to(shape->topology, implicit.whole.unit,
				      scratch->used, tb_scratch_masked(scratch),
				      tb_implicit_units_of(tasks, how.units));
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

/* Valid until the next node is looked at. */
static const struct tb_placed *
place_once(struct tb_offers *offers, const struct tb_test *test,
	   const struct tb_offer *offer, struct tb_shape *shape, uint32_t slots,
	   struct tb_scratch *scratch)
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
	tb_sharing_used(offer->node, shape, offers->held, test, offers->request,
			scratch);
	place_and_describe(offers, test, offer, shape, slots, scratch, placed);
	return placed;
}

static uint16_t get_given(uint16_t number)
{
	return number == NO_VAL16 ? 0 : number;
}

/* --sockets-per-node, --cores-per-socket, --threads-per-core, -B. */
static bool node_is_large_enough(uint32_t node, const job_record_t *job)
{
	const multi_core_data_t *wanted = job->details->mc_ptr;
	const node_record_t *record = node_record_table_ptr[node];
	const struct tb_layout there = { record->tot_sockets, record->cores,
					 record->tpc };
	struct tb_layout asked;

	if (!wanted)
		return true;
	asked = (struct tb_layout){ get_given(wanted->sockets_per_node),
				    get_given(wanted->cores_per_socket),
				    get_given(wanted->threads_per_core) };
	return tb_layout_suffices(&there, &asked);
}

/* For a job that wants all of it: nobody has any of it, and nothing is lost. */
static bool node_is_whole(struct tb_offers *offers, const struct tb_test *test,
			  uint32_t node, const struct tb_shape *shape)
{
	if (tb_test_mode(test) != TB_TEST_ONLY && tb_node_lost_cores(node))
		return false;
	return tb_sharing_has_node(node, shape, offers->view, test,
				   &offers->could_be_more);
}

static bool node_is_offered(struct tb_offers *offers,
			    const struct tb_test *test, uint32_t node,
			    const struct tb_shape *shape)
{
	if (shape && tb_test_mode(test) == TB_RUN_NOW &&
	    tb_node_is_overloaded(node))
		return false;
	return shape && node_is_large_enough(node, test->job) &&
	       (!tb_wants_whole_nodes(test->job) ||
		node_is_whole(offers, test, node, shape));
}

/* Another offer of the node in its class has the same slots, and as many. */
static bool is_needless(const struct tb_offers *offers,
			const struct tb_offer *offer)
{
	const struct tb_offer *own = offers->list + offers->count;

	while (own > offers->list && own[-1].node == offer->node)
		if (tb_offer_is_needless(offer, --own))
			return true;
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

struct most_slots {
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_offer offer;
	struct tb_shape *shape;
	uint32_t slots;
};

static const struct tb_placed *place_near(struct most_slots *most,
					  uint32_t number)
{
	most->offer.devices = number == TB_DEVICES_ALL_FREE
				      ? tb_devices_free(most->offers->devices)
				      : number;
	return tb_offers_place(most->offers, most->test, &most->offer,
			       most->shape, most->slots);
}

static uint32_t count_near(void *arg, uint32_t number)
{
	return place_near(arg, number)->equal;
}

/* The placement with most slots: near so many of the devices for all nodes as is best. */
static const struct tb_placed *
place_most(struct tb_offers *offers, const struct tb_test *test,
	   struct tb_offer *offer, struct tb_shape *shape, uint32_t slots)
{
	struct most_slots most = { offers, test, *offer, shape, slots };
	const struct tb_placed *placed = place_near(&most, 0);

	if (placed->equal < slots && can_vary_devices(offers))
		placed = place_near(&most,
				    tb_devices_for_most_slots(count_near, &most,
							      slots));
	offer->devices = most.offer.devices;
	return placed;
}

/* The offers of a test, of one node at a time. */
struct offering {
	struct tb_offering core;
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_shape *shape;
	uint32_t slots; /* of a node at most */
};

static void place_offer(void *arg, struct tb_offer *offer, struct tb_room *room)
{
	struct offering *offering = arg;
	struct tb_offers *offers = offering->offers;
	const struct tb_test *test = offering->test;
	const struct tb_placed *placed;

	if (offer->unequal) {
		placed = tb_offers_place(offers, test, offer, offering->shape,
					 offering->slots);
	} else {
		placed = place_most(offers, test, offer, offering->shape,
				    offering->slots);
		offers->could_be_more |= placed->could_be_more;
		offers->without_memory += !placed->equal &&
					  placed->lacks_memory;
	}
	*room = (struct tb_room){
		.slots = placed->slots,
		.equal = placed->equal,
		.cpus = placed->cpus,
		.least = placed->least,
		.largest = placed->largest,
		.runs = placed->runs,
		.placed = offers->memo ? placed : NULL,
	};
}

static uint32_t find_size_after(void *arg, uint32_t size)
{
	const struct offering *offering = arg;

	return tb_unit_size_after(offering->shape,
				  offering->offers->request->unit, size);
}

static void take_offer(void *arg, const struct tb_offer *offer)
{
	const struct offering *offering = arg;

	add_offer(offering->offers, offer);
}

static void begin_offering(struct offering *offering, struct tb_offers *offers,
			   const struct tb_test *test)
{
	struct tb_asked asked = tb_job_asked(test->job);

	*offering = (struct offering){
		.core = {
			.request = offers->request,
			.booking = {
				.task_cpus = asked.task_cpus,
				.node_cpus = tb_asked_cpus_of_node(&asked),
			},
			.enough = tb_asked_cpus_on_one(&asked,
						       test->max_nodes),
			.implicit = test->implicit_cpus,
			.one_size = test->job->gres_list_req != NULL,
			.place = place_offer,
			.size_after = find_size_after,
			.add = take_offer,
		},
		.offers = offers,
		.test = test,
		.slots = tb_asked_slots_of_node(&asked),
	};
	offering->core.arg = offering;
}

/* False: the node has nothing to offer. */
static bool turn_to_node(struct offering *offering, uint32_t node)
{
	const struct tb_test *test = offering->test;

	if (!bit_test(test->nodes, node))
		return false;
	offering->shape = tb_node_shape_for(node, test->job,
					    offering->offers->request);
	if (!node_is_offered(offering->offers, test, node, offering->shape))
		return false;
	offering->core.cpus_per_core = tb_cpus_per_core(test->job, node);
	offering->core.booking.left =
		tb_partition_limit_left(offering->offers->limit, node);
	return true;
}

static void offer_nodes(struct tb_offers *offers, const struct tb_test *test)
{
	uint32_t nodes = tb_node_count();
	struct offering offering;
	bool differ = false;

	begin_offering(&offering, offers, test);
	for (uint32_t node = 0; node < nodes; node++)
		if (turn_to_node(&offering, node))
			differ = tb_offering_equal(&offering.core, node) ||
				 differ;
	for (uint32_t node = 0; differ && node < nodes; node++)
		if (turn_to_node(&offering, node))
			tb_offering_larger(&offering.core, node);
	/*
	 * GRES are chosen by what a task asks for, so jobs with some have equal
	 * slots.  Of others pass 2 asks for all cores of unequal ones.
	 */
	for (uint32_t node = 0;
	     tb_offering_is_unequal(&offering.core) && node < nodes; node++)
		if (turn_to_node(&offering, node))
			tb_offering_unequal(&offering.core, node);
	offers->limited = offering.core.limited;
	tb_classes_sort(offers->request->type, offers->list, offers->count);
}

struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view)
{
	struct tb_offers *offers = xmalloc(sizeof(*offers));

	offers->request = request;
	offers->view = view;
	offers->held = tb_wants_whole_nodes(test->job) ? NULL : view;
	offers->devices = tb_devices_create(test);
	offers->limit = tb_partition_limit_create(test, view);
	offers->memory = tb_node_memory_create(test, request, view);
	offers->filter = tb_job_filter(test->job);
	offers->memo = test->memo;
	offers->room = bit_set_count(test->nodes) + 1;
	offers->list = xcalloc(offers->room, sizeof(*offers->list));
	offer_nodes(offers, test);
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
	return tb_class_end(offers->request->type, offers->list, offers->count,
			    next);
}

uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end)
{
	return tb_class_cpus(offers->list, first, end);
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
	const struct tb_asked asked = {
		.tasks_per_node = details->ntasks_per_node,
		.task_cpus = details->cpus_per_task,
		.overcommit = details->overcommit,
	};

	return tb_offer_tasks(offer, offers->request->type, &asked);
}

bool tb_offer_lacks_memory(const struct tb_test *test,
			   const struct tb_offer *offer, uint64_t in_use)
{
	const job_record_t *job = test->job;
	const node_record_t *node = node_record_table_ptr[offer->node];
	uint16_t counted = job->part_ptr && job->part_ptr->cr_type
				   ? job->part_ptr->cr_type
				   : slurm_conf.select_type_param;
	uint64_t wanted = job->details->pn_min_memory;
	uint64_t has = node->real_memory -
		       MIN(node->real_memory, node->mem_spec_limit);

	if (!(counted & SELECT_MEMORY) || job->mem_per_tres)
		return false;
	if (!wanted)
		wanted = has;
	else if (wanted & MEM_PER_CPU)
		wanted = (wanted & ~MEM_PER_CPU) * offer->cpus;
	return wanted + in_use > has;
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

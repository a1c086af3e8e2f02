/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_offers.h"

#include <stdlib.h>
#include <string.h>

#include "core/place/masked.h"

#include "implicit.h"
#include "near_devices.h"
#include "shared_use.h"
#include "unit_sizes.h"

/* The work on one node. */
struct finding {
	struct tb_offering core;
	const struct tb_need *need;
	const struct tb_offering_node *node;
	struct tb_request request; /* the need's, on this node; borrows */
	const struct tb_bitset *taken;
	struct tb_bitset *used, *group, *cores; /* scratch */
	struct tb_bitset *blocked, *held;	/* cores, likewise */
	uint16_t *sizes;			/* of units; NULL: alike */
	struct tb_thread_use *use; /* scratch; NULL: nobody shares */
	uint32_t slots;		   /* at most; TB_HOST: they share one */
	/* Of the node's pools; without kinds where nothing is near. */
	struct tb_affinity affinity;
	struct tb_device_kind *kinds; /* owned, as many as the need has */
	struct tb_device_pool *pools;
	struct tb_offer_list *offers;
};

void tb_offer_list_add(struct tb_offer_list *offers,
		       const struct tb_offer *offer)
{
	uint32_t room = 2 * offers->room + 4;
	struct tb_offer *list;

	if (offers->count == offers->room) {
		list = realloc(offers->list, room * sizeof(*list));
		if (!list)
			return;
		offers->list = list;
		offers->room = room;
	}
	offers->list[offers->count++] = *offer;
}

void tb_offer_list_clear(struct tb_offer_list *offers)
{
	free(offers->list);
	*offers = (struct tb_offer_list){ .list = NULL };
}

/* ---- placements ---- */

static uint32_t count_cpus(const struct finding *finding,
			   const struct tb_bitset *threads)
{
	return tb_booked_cpus(&finding->node->books, finding->need->request,
			      finding->node->topology, threads);
}

static uint32_t count_runs(const struct finding *finding,
			   const struct tb_bitset *threads)
{
	return tb_booked_runs(&finding->node->books, finding->need->request,
			      finding->node->topology, threads,
			      tb_placed_masked(finding->node->placer));
}

/* The threads of the group are added to what is used. */
static void add_group(struct finding *finding)
{
	tb_bitset_or(finding->used, finding->group);
	if (finding->use)
		tb_shared_use_bar(finding->group, finding->use);
}

/* Slurm's cores as threads, likewise. */
static void add_cores(struct finding *finding)
{
	if (finding->node->books.by_thread)
		tb_bitset_assign(finding->group, finding->cores);
	else
		tb_threads_of_cores(finding->node->topology, finding->cores,
				    finding->group);
	add_group(finding);
}

static void add_masked_units(struct finding *finding)
{
	tb_masked_units(finding->node->topology, &finding->request,
			finding->group);
	add_group(finding);
}

static void set_used(struct finding *finding, const struct tb_offer *offer)
{
	tb_bitset_assign(finding->used, finding->taken);
	if (finding->use)
		memcpy(finding->use, finding->node->use,
		       finding->used->nbits * sizeof(*finding->use));
	if (offer->whole)
		add_masked_units(finding);
	if (!offer->unit_size)
		return;
	tb_bitset_clear_all(finding->cores);
	tb_unit_sizes_others(finding->sizes, offer->unit_size,
			     finding->need->request->type == TB_HOST ||
				     offer->unequal,
			     finding->cores);
	add_cores(finding);
}

static void measure_slots(const struct finding *finding,
			  const struct tb_offer *offer, struct tb_room *room)
{
	struct tb_placer *placer = finding->node->placer;

	room->slots = tb_placed_groups(placer);
	room->runs = UINT32_MAX;
	for (uint32_t i = 0; i < room->slots; i++) {
		uint32_t cpus, runs;

		tb_placed_group(placer, i, finding->group);
		cpus = count_cpus(finding, finding->group);
		runs = count_runs(finding, finding->group);
		if (!i)
			room->cpus = room->least = room->largest = cpus;
		room->equal += room->equal == i && cpus == room->cpus;
		if (runs < room->runs && (offer->unequal || i < room->equal))
			room->runs = runs;
		room->least = cpus < room->least ? cpus : room->least;
		room->largest = cpus > room->largest ? cpus : room->largest;
	}
}

static void measure_tasks(const struct finding *finding, uint32_t tasks,
			  struct tb_room *room)
{
	struct tb_placer *placer = finding->node->placer;

	room->slots = room->equal = tasks;
	room->cpus = count_cpus(finding, tb_placed_threads(placer)) / tasks;
	room->runs = room->cpus;
}

/* ---- devices ---- */

/* One after the other, those of the node's pools that are of the kind. */
static unsigned add_kind(struct finding *finding, unsigned kind, unsigned first)
{
	const struct tb_offering_node *node = finding->node;
	struct tb_device_kind *own = &finding->kinds[kind];
	unsigned end = first;

	own->pools = &finding->pools[first];
	for (; end < node->npools && node->pools[end].kind == kind; end++)
		finding->pools[end] = (struct tb_device_pool){
			.threads = (struct tb_bitset *)node->pools[end].threads,
			.free = node->free[end],
		};
	own->npools = end - first;
	return end;
}

/* False: out of memory. */
static bool find_pools(struct finding *finding)
{
	const struct tb_need *need = finding->need;
	unsigned next = 0;

	if (!finding->node->npools || need->near == TB_NEAR_ANYTHING)
		return true;
	finding->kinds = calloc(2 * need->ndevices, sizeof(*finding->kinds));
	finding->pools = calloc(finding->node->npools, sizeof(*finding->pools));
	if (!finding->kinds || !finding->pools)
		return false;
	for (unsigned kind = 0; kind < need->ndevices; kind++)
		next = add_kind(finding, kind, next);
	finding->affinity = (struct tb_affinity){
		.must = need->near == TB_NEAR_ALWAYS,
		.kinds = &finding->kinds[need->ndevices],
	};
	return true;
}

/*
 * For so many of the devices for all nodes, and so many tasks that have their units
 * together; 0: each slot has its own.  NULL: nothing is near.
 */
static struct tb_affinity *set_numbers(struct finding *finding,
				       uint32_t devices, uint32_t joint)
{
	const struct tb_need *need = finding->need;
	struct tb_affinity *affinity = &finding->affinity;
	uint32_t nodes = need->asked.max_nodes ? need->asked.max_nodes
					       : UINT32_MAX;

	nodes = tb_asked_most_nodes(&need->asked, nodes);
	affinity->nkinds = 0;
	for (unsigned i = 0; finding->kinds && i < need->ndevices; i++) {
		struct tb_device_kind *kind = &finding->kinds[i];

		tb_devices_set_numbers(&need->devices[i], nodes, devices, joint,
				       kind);
		if (kind->npools && (kind->per_slot || kind->per_node))
			affinity->kinds[affinity->nkinds++] = *kind;
	}
	return affinity->nkinds ? affinity : NULL;
}

/* Do fewer or more devices of those for all nodes let it have more slots? */
static bool can_vary_devices(const struct finding *finding)
{
	const struct tb_need *need = finding->need;

	return finding->kinds && finding->affinity.must &&
	       need->request->type == TB_SLOT && need->ndevices == 1 &&
	       need->devices[0].per_job &&
	       tb_asked_most_nodes(&need->asked, need->asked.max_nodes
							 ? need->asked.max_nodes
							 : UINT32_MAX) > 1;
}

/* ---- placements ---- */

static int place_near(struct finding *finding, const struct tb_request *request,
		      struct tb_affinity *affinity, uint32_t slots)
{
	struct tb_placer *placer = finding->node->placer;

	if (affinity)
		return tb_place_with_devices(placer, request, finding->used,
					     finding->use, finding->need->share,
					     affinity, slots);
	return finding->use ? tb_place_shared(placer, request, finding->use,
					      finding->need->share, slots)
			    : tb_place_together(placer, request, finding->used,
						slots);
}

/* Of tasks that the site binds. */
struct implicit {
	struct finding *finding;
	uint32_t units, devices;
};

static bool place_together(void *arg, uint32_t tasks)
{
	const struct implicit *implicit = arg;
	struct finding *finding = implicit->finding;
	struct tb_request together = finding->request; /* borrows */

	together.type = TB_HOST;
	together.amount = tasks * implicit->units;
	return place_near(finding, &together,
			  set_numbers(finding, implicit->devices, tasks),
			  tasks) > 0;
}

static uint32_t place_apart(void *arg, uint32_t tasks)
{
	const struct implicit *implicit = arg;
	struct finding *finding = implicit->finding;
	struct tb_request each = finding->request; /* borrows */
	int count;

	each.type = TB_SLOT;
	each.amount = implicit->units;
	count = place_near(finding, &each,
			   set_numbers(finding, implicit->devices, 0), tasks);
	return count > 0 ? (uint32_t)count : 0;
}

/* Where all must be near. */
static uint32_t count_most_tasks(const struct finding *finding)
{
	const struct tb_need *need = finding->need;
	uint32_t most = UINT32_MAX;

	for (unsigned i = 0;
	     finding->kinds && finding->affinity.must && i < need->ndevices;
	     i++) {
		const struct tb_device_kind *kind = &finding->kinds[i];
		uint32_t tasks =
			kind->npools
				? tb_devices_tasks_in_pools(&need->devices[i],
							    kind)
				: UINT32_MAX;

		most = tasks < most ? tasks : most;
	}
	return most;
}

static uint32_t count_units_of_task(struct finding *finding)
{
	struct tb_request one = finding->request; /* borrows */

	one.type = TB_SLOT;
	one.amount = 1;
	if (place_near(finding, &one, NULL, 1) <= 0)
		return 0;
	return tb_implicit_units(finding->need->asked.task_cpus,
				 count_runs(finding,
					    tb_placed_threads(
						    finding->node->placer)));
}

static int place_implicit(struct finding *finding, uint32_t devices)
{
	struct implicit implicit = { finding, count_units_of_task(finding),
				     devices };
	struct tb_implicit_tasks how = { .units = implicit.units,
					 .together = place_together,
					 .apart = place_apart,
					 .arg = &implicit };

	if (!how.units)
		return 0;
	how.available =
		tb_units_available_to(finding->node->topology,
				      finding->request.unit, finding->used,
				      finding->request.masked,
				      tb_implicit_units_of(finding->slots,
							   how.units));
	how.near = finding->kinds && finding->affinity.must;
	how.most = count_most_tasks(finding);
	return (int)tb_implicit_place_tasks(&how, finding->slots);
}

static int place_slots(struct finding *finding, uint32_t devices)
{
	uint32_t joint = finding->request.type == TB_HOST;

	return finding->need->implicit
		       ? place_implicit(finding, devices)
		       : place_near(finding, &finding->request,
				    set_numbers(finding, devices, joint),
				    finding->slots);
}

/* ---- memory ---- */

/* Slots whose memory must fit, near so many of the devices for all nodes. */
struct in_memory {
	struct finding *finding;
	uint32_t devices;
};

static void find_cores(const struct finding *finding,
		       const struct tb_bitset *threads, struct tb_bitset *cores)
{
	if (finding->node->books.by_thread)
		tb_bitset_assign(cores, threads);
	else
		tb_cores_of_threads(finding->node->topology, threads, cores);
}

static int try_in_memory(void *arg, const struct tb_bitset *blocked,
			 struct tb_bitset *placed)
{
	const struct in_memory *try = arg;
	struct finding *finding = try->finding;
	int count;

	tb_bitset_assign(finding->cores, blocked);
	add_cores(finding);
	count = place_slots(finding, try->devices);
	if (count > 0)
		find_cores(finding, tb_placed_threads(finding->node->placer),
			   placed);
	return count;
}

static int place_in_memory(struct finding *finding, uint32_t devices)
{
	const struct tb_offering_node *node = finding->node;
	struct in_memory try = { finding, devices };
	struct tb_local_memory memory = { .numa = node->numa,
					  .need = finding->need->local_memory,
					  .available = node->numa_free,
					  .blocked = finding->blocked,
					  .placed = finding->held };

	if (!node->numa || !tb_memory_is_needed(&memory.need))
		return place_slots(finding, devices);
	memory.need.per_core *= node->books.cpus_per_core;
	return tb_memory_place(&memory, try_in_memory, &try);
}

/* ---- placements ---- */

/* As the offer says; room begins as { 0 }. */
static void place_as_offered(struct finding *finding,
			     const struct tb_offer *offer, struct tb_room *room)
{
	int count;

	set_used(finding, offer);
	count = place_in_memory(finding, offer->devices);
	if (count > 0 && finding->need->implicit)
		measure_tasks(finding, (uint32_t)count, room);
	else if (count > 0)
		measure_slots(finding, offer, room);
}

struct most_slots {
	struct finding *finding;
	struct tb_offer *offer;
};

static uint32_t count_near(void *arg, uint32_t number)
{
	const struct most_slots *most = arg;
	struct tb_room room = { .slots = 0 };

	most->offer->devices = number == TB_DEVICES_ALL_FREE
				       ? tb_devices_free_in_pools(
						 most->finding->kinds)
				       : number;
	place_as_offered(most->finding, most->offer, &room);
	return room.equal;
}

/* Near so many of the devices for all nodes as lets it have most slots. */
static void place_offer(void *arg, struct tb_offer *offer, struct tb_room *room)
{
	struct finding *finding = arg;
	struct most_slots most = { finding, offer };

	offer->devices = 0;
	place_as_offered(finding, offer, room);
	if (offer->unequal || room->equal >= finding->slots ||
	    !can_vary_devices(finding))
		return;
	count_near(&most, tb_devices_for_most_slots(count_near, &most,
						    finding->slots));
	*room = (struct tb_room){ .slots = 0 };
	place_as_offered(finding, offer, room);
}

static uint32_t find_size_after(void *arg, uint32_t size)
{
	const struct finding *finding = arg;

	return tb_unit_sizes_after(finding->sizes, finding->cores->nbits, size);
}

static void take_offer(void *arg, const struct tb_offer *offer)
{
	const struct finding *finding = arg;
	const struct tb_offer_list *offers = finding->offers;

	for (uint32_t i = 0; i < offers->count; i++)
		if (tb_offer_is_needless(offer, &offers->list[i]))
			return;
	tb_offer_list_add(finding->offers, offer);
}

/* ---- one node ---- */

static struct tb_offering make_offering(struct finding *finding)
{
	const struct tb_need *need = finding->need;
	const struct tb_asked *asked = &need->asked;

	return (struct tb_offering){
		.request = need->request,
		.booking = {
			.task_cpus = asked->task_cpus,
			.node_cpus = tb_asked_cpus_of_node(asked),
			.left = finding->node->left,
		},
		.cpus_per_core = finding->node->books.cpus_per_core,
		.enough = tb_asked_cpus_on_one(asked, asked->max_nodes),
		.implicit = need->implicit,
		.one_size = need->one_size,
		.place = place_offer,
		.size_after = find_size_after,
		.add = take_offer,
		.arg = finding,
	};
}

/* On another node the units of a host can differ, so that there is a second class. */
static bool can_be_larger(const struct tb_need *need)
{
	return need->request->type == TB_HOST && !need->request->cpus &&
	       !need->implicit;
}

static void find_all(struct finding *finding, uint32_t number)
{
	finding->core = make_offering(finding);
	tb_offering_equal(&finding->core, number);
	if (can_be_larger(finding->need))
		tb_offering_larger(&finding->core, number);
	if (tb_offering_is_unequal(&finding->core))
		tb_offering_unequal(&finding->core, number);
}

/* False: out of memory.  end_finding() is right after both. */
static bool begin_finding(struct finding *finding, const struct tb_need *need,
			  const struct tb_offering_node *node,
			  const struct tb_bitset *used, uint32_t slots)
{
	uint32_t threads = used->nbits, cores = threads;

	*finding = (struct finding){ .need = need,
				     .node = node,
				     .request = tb_request_masked(need->request,
								  node->masked),
				     .taken = used,
				     .slots = slots };
	if (!node->books.by_thread)
		cores = tb_topology_cores(node->topology);
	finding->used = tb_bitset_create(threads);
	finding->group = tb_bitset_create(threads);
	finding->cores = tb_bitset_create(cores);
	finding->blocked = tb_bitset_create(cores);
	finding->held = tb_bitset_create(cores);
	finding->sizes = tb_unit_sizes(node->topology, need->request->unit,
				       node->books.by_thread);
	if (node->use)
		finding->use = calloc(threads, sizeof(*finding->use));
	return finding->used && finding->group && finding->cores &&
	       finding->blocked && finding->held &&
	       (!node->use || finding->use) && find_pools(finding);
}

static void end_finding(struct finding *finding)
{
	tb_bitset_destroy(finding->used);
	tb_bitset_destroy(finding->group);
	tb_bitset_destroy(finding->cores);
	tb_bitset_destroy(finding->blocked);
	tb_bitset_destroy(finding->held);
	free(finding->sizes);
	free(finding->use);
	free(finding->kinds);
	free(finding->pools);
}

void tb_node_offers_find(struct tb_offer_list *offers,
			 const struct tb_need *need,
			 const struct tb_offering_node *node, uint32_t number,
			 const struct tb_bitset *used)
{
	struct finding finding;

	offers->count = 0;
	if (begin_finding(&finding, need, node, used,
			  tb_asked_slots_of_node(&need->asked))) {
		finding.offers = offers;
		find_all(&finding, number);
	}
	end_finding(&finding);
}

uint32_t tb_node_offers_place(const struct tb_need *need,
			      const struct tb_offering_node *node,
			      const struct tb_offer *offer, uint32_t slots,
			      const struct tb_bitset *used)
{
	struct tb_room room = { .slots = 0 };
	struct finding finding;

	if (begin_finding(&finding, need, node, used, slots))
		place_as_offered(&finding, offer, &room);
	end_finding(&finding);
	return room.slots;
}

uint32_t tb_node_offers_most(const struct tb_offer_list *offers,
			     const struct tb_need *need)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < offers->count; i++) {
		uint32_t tasks = tb_offer_tasks(&offers->list[i],
						need->request->type,
						&need->asked);

		most = tasks > most ? tasks : most;
	}
	return most;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_offers.h"

#include <stdlib.h>
#include <string.h>

#include "core/place/masked.h"

#include "implicit.h"
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
	uint16_t *sizes;			/* of units; NULL: alike */
	struct tb_thread_use *use; /* scratch; NULL: nobody shares */
	uint32_t slots;		   /* at most; TB_HOST: they share one */
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

static void place_implicit(const struct finding *finding, struct tb_room *room)
{
	const struct tb_need *need = finding->need;
	struct tb_placer *placer = finding->node->placer;
	uint32_t units;

	room->slots = tb_implicit_place(placer, &finding->request,
					&finding->node->books, finding->used,
					need->asked.task_cpus, finding->slots,
					&units);
	room->equal = room->slots;
	if (room->slots)
		room->cpus = count_cpus(finding, tb_placed_threads(placer)) /
			     room->slots;
	room->runs = room->cpus;
}

static int place_slots(const struct finding *finding)
{
	struct tb_placer *placer = finding->node->placer;

	return finding->use
		       ? tb_place_shared(placer, &finding->request,
					 finding->use, finding->need->share,
					 finding->slots)
		       : tb_place_together(placer, &finding->request,
					   finding->used, finding->slots);
}

static void place_offer(void *arg, struct tb_offer *offer, struct tb_room *room)
{
	struct finding *finding = arg;

	set_used(finding, offer);
	if (finding->need->implicit)
		place_implicit(finding, room);
	else if (place_slots(finding) > 0)
		measure_slots(finding, offer, room);
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
	finding->sizes = tb_unit_sizes(node->topology, need->request->unit,
				       node->books.by_thread);
	if (node->use)
		finding->use = calloc(threads, sizeof(*finding->use));
	return finding->used && finding->group && finding->cores &&
	       (!node->use || finding->use);
}

static void end_finding(struct finding *finding)
{
	tb_bitset_destroy(finding->used);
	tb_bitset_destroy(finding->group);
	tb_bitset_destroy(finding->cores);
	free(finding->sizes);
	free(finding->use);
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
	struct tb_offer own = *offer;
	struct finding finding;

	if (begin_finding(&finding, need, node, used, slots))
		place_offer(&finding, &own, &room);
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

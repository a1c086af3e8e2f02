/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classes.h"

#include <stdlib.h>

/* ---- the offers of a node ---- */

static void place(struct tb_offering *offering, struct tb_offer *offer,
		  struct tb_room *room)
{
	*room = (struct tb_room){ .slots = 0 };
	offering->place(offering->arg, offer, room);
}

/* The tasks of a host share its units, so that no slot is too small. */
static bool mask_is_in_the_way(const struct tb_offering *offering,
			       const struct tb_offer *offer,
			       const struct tb_room *room)
{
	uint32_t booked = offer->unequal ? room->least : room->cpus;

	return room->slots && offering->request->type == TB_SLOT &&
	       room->runs < booked && room->runs < offering->booking.task_cpus;
}

/* Leaving out units with masked threads, where slots with them hold no task. */
static void place_tasks(struct tb_offering *offering, struct tb_offer *offer,
			struct tb_room *room)
{
	offer->whole = false;
	place(offering, offer, room);
	if (!mask_is_in_the_way(offering, offer, room))
		return;
	offer->whole = true;
	place(offering, offer, room);
}

/* None where slots hold no task. */
static uint32_t count_slots(struct tb_offering *offering,
			    const struct tb_room *room, uint32_t slots,
			    uint32_t cpus, uint32_t most)
{
	uint32_t within, count;

	if (room->runs < offering->booking.task_cpus)
		return 0;
	count = tb_booked_slots(&offering->booking, slots, cpus, most, &within);
	offering->limited += count < within;
	return count;
}

/* What the node offers in units of one size; 0: of any size.  False: nothing. */
static bool find_offer(struct tb_offering *offering, uint32_t node,
		       uint32_t unit_size, struct tb_offer *offer)
{
	struct tb_room room;

	*offer = (struct tb_offer){ .node = node, .unit_size = unit_size };
	place_tasks(offering, offer, &room);
	offer->cpus = room.cpus;
	offer->runs = room.runs;
	offer->slots = count_slots(offering, &room, room.equal, room.cpus,
				   room.cpus);
	if (offer->slots == room.slots)
		offer->placed = room.placed;
	return offer->slots;
}

static void add_size(struct tb_offering *offering, uint32_t node, uint32_t size)
{
	struct tb_offer offer;

	if (find_offer(offering, node, size, &offer))
		offering->add(offering->arg, &offer);
}

bool tb_offering_equal(struct tb_offering *offering, uint32_t node)
{
	const struct tb_request *request = offering->request;
	uint32_t size = 0;

	add_size(offering, node, 0);
	if (request->cpus || offering->implicit)
		return false;
	if (request->type == TB_HOST)
		return offering->size_after(offering->arg, 0);
	while ((size = offering->size_after(offering->arg, size)))
		add_size(offering, node, size);
	return false;
}

/*
 * The first units of the node can be too small: leave out small ones until it
 * holds all tasks, or as many as it can.
 */
void tb_offering_larger(struct tb_offering *offering, uint32_t node)
{
	struct tb_offer offer, best = { 0 };
	uint32_t size = 0;

	do {
		if (best.runs < offering->enough &&
		    find_offer(offering, node, size, &offer) &&
		    offer.runs > best.runs)
			best = offer;
		size = offering->size_after(offering->arg, size);
	} while (size);
	best.larger = true;
	if (best.slots)
		offering->add(offering->arg, &best);
}

/*
 * All slots of the node, whatever their size: small units are left out until the
 * smallest slot holds a task.
 */
static void place_unequal(struct tb_offering *offering, struct tb_offer *offer,
			  struct tb_room *room)
{
	do {
		place_tasks(offering, offer, room);
		if (room->slots && room->runs >= offering->booking.task_cpus)
			return;
		offer->unit_size = offering->size_after(offering->arg,
							offer->unit_size);
	} while (offer->unit_size);
	room->slots = 0;
}

bool tb_offering_is_unequal(const struct tb_offering *offering)
{
	return offering->request->equal == TB_UNEQUAL && !offering->implicit &&
	       !offering->one_size;
}

void tb_offering_unequal(struct tb_offering *offering, uint32_t node)
{
	struct tb_offer offer = { .node = node,
				  .unequal = offering->cpus_per_core };
	struct tb_room room;

	place_unequal(offering, &offer, &room);
	offer.cpus = room.least;
	offer.runs = room.runs;
	offer.slots = count_slots(offering, &room, room.slots, room.least,
				  room.largest);
	if (offer.slots)
		offering->add(offering->arg, &offer);
}

bool tb_offer_is_needless(const struct tb_offer *offer,
			  const struct tb_offer *other)
{
	return other->larger == offer->larger && !offer->unequal &&
	       other->cpus == offer->cpus && other->runs >= offer->runs &&
	       other->slots >= offer->slots;
}

/* ---- classes ---- */

/* CPUs of the smallest slot on all nodes with as many CPUs for a core. */
static uint32_t find_least(const struct tb_offer *list, uint32_t count,
			   uint32_t unequal)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (list[i].unequal == unequal && list[i].cpus < least)
			least = list[i].cpus;
	return least;
}

/* The next larger number of CPUs for a core that some of them have; 0: none. */
static uint32_t find_next_kind(const struct tb_offer *list, uint32_t count,
			       uint32_t kind)
{
	uint32_t next = UINT32_MAX;

	for (uint32_t i = 0; i < count; i++)
		if (list[i].unequal > kind && list[i].unequal < next)
			next = list[i].unequal;
	return next < UINT32_MAX ? next : 0;
}

/* There are few kinds, however many nodes. */
static void share_least_cpus(struct tb_offer *list, uint32_t count)
{
	uint32_t kind = 0;

	while ((kind = find_next_kind(list, count, kind))) {
		uint32_t least = find_least(list, count, kind);

		for (uint32_t i = 0; i < count; i++)
			if (list[i].unequal == kind)
				list[i].cpus = least;
	}
}

int tb_classes_compare(const struct tb_offer *a, const struct tb_offer *b)
{
	if (a->larger != b->larger)
		return a->larger ? 1 : -1;
	if (a->unequal != b->unequal)
		return a->unequal < b->unequal ? -1 : 1;
	if (!a->unequal && !a->unit_size != !b->unit_size)
		return a->unit_size ? 1 : -1;
	return a->cpus < b->cpus ? -1 : a->cpus > b->cpus;
}

static int compare_offers(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;
	int order = tb_classes_compare(a, b);

	return order ? order : a->node < b->node ? -1 : a->node > b->node;
}

static int compare_hosts(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;

	if (a->larger != b->larger)
		return a->larger ? 1 : -1;
	return a->node < b->node ? -1 : a->node > b->node;
}

void tb_classes_sort(enum tb_type type, struct tb_offer *list, uint32_t count)
{
	int (*compare)(const void *, const void *) = type == TB_HOST
							     ? compare_hosts
							     : compare_offers;

	share_least_cpus(list, count);
	/* Mostly they are in order. */
	for (uint32_t i = 1; i < count; i++)
		if (compare(&list[i - 1], &list[i]) > 0) {
			qsort(list, count, sizeof(*list), compare);
			return;
		}
}

static bool are_of_one_class(enum tb_type type, const struct tb_offer *a,
			     const struct tb_offer *b)
{
	return type == TB_HOST ? a->larger == b->larger
			       : !tb_classes_compare(a, b);
}

uint32_t tb_class_end(enum tb_type type, const struct tb_offer *list,
		      uint32_t count, uint32_t first)
{
	uint32_t end = first;

	if (first >= count)
		return 0;
	while (end < count && are_of_one_class(type, &list[first], &list[end]))
		end++;
	return end;
}

uint32_t tb_class_cpus(const struct tb_offer *list, uint32_t first,
		       uint32_t end)
{
	uint32_t cpus = list[first].cpus;

	for (uint32_t i = first; i < end; i++)
		cpus = list[i].cpus < cpus ? list[i].cpus : cpus;
	return cpus;
}

uint32_t tb_offer_tasks(const struct tb_offer *offer, enum tb_type type,
			const struct tb_asked *asked)
{
	uint32_t limit = asked->tasks_per_node, holds;

	if (type == TB_SLOT || asked->overcommit)
		return offer->slots;
	holds = offer->runs / (asked->task_cpus ? asked->task_cpus : 1);
	return limit && limit < holds ? limit : holds;
}

/* Tasks of a host share the units, and so the memory that goes with them. */
uint32_t tb_offer_tasks_in_memory(const struct tb_offer *offer,
				  enum tb_type type, uint32_t tasks,
				  uint64_t per_cpu, uint64_t memory)
{
	uint64_t wanted = per_cpu * offer->cpus;

	if (type == TB_HOST)
		return wanted > memory ? 0 : tasks;
	return wanted && memory / wanted < tasks ? (uint32_t)(memory / wanted)
						 : tasks;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All containers have the same size; as few as possible are taken.  So what a set
 * of them has too much is less than each of them has, and any one can keep it: one
 * that is not whole does so without being broken.
 */
#include "flat.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "fewest.h"
#include "sort.h"
#include "take.h"

struct tb_flat {
	uint32_t size;	    /* units of a container, in use or not */
	uint32_t *units;    /* available, by sibling */
	uint32_t *with;	    /* how many siblings have 0, 1, ... units */
	uint32_t nsiblings; /* with units, of those that were counted */
};

/* What is still to be taken. */
struct rest {
	uint32_t units, containers;
};

struct tb_flat *tb_flat_create(const struct tb_topology *topology,
			       uint32_t units)
{
	struct tb_flat *flat = calloc(1, sizeof(*flat));

	if (!flat)
		return NULL;
	flat->units = tb_array_create(topology->most_children,
				      sizeof(*flat->units));
	flat->with = calloc((size_t)units + 1, sizeof(*flat->with));
	if (flat->units && flat->with)
		return flat;
	tb_flat_destroy(flat);
	return NULL;
}

void tb_flat_destroy(struct tb_flat *flat)
{
	if (!flat)
		return;
	free(flat->units);
	free(flat->with);
	free(flat);
}

/* Count the available units of siblings.  False when they are not equal. */
static bool count_siblings(struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_flat *flat = placer->flat;
	uint32_t count = topology->nodes[node].nchildren;
	const uint32_t *children = tb_sorted_children(placer, node);
	uint16_t level = topology->nodes[children[0]].level;

	flat->nsiblings = 0;
	flat->size = tb_count_units(placer, children[0]);
	memset(flat->with, 0, (flat->size + 1) * sizeof(*flat->with));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t child = children[i];

		if (!tb_fewest_is_plain(placer, child) ||
		    topology->nodes[child].level != level ||
		    (i && tb_count_units(placer, child) != flat->size))
			return false;
		flat->units[i] = tb_count_available(placer, child);
		flat->with[flat->units[i]]++;
		flat->nsiblings += flat->units[i] > 0;
	}
	return flat->size > 1;
}

/*
 * The most units that so many of the counted siblings have together; with one
 * among them that is not whole, if broken is 1, and 0 when there is none.
 */
static uint32_t find_most(const struct tb_flat *flat, uint32_t containers,
			  uint32_t broken)
{
	uint32_t whole = flat->with[flat->size];
	uint32_t most;

	if (broken && whole == flat->nsiblings)
		return 0;
	if (whole > containers - broken)
		whole = containers - broken;
	most = whole * flat->size;
	containers -= whole;
	for (uint32_t n = flat->size - 1; n && containers; n--) {
		uint32_t taken = flat->with[n] < containers ? flat->with[n]
							    : containers;

		most += taken * n;
		containers -= taken;
	}
	return most;
}

static uint32_t find_fewest(const struct tb_flat *flat, uint32_t amount)
{
	uint32_t containers = 1;

	while (find_most(flat, containers, 0) < amount)
		containers++;
	return containers;
}

/* Can the rest be taken of the siblings that are counted, and none be broken? */
static bool none_breaks(const struct tb_flat *flat, struct rest rest)
{
	if (!rest.containers)
		return !rest.units;
	return (rest.units == rest.containers * flat->size &&
		flat->with[flat->size] >= rest.containers) ||
	       find_most(flat, rest.containers, 1) >= rest.units;
}

/* How many units to take of a sibling with so many, so that none is broken. */
static uint32_t find_share(const struct tb_flat *flat, struct rest rest,
			   uint32_t units)
{
	uint32_t others = (rest.containers - 1) * flat->size;
	uint32_t share = units < rest.units ? units : rest.units;

	if (share < units && units == flat->size)
		return 0;
	if (none_breaks(flat, (struct rest){ rest.units - share,
					     rest.containers - 1 }))
		return share;
	/* A part of it, and the others whole. */
	if (units < flat->size && rest.units > others &&
	    rest.units - others < share &&
	    flat->with[flat->size] >= rest.containers - 1)
		return rest.units - others;
	return 0;
}

/* When one must be broken, only sets of whole ones are large enough. */
static uint32_t find_share_of_whole(const struct tb_flat *flat,
				    struct rest rest, uint32_t units)
{
	if (units < flat->size)
		return 0;
	return units < rest.units ? units : rest.units;
}

static void take_of_siblings(struct tb_placer *placer, uint32_t node)
{
	struct tb_flat *flat = placer->flat;
	const uint32_t *children = tb_sorted_children(placer, node);
	uint32_t count = placer->topology->nodes[node].nchildren;
	struct rest rest = { placer->amount,
			     find_fewest(flat, placer->amount) };
	bool breaks = !none_breaks(flat, rest);

	for (uint32_t i = 0; rest.units && i < count; i++) {
		uint32_t units = flat->units[i];
		uint32_t share;

		if (!units)
			continue;
		flat->with[units]--;
		flat->nsiblings--;
		share = breaks ? find_share_of_whole(flat, rest, units)
			       : find_share(flat, rest, units);
		if (!share)
			continue;
		rest.units -= share;
		rest.containers--;
		tb_take_units_below(placer, children[i], &share);
	}
}

/* The only child with units, as long as there is one. */
static uint32_t find_fork(struct tb_placer *placer, uint32_t node)
{
	const struct tb_topology *topology = placer->topology;

	while (topology->nodes[node].nchildren == 1)
		node = topology->children[topology->nodes[node].first_child];
	return node;
}

bool tb_take_flat(struct tb_placer *placer, uint32_t place)
{
	uint32_t fork = find_fork(placer, place);

	if (!placer->topology->nodes[fork].nchildren || *placer->sort ||
	    !count_siblings(placer, fork))
		return false;
	take_of_siblings(placer, fork);
	return true;
}

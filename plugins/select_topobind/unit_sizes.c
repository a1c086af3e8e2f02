/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_sizes.h"

#include <string.h>

#include "src/common/xmalloc.h"

#include "core/share.h"

/* The place of a kind of unit in what a shape remembers. */
static unsigned place_of(struct tb_unit unit)
{
	static const char letters[] = "TCYXNS";

	return 2 * (strchr(letters, unit.letter) - letters) +
	       (unit.kind == TB_EFFICIENCY);
}

/* The first thread of a core of Slurm. */
static uint32_t first_thread(const struct tb_shape *shape, uint32_t core)
{
	return shape->by_thread
		? core : tb_core_first_thread(shape->topology, core);
}

/* How many cores the unit of each core has; NULL: all as many. */
static uint16_t *count_cores(const struct tb_shape *shape, struct tb_unit unit)
{
	uint32_t threads = tb_topology_threads(shape->topology);
	uint32_t cores = shape->cores->nbits, first = TB_NO_UNIT;
	uint32_t *unit_of = xcalloc(threads, sizeof(*unit_of));
	uint16_t *counts = xcalloc(threads, sizeof(*counts));
	uint16_t *sizes = xcalloc(cores, sizeof(*sizes));
	bool differ = false;

	tb_units_of_threads(shape->topology, unit, unit_of);
	for (uint32_t core = 0; core < cores; core++)
		if (unit_of[first_thread(shape, core)] != TB_NO_UNIT)
			counts[unit_of[first_thread(shape, core)]]++;
	for (uint32_t core = 0; core < cores; core++) {
		uint32_t own = unit_of[first_thread(shape, core)];

		if (own == TB_NO_UNIT)
			continue;
		sizes[core] = counts[own];
		if (first == TB_NO_UNIT)
			first = core;
		differ = differ || sizes[core] != sizes[first];
	}
	xfree(unit_of);
	xfree(counts);
	if (!differ)
		xfree(sizes);
	return sizes;
}

static const uint16_t *sizes_of(struct tb_shape *shape, struct tb_unit unit)
{
	unsigned place = place_of(unit);

	if (!(shape->sizes_known & 1u << place)) {
		shape->sizes[place] = count_cores(shape, unit);
		shape->sizes_known |= 1u << place;
	}
	return shape->sizes[place];
}

uint32_t tb_unit_size_after(struct tb_shape *shape, struct tb_unit unit,
			    uint32_t size)
{
	const uint16_t *sizes = sizes_of(shape, unit);
	uint32_t next = 0;

	for (uint32_t core = 0; sizes && core < shape->cores->nbits; core++)
		if (sizes[core] > size && (!next || sizes[core] < next))
			next = sizes[core];
	return next;
}

void tb_unit_size_only(struct tb_shape *shape, struct tb_unit unit,
		       uint32_t size, bool shares)
{
	const uint16_t *sizes = sizes_of(shape, unit);

	tb_bitset_clear_all(shape->cores);
	for (uint32_t core = 0; sizes && core < shape->cores->nbits; core++)
		if (sizes[core] && sizes[core] != size)
			tb_bitset_set(shape->cores, core);
	tb_shape_threads(shape, shape->cores, shape->threads);
	tb_bitset_or(shape->used, shape->threads);
	for (unsigned i = tb_bitset_next(shape->threads, 0);
	     shares && i < shape->threads->nbits;
	     i = tb_bitset_next(shape->threads, i + 1))
		shape->held[i].jobs = TB_SHARE_NEVER;
}

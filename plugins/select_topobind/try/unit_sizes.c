/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_sizes.h"

#include <string.h>

#include "src/common/xmalloc.h"

#include "core/place/share.h"

/* The place of a kind of unit in what a shape remembers. */
static unsigned find_size_place(struct tb_unit unit)
{
	static const char letters[] = "TCYXNS";

	return 2 * (strchr(letters, unit.letter) - letters) +
	       (unit.kind == TB_EFFICIENCY);
}

/* In a list by thread the unit of a core of Slurm. */
static uint32_t find_unit(const struct tb_shape *shape, const uint32_t *unit_of,
			  uint32_t core)
{
	return unit_of[tb_shape_core_threads(shape, core).first];
}

/* How many cores the unit of each core has; NULL: all as many. */
static uint16_t *count_cores(const struct tb_shape *shape, struct tb_unit unit)
{
	uint32_t threads = tb_topology_threads(shape->topology);
	uint32_t cores = shape->ncores, first = TB_NO_UNIT;
	uint32_t *unit_of = xcalloc(threads, sizeof(*unit_of));
	uint16_t *counts = xcalloc(threads, sizeof(*counts));
	uint16_t *sizes = xcalloc(cores, sizeof(*sizes));
	bool differ = false;

	tb_units_of_threads(shape->topology, unit, unit_of);
	for (uint32_t core = 0; core < cores; core++)
		if (find_unit(shape, unit_of, core) != TB_NO_UNIT)
			counts[find_unit(shape, unit_of, core)]++;
	for (uint32_t core = 0; core < cores; core++) {
		uint32_t own = find_unit(shape, unit_of, core);

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

static const uint16_t *find_sizes(struct tb_shape *shape, struct tb_unit unit)
{
	unsigned place = find_size_place(unit);

	if (!(shape->sizes_known & 1u << place)) {
		shape->sizes[place] = count_cores(shape, unit);
		shape->sizes_known |= 1u << place;
	}
	return shape->sizes[place];
}

uint32_t tb_unit_size_after(struct tb_shape *shape, struct tb_unit unit,
			    uint32_t size)
{
	const uint16_t *sizes = find_sizes(shape, unit);
	uint32_t next = 0;

	for (uint32_t core = 0; sizes && core < shape->ncores; core++)
		if (sizes[core] > size && (!next || sizes[core] < next))
			next = sizes[core];
	return next;
}

void tb_unit_size_only(struct tb_shape *shape, struct tb_unit unit,
		       uint32_t size, bool larger, bool shares,
		       struct tb_scratch *scratch)
{
	const uint16_t *sizes = find_sizes(shape, unit);

	tb_bitset_clear_all(scratch->cores);
	for (uint32_t core = 0; sizes && core < shape->ncores; core++)
		if (sizes[core] &&
		    (larger ? sizes[core] < size : sizes[core] != size))
			tb_bitset_set(scratch->cores, core);
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	tb_bitset_or(scratch->used, scratch->threads);
	if (!shares)
		return;
	TB_BITSET_EACH(i, scratch->threads)
		scratch->holders[i].jobs = TB_SHARE_NEVER;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_sizes.h"

#include <stdlib.h>

#include "core/base/array.h"

static uint32_t get_first_thread(const struct tb_topology *topology,
				 bool by_thread, uint32_t core)
{
	return by_thread ? core : tb_core_first_thread(topology, core);
}

/* Into sizes, by units by thread; counts is scratch.  Do they differ? */
static bool fill_sizes(const struct tb_topology *topology, bool by_thread,
		       uint32_t cores, const uint32_t *unit_of,
		       uint16_t *counts, uint16_t *sizes)
{
	uint16_t first = 0;
	bool differ = false;

	for (uint32_t core = 0; core < cores; core++) {
		uint32_t own =
			unit_of[get_first_thread(topology, by_thread, core)];

		if (own != TB_NO_UNIT)
			counts[own]++;
	}
	for (uint32_t core = 0; core < cores; core++) {
		uint32_t own =
			unit_of[get_first_thread(topology, by_thread, core)];

		if (own == TB_NO_UNIT)
			continue;
		sizes[core] = counts[own];
		first = first ? first : sizes[core];
		differ = differ || sizes[core] != first;
	}
	return differ;
}

uint16_t *tb_unit_sizes(const struct tb_topology *topology, struct tb_unit unit,
			bool by_thread)
{
	uint32_t threads = tb_topology_threads(topology);
	uint32_t cores = by_thread ? threads : tb_topology_cores(topology);
	uint32_t *unit_of = tb_array_create(threads, sizeof(*unit_of));
	uint16_t *counts = tb_array_create(threads, sizeof(*counts));
	uint16_t *sizes = tb_array_create(cores, sizeof(*sizes));
	bool differ = false;

	if (unit_of && counts && sizes) {
		tb_units_of_threads(topology, unit, unit_of);
		differ = fill_sizes(topology, by_thread, cores, unit_of, counts,
				    sizes);
	}
	free(unit_of);
	free(counts);
	if (differ)
		return sizes;
	free(sizes);
	return NULL;
}

uint32_t tb_unit_sizes_after(const uint16_t *sizes, uint32_t cores,
			     uint32_t size)
{
	uint32_t next = 0;

	for (uint32_t core = 0; sizes && core < cores; core++)
		if (sizes[core] > size && (!next || sizes[core] < next))
			next = sizes[core];
	return next;
}

void tb_unit_sizes_others(const uint16_t *sizes, uint32_t size, bool larger,
			  struct tb_bitset *cores)
{
	for (uint32_t core = 0; sizes && core < cores->nbits; core++)
		if (sizes[core] &&
		    (larger ? sizes[core] < size : sizes[core] != size))
			tb_bitset_set(cores, core);
}

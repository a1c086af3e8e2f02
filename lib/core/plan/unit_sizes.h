/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_sizes.h - nodes whose own units differ in size
 *
 * The size of a unit is the number of Slurm's cores that it has.  Slurm counts slots
 * of one size, so where sizes differ each of them is tried by itself (classes.h).
 */
#ifndef TB_CORE_PLAN_UNIT_SIZES_H
#define TB_CORE_PLAN_UNIT_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/topology/topology.h"
#include "core/topology/unit.h"

/*
 * How many cores the unit of each core has; 0: it is in none.  by_thread: Slurm's
 * cores are the threads.  malloc()ed; NULL: all as many, or out of memory.
 */
uint16_t *tb_unit_sizes(const struct tb_topology *topology, struct tb_unit unit,
			bool by_thread);

/* The next larger size; 0: there is none, also where sizes is NULL. */
uint32_t tb_unit_sizes_after(const uint16_t *sizes, uint32_t cores,
			     uint32_t size);

/* Add the cores of units of other sizes; larger: of smaller ones. */
void tb_unit_sizes_others(const uint16_t *sizes, uint32_t size, bool larger,
			  struct tb_bitset *cores);

#endif

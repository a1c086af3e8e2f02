/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_sizes.h - nodes whose own units differ in size
 *
 * When a part of a machine is switched off some of its caches have fewer cores
 * than others.  All slots of a job are equally large, so a node is also asked what
 * it can offer as if it had units of one size only.  Sizes are in cores of Slurm
 * and remembered with the shape.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_UNIT_SIZES_H
#define TB_SELECT_TOPOBIND_TRY_UNIT_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/request/request.h"

#include "select_topobind/nodes/nodes.h"

/*
 * The smallest size of the shape's units that is larger than this one; 0 when
 * there is none, or they are all equally large.
 */
uint32_t tb_unit_size_after(struct tb_shape *shape, struct tb_unit unit,
			    uint32_t size);

/*
 * Add all other units, or with larger those that are smaller, to scratch->used,
 * and to scratch->holders of a test that shares.  Changes scratch->cores and
 * scratch->threads.
 */
void tb_unit_size_only(struct tb_shape *shape, struct tb_unit unit,
		       uint32_t size, bool larger, bool shares,
		       struct tb_scratch *scratch);

#endif

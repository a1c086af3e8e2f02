/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_sizes.h"

#include <string.h>

#include "src/common/xmalloc.h"

#include "core/place/share.h"
#include "core/plan/unit_sizes.h"

/* The place of a kind of unit in what a shape remembers. */
static unsigned find_size_place(struct tb_unit unit)
{
	static const char letters[] = "TCYXNS";

	return 2 * (strchr(letters, unit.letter) - letters) +
	       (unit.kind == TB_EFFICIENCY);
}

static const uint16_t *find_sizes(struct tb_shape *shape, struct tb_unit unit)
{
	unsigned place = find_size_place(unit);

	if (!(shape->sizes_known & 1u << place)) {
		shape->sizes[place] = tb_unit_sizes(shape->topology, unit,
						    shape->by_thread);
		shape->sizes_known |= 1u << place;
	}
	return shape->sizes[place];
}

uint32_t tb_unit_size_after(struct tb_shape *shape, struct tb_unit unit,
			    uint32_t size)
{
	return tb_unit_sizes_after(find_sizes(shape, unit), shape->ncores,
				   size);
}

void tb_unit_size_only(struct tb_shape *shape, struct tb_unit unit,
		       uint32_t size, bool larger, bool shares,
		       struct tb_scratch *scratch)
{
	tb_bitset_clear_all(scratch->cores);
	tb_unit_sizes_others(find_sizes(shape, unit), size, larger,
			     scratch->cores);
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	tb_bitset_or(scratch->used, scratch->threads);
	if (!shares)
		return;
	TB_BITSET_EACH(i, scratch->threads)
		scratch->holders[i].jobs = TB_SHARE_NEVER;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scratch.h"

#include "compat/select_compat.h"

#include "src/common/xmalloc.h"

void tb_scratch_destroy(struct tb_scratch *scratch)
{
	if (!scratch)
		return;
	tb_bitset_destroy(scratch->used);
	tb_bitset_destroy(scratch->masked);
	tb_bitset_destroy(scratch->threads);
	tb_bitset_destroy(scratch->cores);
	tb_bitset_destroy(scratch->placed);
	tb_bitset_destroy(scratch->state);
	tb_bitset_destroy(scratch->blocked);
	tb_bitset_destroy(scratch->tried);
	xfree(scratch->memory);
	xfree(scratch->available);
	xfree(scratch->holders);
	xfree(scratch);
}

struct tb_scratch *tb_scratch_create(uint32_t threads, uint32_t cores,
				     uint32_t numa_nodes)
{
	struct tb_scratch *scratch = xmalloc(sizeof(*scratch));

	scratch->used = tb_bitset_create(threads);
	scratch->masked = tb_bitset_create(threads);
	scratch->threads = tb_bitset_create(threads);
	scratch->cores = tb_bitset_create(cores);
	scratch->placed = tb_bitset_create(cores);
	scratch->state = tb_bitset_create(64 * (3 * cores + 2));
	scratch->blocked = tb_bitset_create(cores);
	scratch->tried = tb_bitset_create(cores);
	scratch->memory = xcalloc(3 * numa_nodes + 1, sizeof(*scratch->memory));
	scratch->available = xcalloc(numa_nodes + 1,
				     sizeof(*scratch->available));
	scratch->holders = xcalloc(threads, sizeof(*scratch->holders));
	if (scratch->used && scratch->masked && scratch->threads &&
	    scratch->cores && scratch->placed && scratch->state &&
	    scratch->blocked && scratch->tried)
		return scratch;
	tb_scratch_destroy(scratch);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "available.h"

#include "window.h"

static void find_free_threads(struct tb_placer *placer)
{
	uint32_t nthreads = placer->topology->nthreads;

	tb_bitset_clear_all(placer->available);
	tb_bitset_or_range(placer->available,
			   placer->topology->kind_threads[placer->kind], 0,
			   nthreads);
	tb_bitset_andnot_range(placer->available, placer->busy, 0, nthreads);
}

/*
 * All cores at once: add ones to all but the last thread of each core.  A used
 * thread among them carries into the last thread, and no further.  So the last
 * thread is then set when any thread of the core is used.
 */
static void find_free_cores(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_bitset *ends = topology->core_ends;
	const struct tb_bitset *busy = placer->busy;
	uint64_t carry = 0;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++) {
		uint64_t rest = busy->words[i] & ~ends->words[i];
		uint64_t sum = rest + ~ends->words[i] + carry;

		/* The last word's ones past the end carry nowhere. */
		carry = sum < rest || (carry && sum == rest);
		placer->available->words[i] =
			ends->words[i] & ~(sum | busy->words[i]) &
			topology->kind_threads[placer->kind]->words[i];
	}
}

static void find_free_containers(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	uint32_t count = tb_run_below(topology, 0, placer->class).count;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < count; i++)
		if (tb_object_is_free(topology, placer->class, i, placer->kind,
				      placer->busy))
			tb_bitset_set(placer->available, i);
}

void tb_find_free(struct tb_placer *placer)
{
	switch (placer->class) {
	case TB_CLASS_THREAD:
		find_free_threads(placer);
		break;
	case TB_CLASS_CORE:
		find_free_cores(placer);
		break;
	default:
		find_free_containers(placer);
	}
}

bool tb_find_available(struct tb_placer *placer)
{
	bool windowed = placer->start || placer->stop;

	if (windowed && !tb_window_find(placer))
		return false;
	tb_find_free(placer);
	if (windowed)
		tb_bitset_and(placer->available, placer->window);
	return true;
}

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
	if (placer->any_masked)
		tb_bitset_andnot_range(placer->available, placer->masked, 0,
				       nthreads);
}

/* A core with a thread that is not masked runs tasks. */
static void leave_masked_cores(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	uint64_t carry = 0;

	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++)
		placer->available->words[i] &=
			tb_core_ends_with(topology->core_ends->words[i],
					  ~placer->masked->words[i], &carry);
}

/* All cores at once. */
static void find_free_cores(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_bitset *ends = topology->core_ends;
	const struct tb_bitset *busy = placer->busy;
	uint64_t carry = 0;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < (topology->nthreads + 63) / 64; i++) {
		uint64_t used = tb_core_ends_with(ends->words[i],
						  busy->words[i], &carry);

		placer->available->words[i] =
			ends->words[i] & ~used &
			topology->kind_threads[placer->kind]->words[i];
	}
	if (placer->any_masked)
		leave_masked_cores(placer);
}

static void find_free_containers(struct tb_placer *placer)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_bitset *masked = placer->any_masked ? placer->masked
							    : NULL;
	uint32_t count = tb_run_below(topology, 0, placer->class).count;

	tb_bitset_clear_all(placer->available);
	for (uint32_t i = 0; i < count; i++)
		if (tb_object_is_free(topology, placer->class, i, placer->kind,
				      placer->busy) &&
		    (!masked || tb_object_runs_tasks(topology, placer->class, i,
						     placer->kind, masked)))
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

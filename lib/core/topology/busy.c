/* SPDX-License-Identifier: GPL-2.0-or-later */
/* busy.c - see busy.h */
#include "busy.h"

#include <stdlib.h>
#include <string.h>

bool tb_is_idle(double busy)
{
	return busy < TB_IDLE_BELOW;
}

/* The thread's unit, which may be new: units have their first threads as numbers. */
static struct tb_busy_unit *find_unit(struct tb_busy *measured,
				      const uint32_t *unit_of, unsigned thread)
{
	struct tb_busy_unit *unit = measured->units;

	for (unsigned i = 0; i < measured->nunits; i++, unit++)
		if (unit_of[tb_bitset_next(unit->threads, 0)] ==
		    unit_of[thread])
			return unit;
	return unit;
}

static int add_thread(struct tb_busy *measured, const uint32_t *unit_of,
		      unsigned nthreads, unsigned thread, double busy)
{
	struct tb_busy_unit *unit = find_unit(measured, unit_of, thread);

	if (!unit->threads) {
		unit->threads = tb_bitset_create(nthreads);
		if (!unit->threads)
			return -1;
		measured->nunits++;
	}
	tb_bitset_set(unit->threads, thread);
	unit->busy += busy;
	return 0;
}

static int add_threads(struct tb_busy *measured, const uint32_t *unit_of,
		       const struct tb_bitset *threads, const double *busy)
{
	for (unsigned i = 0; i < threads->nbits; i++)
		if (tb_bitset_test(threads, i) && unit_of[i] != TB_NO_UNIT &&
		    add_thread(measured, unit_of, threads->nbits, i, busy[i]))
			return -1;
	return 0;
}

/* Sums become means. */
static void divide(struct tb_busy *measured)
{
	unsigned threads = 0;

	for (unsigned i = 0; i < measured->nunits; i++) {
		struct tb_busy_unit *unit = &measured->units[i];
		unsigned count = tb_bitset_count(unit->threads);

		threads += count;
		measured->mean += unit->busy;
		unit->busy /= count;
		measured->idle += tb_is_idle(unit->busy);
	}
	if (threads)
		measured->mean /= threads;
}

int tb_busy_measure(const struct tb_topology *topology, struct tb_unit unit,
		    const struct tb_bitset *threads, const double *busy,
		    struct tb_busy *measured)
{
	unsigned nthreads = tb_topology_threads(topology);
	uint32_t *unit_of = calloc(nthreads + 1, sizeof(*unit_of));
	int rc = -1;

	memset(measured, 0, sizeof(*measured));
	measured->units = calloc(tb_bitset_count(threads) + 1,
				 sizeof(*measured->units));
	if (unit_of && measured->units) {
		tb_units_of_threads(topology, unit, unit_of);
		rc = add_threads(measured, unit_of, threads, busy);
	}
	free(unit_of);
	if (rc)
		tb_busy_clear(measured);
	else
		divide(measured);
	return rc;
}

void tb_busy_clear(struct tb_busy *measured)
{
	for (unsigned i = 0; i < measured->nunits; i++)
		tb_bitset_destroy(measured->units[i].threads);
	free(measured->units);
	memset(measured, 0, sizeof(*measured));
}

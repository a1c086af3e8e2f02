/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy the units of a job are. */
#include "unit_test.h"

#include "core/topology/busy.h"

#define MOST_UNITS 4

/* What the job has is lower case. */
static const struct row {
	const char *job;
	struct tb_unit unit;
	double busy[8]; /* of each thread */
	unsigned nunits, idle;
	double mean, wanted[MOST_UNITS]; /* of each unit */
} rows[] = {
	{ "NSXccXcc", { 'X', 0 }, { 1, 1, 0, 0 }, 2, 1, .5, { 1, 0 } },
	{ "NSXccXcc", { 'X', 0 }, { 1, 0, .5, .5 }, 2, 0, .5, { .5, .5 } },
	/* A unit of which only a part is the job's. */
	{ "NSXCcXcc", { 'X', 0 }, { 1, .25, 0, .5 }, 2, 0, .25, { .25, .25 } },
	{ "NSXCCXcc", { 'X', 0 }, { 1, 1, 0, 0 }, 1, 1, 0, { 0 } },
	{ "NSXccXcc",
	  { 'C', 0 },
	  { 1, 0, .04, .05 },
	  4,
	  2,
	  .2725,
	  { 1, 0, .04, .05 } },
	{ "NSXcttXctt", { 'C', 0 }, { 1, 0, 0, 0 }, 2, 1, .25, { .5, 0 } },
	/* Cores of the other kind are in no unit. */
	{ "NSXceXce",
	  { 'C', TB_EFFICIENCY },
	  { 1, .5, 1, .1 },
	  2,
	  0,
	  .3,
	  { .5, .1 } },
	{ "NSXCCXCC", { 'X', 0 }, { 1, 1, 1, 1 }, 0, 0, 0, { 0 } },
};

static void check_row(const struct row *row)
{
	struct tb_bitset *threads;
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(row->job, &threads,
							 &err);
	struct tb_busy measured;

	assert_non_null(topology);
	assert_int_equal(tb_busy_measure(topology, row->unit, threads,
					 row->busy, &measured),
			 0);
	assert_int_equal(measured.nunits, row->nunits);
	assert_int_equal(measured.idle, row->idle);
	assert_true(measured.mean > row->mean - 1e-9 &&
		    measured.mean < row->mean + 1e-9);
	for (unsigned i = 0; i < row->nunits; i++)
		assert_true(measured.units[i].busy > row->wanted[i] - 1e-9 &&
			    measured.units[i].busy < row->wanted[i] + 1e-9);
	tb_busy_clear(&measured);
	tb_bitset_destroy(threads);
	tb_topology_destroy(topology);
}

static void test_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slot of several units in the fewest containers, against the oracle, which tries
 * every division: in all states of even shapes of up to 16 threads, and in random
 * states of larger ones.  And what the tests of other concepts do not look at.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "oracle.h"

#define LARGER_CASES 10000

/* Sockets or NUMA nodes, L3 caches in each, cores in each. */
struct shape {
	const char *outer; /* letters of the outer containers */
	unsigned outers, caches, cores, threads;
};

static void add(char *text, const char *more)
{
	assert_true(strlen(text) + strlen(more) < RANDOM_TEXT);
	strcat(text, more);
}

static unsigned units_of(const struct shape *shape)
{
	return shape->cores * shape->threads;
}

/* The first units of each cache are free: so many in the i-th. */
static void print_state(const struct shape *shape, const unsigned *free,
			char text[RANDOM_TEXT])
{
	text[0] = '\0';
	for (unsigned i = 0; i < shape->outers * shape->caches; i++) {
		if (i % shape->caches == 0) {
			add(text, "(");
			add(text, shape->outer);
		}
		add(text, "(X");
		for (unsigned t = 0; t < units_of(shape); t++) {
			add(text, t % shape->threads == 0 ? "(C" : "");
			add(text, t < free[i] ? "(T)" : "(t)");
			add(text, (t + 1) % shape->threads == 0 ? ")" : "");
		}
		add(text, (i + 1) % shape->caches == 0 ? "))" : ")");
	}
}

/* How many containers of so many threads each a set touches. */
static unsigned count_touched(uint32_t threads, unsigned size)
{
	unsigned touched = 0;

	for (unsigned first = 0; first < 32; first += size)
		touched += (threads >> first & ((1u << size) - 1)) != 0;
	return touched;
}

/* Place one slot: its threads by tb_place() and by the oracle. */
static void place_both(const struct random_case *c, const unsigned *distances,
		       uint32_t *placed, uint32_t *expected)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(c->topology, &used,
							 NULL);
	struct tb_placer *placer;
	struct tb_request request;
	struct oracle_result result;

	assert_non_null(topology);
	if (distances)
		assert_int_equal(tb_topology_set_distances(
					 topology, distances,
					 tb_topology_count(topology, 'N'),
					 NULL),
				 0);
	placer = tb_placer_create(topology);
	random_case_request(c, &request);
	oracle_place(c, distances, &result);
	assert_int_equal(tb_place(placer, &request, used, c->nslots),
			 result.slots);
	*placed = (uint32_t)tb_placed_threads(placer)->words[0];
	*expected = result.groups[0];
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

/* Is it the oracle's choice?  Any is at most one container over it. */
static bool agrees(const struct shape *shape, const unsigned *free,
		   unsigned amount, const unsigned *distances)
{
	struct random_case c = { .bunit = "C",
				 .btype = "host",
				 .bstrategy = "packed",
				 .nslots = 1 };
	unsigned cache = units_of(shape), outer = cache * shape->caches;
	uint32_t placed, expected;

	if (shape->threads > 1)
		strcpy(c.bunit, "T");
	print_state(shape, free, c.topology);
	snprintf(c.bamount, sizeof(c.bamount), "%u", amount);
	place_both(&c, distances, &placed, &expected);
	if (placed != expected)
		random_case_print(&c);
	assert_in_range(count_touched(placed, cache), 0,
			count_touched(expected, cache) + 1);
	assert_in_range(count_touched(placed, outer), 0,
			count_touched(expected, outer) + 1);
	return placed == expected;
}

/* The next state in the order of numbers; false after the last one. */
static bool find_next_state(const struct shape *shape, unsigned *free)
{
	for (unsigned i = 0; i < shape->outers * shape->caches; i++) {
		if (free[i] < units_of(shape)) {
			free[i]++;
			return true;
		}
		free[i] = 0;
	}
	return false;
}

static void check_all_states(const struct shape *shape)
{
	unsigned free[16] = { 0 };
	unsigned units = shape->outers * shape->caches * units_of(shape);

	do {
		for (unsigned amount = 2; amount <= units; amount++)
			assert_true(agrees(shape, free, amount, NULL));
	} while (find_next_state(shape, free));
}

static void test_all_states(void **state)
{
	static const struct shape shapes[] = {
		{ "S", 1, 2, 8, 1 }, { "S", 1, 3, 5, 1 }, { "S", 1, 4, 4, 1 },
		{ "S", 1, 5, 3, 1 }, { "S", 1, 8, 2, 1 }, { "S", 2, 2, 4, 1 },
		{ "N", 4, 1, 4, 1 }, { "S", 2, 4, 2, 1 }, { "N", 4, 2, 2, 1 },
		{ "S", 2, 2, 2, 2 }, { "S", 1, 4, 2, 2 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		check_all_states(&shapes[i]);
}

/* Between the NUMA nodes of a shape; a few values, both ways the same. */
static void random_distances(struct random *random, unsigned count,
			     unsigned *distances)
{
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j <= i; j++) {
			unsigned distance =
				i == j ? 10 : 12 + random_below(random, 4) * 6;

			distances[i * count + j] = distance;
			distances[j * count + i] = distance;
		}
}

static void test_larger(void **state)
{
	static const struct shape shapes[] = {
		{ "S", 2, 3, 5, 1 }, { "N", 4, 2, 4, 1 }, { "N", 5, 1, 6, 1 },
		{ "S", 3, 2, 5, 1 }, { "S", 1, 6, 5, 1 }, { "N", 7, 1, 4, 1 },
		{ "N", 2, 2, 4, 2 },
	};
	struct random random = { 31 };
	unsigned distances[64], free[16], others = 0;

	(void)state;
	for (unsigned n = 0; n < LARGER_CASES; n++) {
		const struct shape *shape =
			&shapes[random_below(&random,
					     sizeof(shapes) / sizeof(*shape))];
		bool measured = shape->outer[0] == 'N' &&
				random_percent(&random, 50);

		for (unsigned i = 0; i < shape->outers * shape->caches; i++)
			free[i] = random_below(&random, units_of(shape) + 1);
		random_distances(&random, shape->outers, distances);
		others += !agrees(shape, free, 2 + random_below(&random, 12),
				  measured ? distances : NULL);
	}
	assert_in_range(others, 0, LARGER_CASES / 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_states),
		cmocka_unit_test(test_larger),
	};

	return cmocka_run_group_tests_name("fewest", tests, NULL, NULL);
}

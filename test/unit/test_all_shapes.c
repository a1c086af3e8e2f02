/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A slot of several units in the fewest containers, against the oracle, on all
 * shapes of sockets and L3 caches: whatever numbers of caches and cores each has.
 * Two shapes that differ only in the order of their parts are one.
 *
 * In "make check" shapes of up to 10 threads, with a few states each.  By hand:
 *
 *	test/unit/test_all_shapes THREADS STATES
 *
 * prints how many placements were the oracle's (16 threads and 5 states: minutes).
 */
#include "unit_test.h"

#include <stdlib.h>

#include "core/place/place.h"
#include "oracle.h"

#define MOST_THREADS 16

static unsigned most_threads = 10, states_each = 4;

/* Numbers of cores by cache; each cache lies in the socket of its number. */
struct shape {
	unsigned cores[MOST_THREADS], socket[MOST_THREADS], free[MOST_THREADS];
	unsigned caches, sockets, threads;
};

struct counts {
	unsigned long shapes, cases, same, more_caches, more_sockets;
};

static void print_state(const struct shape *shape, char text[RANDOM_TEXT])
{
	char *end = text;

	for (unsigned i = 0; i < shape->caches; i++) {
		if (!i || shape->socket[i] != shape->socket[i - 1])
			end += sprintf(end, "(S");
		end += sprintf(end, "(X");
		for (unsigned core = 0; core < shape->cores[i]; core++)
			end += sprintf(end, "%s",
				       core < shape->free[i] ? "(C(T))"
							     : "(C(t))");
		end += sprintf(end, ")");
		if (i + 1 == shape->caches ||
		    shape->socket[i] != shape->socket[i + 1])
			end += sprintf(end, ")");
	}
}

/* Caches, and sockets in thousands. */
static unsigned count_touched(const struct shape *shape, uint32_t threads)
{
	unsigned touched = 0, last = MOST_THREADS;

	for (unsigned i = 0; i < shape->caches; i++) {
		bool any = threads & ((1u << shape->cores[i]) - 1);

		touched += any;
		touched += any && shape->socket[i] != last ? 1000 : 0;
		if (any)
			last = shape->socket[i];
		threads >>= shape->cores[i];
	}
	return touched;
}

static void place_both(const struct random_case *c, uint32_t *placed,
		       uint32_t *expected)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(c->topology, &used,
							 NULL);
	struct tb_placer *placer;
	struct tb_request request;
	struct oracle_result result;

	assert_non_null(topology);
	placer = tb_placer_create(topology);
	random_case_request(c, &request);
	oracle_place(c, NULL, &result);
	assert_int_equal(tb_place(placer, &request, used, 1), result.slots);
	*placed = (uint32_t)tb_placed_threads(placer)->words[0];
	*expected = result.groups[0];
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

static void check_state(const struct shape *shape, unsigned amount,
			struct counts *counts)
{
	struct random_case c = { .bunit = "C",
				 .btype = "host",
				 .bstrategy = "packed",
				 .nslots = 1 };
	uint32_t placed, expected;
	unsigned got, fewest;

	print_state(shape, c.topology);
	snprintf(c.bamount, sizeof(c.bamount), "%u", amount);
	place_both(&c, &placed, &expected);
	got = count_touched(shape, placed);
	fewest = count_touched(shape, expected);
	counts->cases++;
	counts->same += placed == expected;
	counts->more_caches += got % 1000 > fewest % 1000;
	counts->more_sockets += got / 1000 > fewest / 1000;
	if (placed != expected)
		random_case_print(&c);
	assert_in_range(got % 1000, 0, fewest % 1000 + 1);
	assert_in_range(got / 1000, 0, fewest / 1000);
}

static void check_shape(struct shape *shape, struct random *random,
			struct counts *counts)
{
	counts->shapes++;
	for (unsigned n = 0; n < states_each; n++) {
		unsigned available = 0;

		for (unsigned i = 0; i < shape->caches; i++) {
			shape->free[i] = random_below(random,
						      shape->cores[i] + 1);
			available += shape->free[i];
		}
		if (available > 1)
			check_state(shape,
				    2 + random_below(random, available - 1),
				    counts);
	}
}

/* Is the list of caches of the last socket not after that of the one before? */
static bool is_in_order(const struct shape *shape)
{
	unsigned last = shape->caches, before, i = 0;

	if (shape->sockets < 2)
		return true;
	while (last && shape->socket[last - 1] == shape->sockets - 1)
		last--;
	before = last;
	while (before && shape->socket[before - 1] == shape->sockets - 2)
		before--;
	for (; last + i < shape->caches && before + i < last; i++)
		if (shape->cores[before + i] != shape->cores[last + i])
			return shape->cores[before + i] >
			       shape->cores[last + i];
	return before + i < last || last + i == shape->caches;
}

/* Add caches, each no larger than the one before it in its socket, or sockets. */
static void check_shapes_from(struct shape *shape, struct random *random,
			      struct counts *counts)
{
	unsigned at = shape->caches;
	bool in_order = is_in_order(shape);

	if (at && in_order && shape->threads > 1)
		check_shape(shape, random, counts);
	for (unsigned cores = 1; shape->threads + cores <= most_threads;
	     cores++) {
		shape->caches = at + 1;
		shape->cores[at] = cores;
		shape->threads += cores;
		if (at && cores <= shape->cores[at - 1]) {
			shape->socket[at] = shape->socket[at - 1];
			check_shapes_from(shape, random, counts);
		}
		if (in_order) {
			shape->socket[at] = shape->sockets++;
			check_shapes_from(shape, random, counts);
			shape->sockets--;
		}
		shape->threads -= cores;
		shape->caches = at;
	}
}

static void test_all(void **state)
{
	struct shape shape = { .caches = 0 };
	struct random random = { 19 };
	struct counts counts = { 0 };

	(void)state;
	check_shapes_from(&shape, &random, &counts);
	print_message(
		"%lu shapes of up to %u threads, %lu placements: %lu as the oracle's, %lu with a cache more, %lu with a socket more\n",
		counts.shapes, most_threads, counts.cases, counts.same,
		counts.more_caches, counts.more_sockets);
	assert_true(counts.shapes > 100);
	assert_true((counts.cases - counts.same) * 1000 <= counts.cases);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
	};

	if (argc == 3) {
		most_threads = (unsigned)atoi(argv[1]);
		states_each = (unsigned)atoi(argv[2]);
	}
	if (most_threads < 2 || most_threads > MOST_THREADS)
		return 2;
	return cmocka_run_group_tests_name("all shapes", tests, NULL, NULL);
}

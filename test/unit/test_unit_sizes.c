/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sizes of units, against the letters of random topology strings.
 */
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

#include "core/plan/unit_sizes.h"
#include "random_case.h"

#define RUNS 3000
#define CORES_MAX 128

static const char letters[] = "SNXY";

/* From the brackets: the cores between those of each unit. */
static unsigned read_sizes(const char *text, char unit,
			   unsigned sizes[CORES_MAX])
{
	unsigned cores = 0, first = 0, depth = 0, begun = 0;

	for (; *text; text++) {
		if (*text == unit && !begun) {
			first = cores;
			begun = depth;
		}
		sizes[cores] = 0;
		cores += *text == 'C';
		depth += *text == '(';
		if (*text != ')' || depth-- != begun)
			continue;
		for (unsigned i = first; i < cores; i++)
			sizes[i] = cores - first;
		begun = 0;
	}
	return cores;
}

static bool differ(const unsigned *sizes, unsigned cores)
{
	unsigned known = 0;

	for (unsigned i = 0; i < cores; i++) {
		if (sizes[i] && known && sizes[i] != known)
			return true;
		known = sizes[i] ? sizes[i] : known;
	}
	return false;
}

static void check_sizes(const uint16_t *found, const unsigned *sizes,
			unsigned cores)
{
	struct tb_bitset *others = tb_bitset_create(cores);
	uint32_t size = 0;

	for (unsigned i = 0; i < cores; i++)
		assert_int_equal(found[i], sizes[i]);
	while ((size = tb_unit_sizes_after(found, cores, size))) {
		tb_bitset_clear_all(others);
		tb_unit_sizes_others(found, size, false, others);
		for (unsigned i = 0; i < cores; i++)
			assert_int_equal(tb_bitset_test(others, i),
					 sizes[i] && sizes[i] != size);
		tb_bitset_clear_all(others);
		tb_unit_sizes_others(found, size, true, others);
		for (unsigned i = 0; i < cores; i++)
			assert_int_equal(tb_bitset_test(others, i),
					 sizes[i] && sizes[i] < size);
	}
	tb_bitset_destroy(others);
}

/* Whether there was something to compare. */
static bool check_topology(struct random *random)
{
	const struct random_shape shape = { .most_threads = 48 };
	struct tb_unit unit = { .letter = letters[random_below(random, 4)] };
	unsigned sizes[CORES_MAX], cores;
	struct tb_topology *topology;
	char text[RANDOM_TEXT];
	uint16_t *found;
	bool unlike;

	random_topology(random, &shape, text);
	/* On a node without it another unit is meant. */
	if (!strchr(text, unit.letter) || strchr(text, 'E'))
		return false;
	topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(topology);
	cores = read_sizes(text, unit.letter, sizes);
	assert_int_equal(cores, tb_topology_cores(topology));
	found = tb_unit_sizes(topology, unit, false);
	unlike = differ(sizes, cores);
	if (unlike != (found != NULL))
		fail_msg("%c in %s", unit.letter, text);
	if (found)
		check_sizes(found, sizes, cores);
	free(found);
	tb_topology_destroy(topology);
	return unlike;
}

static void test_random(void **state)
{
	struct random random = { 5 };
	unsigned unlike = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		unlike += check_topology(&random);
	print_message("%u of %u with sizes\n", unlike, RUNS);
	assert_true(unlike > RUNS / 20);
}

static void test_by_thread(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SXCTTXCTTCTT", NULL,
							 NULL);
	struct tb_unit unit = { .letter = 'X' };
	uint16_t *sizes = tb_unit_sizes(topology, unit, true);

	(void)state;
	assert_non_null(sizes);
	assert_int_equal(sizes[1], 2);
	assert_int_equal(sizes[2], 4);
	assert_int_equal(tb_unit_sizes_after(sizes, 6, 2), 4);
	assert_int_equal(tb_unit_sizes_after(sizes, 6, 4), 0);
	free(sizes);
	tb_topology_destroy(topology);
}

static void test_alike(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SXCCXCC", NULL, NULL);
	struct tb_unit unit = { .letter = 'X' };
	struct tb_bitset *others = tb_bitset_create(4);

	(void)state;
	assert_null(tb_unit_sizes(topology, unit, false));
	assert_int_equal(tb_unit_sizes_after(NULL, 4, 0), 0);
	tb_unit_sizes_others(NULL, 2, false, others);
	assert_true(tb_bitset_is_empty(others));
	tb_bitset_destroy(others);
	tb_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_by_thread),
		cmocka_unit_test(test_alike),
	};

	return cmocka_run_group_tests_name("unit_sizes", tests, NULL, NULL);
}

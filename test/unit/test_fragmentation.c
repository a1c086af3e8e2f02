/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many containers a placement breaks up, and how far apart its threads are.
 */
#include "unit_test.h"

#include "core/topology/fragmentation.h"
#include "random_case.h"

/* Used threads are lower case. */
static uint32_t broken(const char *text)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(text, &used, NULL);
	uint32_t count;

	assert_non_null(topology);
	count = tb_broken_containers(topology, used, used);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
	return count;
}

static void counts_what_is_partly_used(void **state)
{
	(void)state;
	assert_int_equal(broken("NSXCCXCC"), 0);
	assert_int_equal(broken("nsxccxcc"), 0);
	/* The cache, the socket, the NUMA node and the node. */
	assert_int_equal(broken("NSXcCXCC"), 4);
	/* A whole cache. */
	assert_int_equal(broken("NSxccXCC"), 3);
	assert_int_equal(broken("NSXcCXCc"), 5);
	assert_int_equal(broken("nsxccNSXCC"), 1);
	assert_int_equal(broken("NSYCtTYCTT"), 4);
}

/* Some threads are used, and some of the others are to be. */
static int32_t compare_more(struct random *random, const char *text)
{
	struct tb_topology *topology = tb_topology_parse(text, NULL, NULL);
	unsigned threads = tb_topology_threads(topology);
	unsigned percent = random_below(random, 101);
	struct tb_bitset *used = tb_bitset_create(threads);
	struct tb_bitset *more = tb_bitset_create(threads);
	int32_t before, after, difference;

	for (unsigned i = 0; i < threads; i++)
		if (random_percent(random, percent))
			tb_bitset_set(used, i);
		else if (random_percent(random, 30))
			tb_bitset_set(more, i);
	difference = tb_broken_more(topology, used, more);
	before = (int32_t)tb_broken_containers(topology, used, used);
	tb_bitset_or(used, more);
	after = (int32_t)tb_broken_containers(topology, used, used);
	assert_int_equal(difference, after - before);
	tb_bitset_destroy(more);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
	return difference;
}

static void counts_how_many_more(void **state)
{
	const struct random_shape shape = { 32, true };
	struct random random = { 11 };
	char text[RANDOM_TEXT];
	unsigned more = 0, fewer = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		int32_t difference;

		random_topology(&random, &shape, text);
		difference = compare_more(&random, text);
		more += difference > 0;
		fewer += difference < 0;
	}
	assert_true(more > 1000 && fewer > 1000);
}

static uint64_t diameter(const char *text, unsigned far)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(text, &used, NULL);
	const unsigned distances[] = { 10, far, far, 10 };
	uint64_t result;

	assert_non_null(topology);
	if (far)
		assert_int_equal(tb_topology_set_distances(topology, distances,
							   2, NULL),
				 0);
	result = tb_diameter(topology, used);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
	return result;
}

static void grows_from_object_to_object(void **state)
{
	/* From one to the next it grows. */
	static const char *const texts[] = {
		"NSXYctt"
		"YCTTXYCTT"
		"NSXYCTTYCTT",
		"NSXYcTTYCTT"
		"XYCTTYCTTNSXYCTT",
	};
	uint64_t core = diameter("NSXYcYCXYCNSXYCYC", 0);
	uint64_t l2 = diameter("NSXYccYCXYCNSXYCYC", 0);
	uint64_t l3 = diameter("NSXYcYcXYCNSXYCYC", 0);
	uint64_t socket = diameter("NSXYcYCXYcNSXYCYC", 0);
	uint64_t outer = diameter("SNXYcYCNXYcYCSNXYC", 0);
	uint64_t node = diameter("SNXYcYCNXYCYCSNXYc", 0);

	(void)state;
	assert_int_equal(core, 0);
	assert_int_equal(diameter("NSXYC", 0), 0);
	assert_int_equal(diameter(texts[0], 0), 0);
	assert_true(core < l2 && l2 < l3 && l3 < socket && socket < outer &&
		    outer < node);
}

static void counts_distances(void **state)
{
	uint64_t near = diameter("NSXcNSXc", 15);
	uint64_t far = diameter("NSXcNSXc", 32);
	uint64_t unknown = diameter("NSXcNSXc", 0);

	(void)state;
	assert_true(near < unknown && unknown < far);
	/* Not where one NUMA node holds all. */
	assert_int_equal(diameter("NSXccNSXC", 15), diameter("NSXccNSXC", 32));
}

/* What has the same object around it is nearer in fewer containers. */
static void counts_what_is_touched(void **state)
{
	uint64_t two = diameter("NSXccCCXCCCCXccCCXCCCC", 0);
	uint64_t four = diameter("NSXcCCCXcCCCXcCCCXcCCC", 0);
	uint64_t sockets = diameter("NSXccCCXCCCCNSXccCCXCCCC", 0);
	uint64_t spread = diameter("NSXcCCCXcCCCNSXcCCCXcCCC", 0);

	(void)state;
	assert_true(two < four && four < sockets && sockets < spread);
	assert_true(diameter("NSXYccYcCXYCC", 0) <
		    diameter("NSXYccYccYccXYCC", 0));
	/* Two sockets with four NUMA nodes, three with three; and so on inside. */
	assert_true(diameter("SNcNcSNcNcSNCNC", 0) <
		    diameter("SNcNCSNcNCSNcNC", 0));
	assert_true(diameter("SNXcXcNXcXcNXCXC", 0) <
		    diameter("SNXcXCNXcXCNXcXC", 0));
	assert_true(diameter("NSXYcYcXYcYcXYCYC", 0) <
		    diameter("NSXYcYCXYcYCXYcYC", 0));
	/* The policies compare doubles. */
	assert_true((uint64_t)(double)spread == spread);
	assert_true((double)(spread + 1) > (double)spread);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_is_partly_used),
		cmocka_unit_test(counts_how_many_more),
		cmocka_unit_test(grows_from_object_to_object),
		cmocka_unit_test(counts_distances),
		cmocka_unit_test(counts_what_is_touched),
	};

	return cmocka_run_group_tests_name("fit", tests, NULL, NULL);
}

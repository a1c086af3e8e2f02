/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tb_place() against the oracle: random small machines, everything that a
 * request can say.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "core/request/filter.h"
#include "oracle.h"

#define CASES 40000

/* Distances between up to 32 NUMA nodes, few values so that there are ties. */
static unsigned *random_distances(struct random *random, unsigned count)
{
	unsigned *distances = calloc((size_t)count * count + 1,
				     sizeof(*distances));

	assert_non_null(distances);
	for (unsigned i = 0; i < count * count; i++)
		distances[i] = 10 + random_below(random, 3) * 10;
	return distances;
}

static uint32_t mask_of_group(const struct tb_placer *placer, unsigned group,
			      struct tb_bitset *threads)
{
	tb_placed_group(placer, group, threads);
	return (uint32_t)(threads->nbits ? threads->words[0] : 0);
}

static int agrees(const struct tb_placer *placer, int slots,
		  const struct oracle_result *expected,
		  struct tb_bitset *threads)
{
	if (slots != expected->slots)
		return 0;
	if (slots <= 0)
		return 1;
	if (tb_placed_groups(placer) != expected->ngroups)
		return 0;
	for (unsigned i = 0; i < expected->ngroups; i++)
		if (mask_of_group(placer, i, threads) != expected->groups[i])
			return 0;
	return 1;
}

/* What the job masks, or some of it, masks the site instead. */
static struct tb_bitset *move_mask(struct random *random,
				   const struct tb_topology *topology,
				   struct tb_request *request)
{
	struct tb_filter *filter = request->filter;
	struct tb_bitset *masked;

	if (!filter || !tb_filter_matches(filter, topology) ||
	    random_percent(random, 50))
		return NULL;
	masked = tb_bitset_create(tb_topology_threads(topology));
	tb_filter_add(filter, topology, masked);
	request->masked = masked;
	if (random_percent(random, 50)) {
		tb_filter_destroy(filter);
		request->filter = NULL;
	}
	return masked;
}

static int run_case(struct random *random, const struct random_case *c)
{
	struct tb_bitset *used, *masked;
	struct tb_topology *topology = tb_topology_parse(c->topology, &used,
							 NULL);
	struct tb_request request;
	struct tb_placer *placer;
	struct oracle_result expected;
	unsigned numa_nodes;
	unsigned *distances = NULL;
	int slots;

	assert_non_null(topology);
	numa_nodes = tb_topology_count(topology, 'N');
	if (random_percent(random, 50)) {
		distances = random_distances(random, numa_nodes);
		assert_int_equal(tb_topology_set_distances(topology, distances,
							   numa_nodes, NULL),
				 0);
	}
	random_case_request(c, &request);
	placer = tb_placer_create(topology);
	masked = move_mask(random, topology, &request);
	oracle_place(c, distances, &expected);
	slots = tb_place(placer, &request, used, c->nslots);
	if (!agrees(placer, slots, &expected, used)) {
		random_case_print(c);
		fail_msg("%d slots, expected %d", slots, expected.slots);
	}
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_bitset_destroy(masked);
	tb_topology_destroy(topology);
	free(distances);
	return slots > 0;
}

static void run_cases(const struct random_shape *shape, uint64_t seed)
{
	struct random random = { seed };
	struct random_case c;
	unsigned placed = 0;

	for (unsigned i = 0; i < CASES; i++) {
		random_case(&random, shape, &c);
		placed += run_case(&random, &c);
	}
	/* Cases in which nothing fits show little; some always do. */
	print_message("%u of %u cases placed\n", placed, CASES);
	assert_true(placed > CASES / 6);
}

static void test_ordered_containers(void **state)
{
	const struct random_shape shape = { 16, false };

	(void)state;
	run_cases(&shape, 1);
}

static void test_any_nesting(void **state)
{
	const struct random_shape shape = { 16, true };

	(void)state;
	run_cases(&shape, 2);
}

static void test_larger(void **state)
{
	const struct random_shape shape = { 32, false };

	(void)state;
	run_cases(&shape, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ordered_containers),
		cmocka_unit_test(test_any_nesting),
		cmocka_unit_test(test_larger),
	};

	return cmocka_run_group_tests_name("oracle", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of a job together: as many as one after the other, each in one cache
 * where that can be, and of all ways to divide them among the caches one that
 * touches the fewest sockets, then the fewest caches.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "random_case.h"

#define SOCKETS 2
#define PER_SOCKET 3
#define CACHES (SOCKETS * PER_SOCKET)
#define CORES 5
#define CASES 3000

struct node {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *used, *slot;
	unsigned free[CACHES];
};

static void setup(struct node *node)
{
	node->topology =
		tb_topology_parse("NSXCCCCCXCCCCCXCCCCCNSXCCCCCXCCCCCXCCCCC",
				  &node->used, NULL);
	assert_non_null(node->topology);
	node->placer = tb_placer_create(node->topology);
	node->slot = tb_bitset_create(CACHES * CORES);
}

static void teardown(struct node *node)
{
	tb_bitset_destroy(node->slot);
	tb_bitset_destroy(node->used);
	tb_placer_destroy(node->placer);
	tb_topology_destroy(node->topology);
}

static void use_some(struct node *node, struct random *random)
{
	unsigned percent = random_below(random, 100);

	tb_bitset_clear_all(node->used);
	for (unsigned i = 0; i < CACHES * CORES; i++)
		if (random_percent(random, percent))
			tb_bitset_set(node->used, i);
	for (unsigned i = 0; i < CACHES; i++)
		node->free[i] = CORES - tb_bitset_count_range(node->used,
							      i * CORES, CORES);
}

static struct tb_request request_of(unsigned amount, const char *more)
{
	struct tb_request request;
	char text[64];

	snprintf(text, sizeof(text), "bamount=%u%s", amount, more);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, text, NULL), 0);
	return request;
}

/* Sockets in hundreds, and caches. */
static unsigned count_touched(const struct tb_bitset *threads)
{
	unsigned touched = 0;

	for (unsigned i = 0; i < CACHES; i++)
		touched += tb_bitset_any_in_range(threads, i * CORES, CORES);
	for (unsigned i = 0; i < SOCKETS; i++)
		touched += 100 * tb_bitset_any_in_range(threads,
							i * PER_SOCKET * CORES,
							PER_SOCKET * CORES);
	return touched;
}

/* Of all ways to take so many slots of the caches from this one on. */
static unsigned find_fewest(const struct node *node, unsigned amount,
			    unsigned cache, unsigned slots, unsigned sockets,
			    unsigned caches)
{
	unsigned best = 10000;

	if (!slots) {
		unsigned both = (sockets & 1) + (sockets >> 1 & 1);

		return 100 * both + caches;
	}
	for (unsigned n = 0;
	     cache < CACHES && n <= slots && n <= node->free[cache] / amount;
	     n++) {
		unsigned more = n > 0;
		unsigned touched =
			find_fewest(node, amount, cache + 1, slots - n,
				    sockets | more << cache / PER_SOCKET,
				    caches + more);

		if (touched < best)
			best = touched;
	}
	return best;
}

static unsigned count_slots_in_caches(const struct node *node, unsigned amount)
{
	unsigned slots = 0;

	for (unsigned i = 0; i < CACHES; i++)
		slots += node->free[i] / amount;
	return slots;
}

/* How many of the slots lie in one cache; each has its amount of free cores. */
static unsigned check_slots(struct node *node, unsigned amount)
{
	unsigned whole = 0;

	for (unsigned i = 0; i < tb_placed_groups(node->placer); i++) {
		tb_placed_group(node->placer, i, node->slot);
		assert_int_equal(tb_bitset_count(node->slot), amount);
		whole += count_touched(node->slot) == 101;
	}
	assert_int_equal(tb_bitset_count(tb_placed_threads(node->placer)),
			 amount * tb_placed_groups(node->placer));
	assert_false(tb_bitset_intersects(tb_placed_threads(node->placer),
					  node->used));
	return whole;
}

/* The tasks of the node get the slots that the controller placed. */
static void check_again(struct node *node, const struct tb_request *request,
			unsigned slots)
{
	struct tb_bitset *granted = tb_bitset_copy(
		tb_placed_threads(node->placer));
	struct tb_bitset *groups[CACHES * CORES];

	for (unsigned i = 0; i < slots; i++) {
		groups[i] = tb_bitset_create(CACHES * CORES);
		tb_placed_group(node->placer, i, groups[i]);
	}
	assert_int_equal(tb_place_again(node->placer, request, granted), slots);
	for (unsigned i = 0; i < slots; i++) {
		tb_placed_group(node->placer, i, node->slot);
		assert_true(tb_bitset_equal(node->slot, groups[i]));
		tb_bitset_destroy(groups[i]);
	}
	tb_bitset_destroy(granted);
}

static void check_case(struct node *node, struct random *random)
{
	unsigned amount = 1 + random_below(random, 4);
	unsigned wanted = 1 + random_below(random, 7);
	unsigned in_caches = count_slots_in_caches(node, amount);
	unsigned whole = in_caches < wanted ? in_caches : wanted;
	struct tb_request request = request_of(amount, "");
	int apart = tb_place(node->placer, &request, node->used, wanted);
	unsigned before = count_touched(tb_placed_threads(node->placer));
	int slots = tb_place_together(node->placer, &request, node->used,
				      wanted);

	assert_int_equal(slots, apart);
	assert_int_equal(check_slots(node, amount), whole);
	assert_true(count_touched(tb_placed_threads(node->placer)) <= before);
	if (slots && in_caches >= (unsigned)slots) {
		assert_int_equal(count_touched(tb_placed_threads(node->placer)),
				 find_fewest(node, amount, 0, (unsigned)slots,
					     0, 0));
		check_again(node, &request, (unsigned)slots);
	}
	tb_request_clear(&request);
}

static void test_fewest_of_all_divisions(void **state)
{
	struct random random = { 5 };
	struct node node;

	(void)state;
	setup(&node);
	for (unsigned i = 0; i < CASES; i++) {
		use_some(&node, &random);
		check_case(&node, &random);
	}
	teardown(&node);
}

/* What says by itself which units come next. */
static void test_order_that_was_asked_for(void **state)
{
	static const char *const orders[] = {
		",bsort=X",	     ",bsort=c",	   ",bstart=X",
		",bstart=x,bstop=s", ",bstrategy=scatter", ",bstrategy=linear",
		",btype=host",	     ",bspread=S",	   ",bspread=X",
		",bequal=no",
	};
	struct random random = { 6 };
	struct node node;

	(void)state;
	setup(&node);
	for (unsigned i = 0; i < 1000; i++) {
		struct tb_request request =
			request_of(1 + i % 3, orders[i % (sizeof(orders) /
							  sizeof(orders[0]))]);
		int slots;

		use_some(&node, &random);
		slots = tb_place(node.placer, &request, node.used, 4);
		tb_bitset_assign(node.slot, tb_placed_threads(node.placer));
		assert_int_equal(tb_place_together(node.placer, &request,
						   node.used, 4),
				 slots);
		assert_true(tb_bitset_equal(node.slot,
					    tb_placed_threads(node.placer)));
		tb_request_clear(&request);
	}
	teardown(&node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fewest_of_all_divisions),
		cmocka_unit_test(test_order_that_was_asked_for),
	};

	return cmocka_run_group_tests_name("together", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node offers whose units are of several sizes: hosts get a second class, with
 * larger units, slots a class for each size.
 */
#include "unit_test.h"

#include "core/plan/node_offers.h"

#define NODE "SXCCXCCCC"
#define CORES 6

static void find_offers(const char *line, uint32_t task_cpus,
			struct tb_offer_list *offers)
{
	struct tb_topology *topology = tb_topology_parse(NODE, NULL, NULL);
	struct tb_bitset *used = tb_bitset_create(CORES);
	struct tb_request request;
	const struct tb_need need = {
		.request = &request,
		.asked = { .tasks = 1, .task_cpus = task_cpus },
	};
	const struct tb_offering_node node = {
		.topology = topology,
		.placer = tb_placer_create(topology),
		.books = { .threads_per_core = 1, .cpus_per_core = 1 },
		.left = UINT32_MAX,
	};

	assert_non_null(node.placer);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	tb_node_offers_find(offers, &need, &node, 7, used);
	tb_request_clear(&request);
	tb_bitset_destroy(used);
	tb_placer_destroy(node.placer);
	tb_topology_destroy(topology);
}

static void assert_offer(const struct tb_offer *offer, uint32_t cpus,
			 uint32_t unit_size, bool larger)
{
	assert_int_equal(offer->node, 7);
	assert_int_equal(offer->slots, 1);
	assert_int_equal(offer->cpus, cpus);
	assert_int_equal(offer->unit_size, unit_size);
	assert_int_equal(offer->larger, larger);
}

static void test_host(void **state)
{
	struct tb_offer_list offers = { .list = NULL };

	(void)state;
	find_offers("bunit=X,bamount=1,btype=host", 1, &offers);
	assert_int_equal(offers.count, 2);
	assert_offer(&offers.list[0], 2, 0, false);
	assert_offer(&offers.list[1], 4, 4, true);
	/* The first units are too small for the task. */
	find_offers("bunit=X,bamount=1,btype=host", 4, &offers);
	assert_int_equal(offers.count, 1);
	assert_offer(&offers.list[0], 4, 4, true);
	tb_offer_list_clear(&offers);
}

static void test_slots(void **state)
{
	struct tb_offer_list offers = { .list = NULL };

	(void)state;
	find_offers("bunit=X,bamount=1", 1, &offers);
	for (uint32_t i = 0; i < offers.count; i++)
		assert_false(offers.list[i].larger);
	assert_in_range(offers.count, 1, 3);
	tb_offer_list_clear(&offers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_slots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

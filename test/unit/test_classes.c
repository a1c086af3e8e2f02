/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Offers and their classes, against counting the units of each size.
 */
#include "unit_test.h"

#include <string.h>

#include "core/plan/classes.h"
#include "random_case.h"

#define RUNS 20000
#define UNITS_MAX 6
#define NODES_MAX 4
#define SIZES 4 /* 1..SIZES */
#define OFFERS_MAX (NODES_MAX * (SIZES + 2))

/*
 * A node's units in the order in which they are placed, each with its CPUs, and those
 * of them that no mask has.
 */
struct node {
	uint32_t cpus[UNITS_MAX], runs[UNITS_MAX];
	bool busy[UNITS_MAX];
	uint32_t nunits;
};

struct cluster {
	struct node nodes[NODES_MAX];
	uint32_t nnodes, slots; /* of a node at most */
	struct tb_offering offering;
	struct tb_offer list[OFFERS_MAX];
	uint32_t count;
	uint32_t node; /* whose turn it is */
};

static bool may_have(const struct cluster *cluster,
		     const struct tb_offer *offer, uint32_t cpus, uint32_t runs)
{
	bool larger = cluster->offering.request->type == TB_HOST ||
		      offer->unequal;

	if (offer->whole && runs < cpus)
		return false;
	return !offer->unit_size ||
	       (larger ? cpus >= offer->unit_size : cpus == offer->unit_size);
}

static void place(void *arg, struct tb_offer *offer, struct tb_room *room)
{
	const struct cluster *cluster = arg;
	const struct node *node = &cluster->nodes[offer->node];
	uint32_t most = cluster->offering.request->type == TB_HOST
				? 1
				: cluster->slots;

	for (uint32_t i = 0; i < node->nunits && room->slots < most; i++) {
		uint32_t cpus = node->cpus[i], runs = node->runs[i];

		if (node->busy[i] || !may_have(cluster, offer, cpus, runs))
			continue;
		if (!room->slots++) {
			room->cpus = room->least = room->largest = cpus;
			room->runs = runs;
		}
		room->equal += room->equal == room->slots - 1 &&
			       cpus == room->cpus;
		if (offer->unequal || room->equal == room->slots)
			room->runs = runs < room->runs ? runs : room->runs;
		room->least = cpus < room->least ? cpus : room->least;
		room->largest = cpus > room->largest ? cpus : room->largest;
	}
}

static uint32_t size_after(void *arg, uint32_t size)
{
	const struct cluster *cluster = arg;
	const struct node *node = &cluster->nodes[cluster->node];
	uint32_t next = 0;
	bool alike = true;

	for (uint32_t i = 0; i < node->nunits; i++) {
		uint32_t cpus = node->cpus[i];

		alike = alike && cpus == node->cpus[0];
		if (cpus > size && (!next || cpus < next))
			next = cpus;
	}
	return alike ? 0 : next;
}

static void add(void *arg, const struct tb_offer *offer)
{
	struct cluster *cluster = arg;

	for (uint32_t i = 0; i < cluster->count; i++)
		if (cluster->list[i].node == offer->node &&
		    tb_offer_is_needless(offer, &cluster->list[i]))
			return;
	assert_true(cluster->count < OFFERS_MAX);
	cluster->list[cluster->count++] = *offer;
}

static void make_cluster(struct random *random, struct cluster *cluster,
			 const struct tb_request *request)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->nnodes = 1 + random_below(random, NODES_MAX);
	cluster->slots = 1 + random_below(random, UNITS_MAX);
	for (uint32_t i = 0; i < cluster->nnodes; i++) {
		struct node *node = &cluster->nodes[i];
		bool alike = random_percent(random, 50);

		node->nunits = 1 + random_below(random, UNITS_MAX);
		for (uint32_t j = 0; j < node->nunits; j++) {
			node->cpus[j] = alike && j ? node->cpus[0]
						   : 1 + random_below(random,
								      SIZES);
			node->runs[j] = node->cpus[j];
			node->busy[j] = random_percent(random, 30);
		}
	}
	cluster->offering = (struct tb_offering){
		.request = request,
		.booking = {
			.task_cpus = random_below(random, 3),
			.node_cpus = random_below(random, 5),
			.left = UINT32_MAX,
		},
		.cpus_per_core = 1,
		.enough = random_percent(random, 50)
				  ? random_below(random, SIZES + 1)
				  : UINT32_MAX,
		.place = place,
		.size_after = size_after,
		.add = add,
		.arg = cluster,
	};
}

static void offer_all(struct cluster *cluster)
{
	struct tb_offering *offering = &cluster->offering;
	bool larger = false;

	for (uint32_t i = 0; i < cluster->nnodes; i++) {
		cluster->node = i;
		larger = tb_offering_equal(offering, i) || larger;
	}
	for (uint32_t i = 0; i < cluster->nnodes; i++) {
		cluster->node = i;
		if (larger)
			tb_offering_larger(offering, i);
		if (tb_offering_is_unequal(offering))
			tb_offering_unequal(offering, i);
	}
	tb_classes_sort(offering->request->type, cluster->list, cluster->count);
}

static uint32_t count_units(const struct cluster *cluster, uint32_t at,
			    uint32_t cpus)
{
	const struct node *node = &cluster->nodes[at];
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->nunits; i++)
		count += !node->busy[i] && node->cpus[i] == cpus;
	return count < cluster->slots ? count : cluster->slots;
}

/* Slots of so many CPUs that the job may have on the node. */
static uint32_t count_allowed(const struct cluster *cluster, uint32_t node,
			      uint32_t cpus)
{
	const struct tb_booking *booking = &cluster->offering.booking;
	uint32_t slots = count_units(cluster, node, cpus);

	return cpus < booking->task_cpus || cpus * slots < booking->node_cpus
		       ? 0
		       : slots;
}

/* Each size that a node has is offered, with all of its units, and no more. */
static void check_sizes(const struct cluster *cluster)
{
	for (uint32_t node = 0; node < cluster->nnodes; node++)
		for (uint32_t cpus = 1; cpus <= SIZES; cpus++) {
			uint32_t most = 0;

			for (uint32_t i = 0; i < cluster->count; i++) {
				const struct tb_offer *offer = &cluster->list[i];

				if (offer->node == node && !offer->unequal &&
				    offer->cpus == cpus && offer->slots > most)
					most = offer->slots;
			}
			assert_int_equal(most,
					 count_allowed(cluster, node, cpus));
		}
}

/* All offers are in one class each, and a class has each node once. */
static void check_classes(const struct cluster *cluster)
{
	enum tb_type type = cluster->offering.request->type;
	const struct tb_offer *list = cluster->list;
	uint32_t first = 0, end, seen = 0;

	for (; (end = tb_class_end(type, list, cluster->count, first));
	     first = end) {
		uint32_t least = UINT32_MAX;

		seen += end - first;
		for (uint32_t i = first; i < end; i++) {
			least = list[i].cpus < least ? list[i].cpus : least;
			assert_true(i == first ||
				    list[i - 1].node < list[i].node);
			assert_true(type == TB_HOST ||
				    list[i].cpus == list[first].cpus);
		}
		assert_int_equal(tb_class_cpus(list, first, end), least);
	}
	assert_int_equal(seen, cluster->count);
}

static void test_equal_slots(void **state)
{
	struct tb_request request = { .type = TB_SLOT, .equal = TB_EQUAL };
	struct random random = { 11 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		make_cluster(&random, &cluster, &request);
		offer_all(&cluster);
		check_sizes(&cluster);
		check_classes(&cluster);
	}
}

/* All units that hold a task count, as the smallest of them on all nodes. */
static void check_unequal(const struct cluster *cluster)
{
	const struct tb_booking *booking = &cluster->offering.booking;
	uint32_t cpus = 0;

	for (uint32_t i = 0; i < cluster->count; i++) {
		const struct tb_offer *offer = &cluster->list[i];

		if (!offer->unequal)
			continue;
		assert_true(offer->cpus >= booking->task_cpus);
		assert_true(!cpus || offer->cpus == cpus);
		cpus = offer->cpus;
	}
	for (uint32_t node = 0; node < cluster->nnodes; node++) {
		uint32_t most = 0, slots = 0, all = 0;

		for (uint32_t i = 0; i < cluster->count; i++)
			if (cluster->list[i].node == node &&
			    cluster->list[i].unequal)
				slots = cluster->list[i].slots;
		for (uint32_t i = 1; i <= SIZES; i++)
			if (i >= booking->task_cpus)
				all += count_units(cluster, node, i);
		most = all < cluster->slots ? all : cluster->slots;
		assert_true(slots <= most);
		if (!booking->node_cpus)
			assert_true(!slots == !most);
		/* Where small units need not be left out it is all of them. */
		if (booking->task_cpus <= 1 && !booking->node_cpus)
			assert_int_equal(slots, most);
	}
}

static void test_unequal_slots(void **state)
{
	struct tb_request request = { .type = TB_SLOT, .equal = TB_UNEQUAL };
	struct random random = { 12 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		make_cluster(&random, &cluster, &request);
		offer_all(&cluster);
		check_classes(&cluster);
		check_unequal(&cluster);
	}
}

/* The second class has a unit that suffices, or the largest, wherever there is one. */
static void check_hosts(const struct cluster *cluster)
{
	const struct tb_offering *offering = &cluster->offering;

	for (uint32_t i = 0; i < cluster->count; i++) {
		const struct tb_offer *offer = &cluster->list[i];
		uint32_t most = 0;

		assert_int_equal(offer->slots, 1);
		for (uint32_t cpus = 1; cpus <= SIZES; cpus++)
			if (count_units(cluster, offer->node, cpus))
				most = cpus;
		if (offer->larger && offer->cpus < offering->enough)
			assert_int_equal(offer->cpus, most);
	}
}

static void test_hosts(void **state)
{
	struct tb_request request = { .type = TB_HOST };
	struct random random = { 13 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		make_cluster(&random, &cluster, &request);
		offer_all(&cluster);
		check_classes(&cluster);
		check_hosts(&cluster);
	}
}

static void test_limit(void **state)
{
	struct tb_request request = { .type = TB_SLOT };
	struct random random = { 14 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		uint32_t left = random_below(&random, 8);

		make_cluster(&random, &cluster, &request);
		cluster.offering.booking.left = left;
		offer_all(&cluster);
		for (uint32_t i = 0; i < cluster.count; i++)
			assert_true(cluster.list[i].slots *
					    cluster.list[i].cpus <=
				    left);
		if (!cluster.count && cluster.offering.limited)
			continue;
		check_classes(&cluster);
	}
}

static void mask_some(struct random *random, struct cluster *cluster)
{
	cluster->offering.booking.node_cpus = 0;
	for (uint32_t i = 0; i < cluster->nnodes; i++)
		for (uint32_t j = 0; j < cluster->nodes[i].nunits; j++)
			if (random_percent(random, 40))
				cluster->nodes[i].runs[j] =
					1 +
					random_below(random,
						     cluster->nodes[i].cpus[j]);
}

/* Free units that hold a task; whole: those without masked threads. */
static uint32_t count_holding(const struct cluster *cluster, uint32_t at,
			      uint32_t cpus, bool whole)
{
	const struct node *node = &cluster->nodes[at];
	uint32_t count = 0;

	for (uint32_t i = 0; i < node->nunits; i++)
		count += !node->busy[i] && (!cpus || node->cpus[i] == cpus) &&
			 node->runs[i] >= (whole ? node->cpus[i] : 1) &&
			 node->runs[i] >= cluster->offering.booking.task_cpus;
	return count < cluster->slots ? count : cluster->slots;
}

/* The most slots of so many CPUs that are offered; unequal: of any. */
static uint32_t find_most(const struct cluster *cluster, uint32_t node,
			  uint32_t cpus, bool unequal)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < cluster->count; i++) {
		const struct tb_offer *offer = &cluster->list[i];

		if (offer->node == node && !offer->unequal == !unequal &&
		    (unequal || offer->cpus == cpus) && offer->slots > most)
			most = offer->slots;
	}
	return most;
}

/* Only slots that hold tasks are offered, and all that have no masked threads. */
static void check_masked(const struct cluster *cluster)
{
	bool unequal = cluster->offering.request->equal == TB_UNEQUAL;

	for (uint32_t node = 0; node < cluster->nnodes; node++) {
		for (uint32_t cpus = 1; cpus <= SIZES; cpus++) {
			uint32_t most = find_most(cluster, node, cpus, false);

			assert_true(most <=
				    count_holding(cluster, node, cpus, false));
			assert_true(most >=
				    count_holding(cluster, node, cpus, true));
		}
		assert_true(find_most(cluster, node, 0, true) <=
			    count_holding(cluster, node, 0, false));
		if (unequal && count_holding(cluster, node, 0, true))
			assert_true(find_most(cluster, node, 0, true));
	}
	for (uint32_t i = 0; i < cluster->count; i++)
		assert_true(cluster->list[i].runs >=
			    cluster->offering.booking.task_cpus);
}

static void test_masked(void **state)
{
	struct tb_request requests[] = {
		{ .type = TB_SLOT, .equal = TB_EQUAL },
		{ .type = TB_SLOT, .equal = TB_UNEQUAL },
	};
	struct random random = { 15 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		make_cluster(&random, &cluster, &requests[run % 2]);
		mask_some(&random, &cluster);
		offer_all(&cluster);
		check_classes(&cluster);
		check_masked(&cluster);
	}
}

/* A host with fewer CPUs for tasks than another is no smaller in Slurm's books. */
static void test_masked_hosts(void **state)
{
	struct tb_request request = { .type = TB_HOST };
	struct random random = { 16 };
	struct cluster cluster;

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		make_cluster(&random, &cluster, &request);
		mask_some(&random, &cluster);
		offer_all(&cluster);
		check_classes(&cluster);
		for (uint32_t i = 0; i < cluster.count; i++) {
			assert_false(cluster.list[i].whole);
			assert_true(cluster.list[i].runs >=
				    cluster.offering.booking.task_cpus);
		}
	}
}

static void test_needless_offers(void **state)
{
	static const struct tb_offer other = { .cpus = 4,
					       .runs = 3,
					       .slots = 2 };
	static const struct {
		struct tb_offer offer;
		bool needless;
	} rows[] = {
		{ { .cpus = 4, .runs = 3, .slots = 2 }, true },
		{ { .cpus = 4, .runs = 2, .slots = 1 }, true },
		{ { .cpus = 4, .runs = 4, .slots = 2 }, false },
		{ { .cpus = 4, .runs = 3, .slots = 3 }, false },
		{ { .cpus = 3, .runs = 3, .slots = 2 }, false },
		{ { .cpus = 4, .runs = 3, .slots = 2, .larger = true }, false },
		{ { .cpus = 4, .runs = 3, .slots = 2, .unequal = 1 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tb_offer_is_needless(&rows[i].offer, &other),
				 rows[i].needless);
}

static void test_order_of_classes(void **state)
{
	static const struct tb_offer ordered[] = {
		{ .cpus = 2 },
		{ .cpus = 3 },
		{ .cpus = 1, .unit_size = 1 },
		{ .cpus = 2, .unit_size = 2 },
		{ .cpus = 1, .unequal = 1 },
		{ .cpus = 2, .unequal = 1, .unit_size = 2 },
		{ .cpus = 3, .unequal = 1 },
		{ .cpus = 1, .unequal = 2 },
		{ .cpus = 1, .larger = true },
	};
	const int count = sizeof(ordered) / sizeof(*ordered);

	(void)state;
	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++) {
			int order = tb_classes_compare(&ordered[i],
						       &ordered[j]);

			assert_int_equal((order > 0) - (order < 0),
					 (i > j) - (i < j));
		}
}

/* One class for each number of CPUs of a core; its slots count as the smallest. */
static void test_classes_of_unequal_slots(void **state)
{
	struct tb_offer list[] = {
		{ .node = 3, .cpus = 6, .unequal = 2 },
		{ .node = 0, .cpus = 4, .unequal = 1 },
		{ .node = 1, .cpus = 8, .unequal = 2 },
		{ .node = 4, .cpus = 5, .unequal = 1 },
		{ .node = 2, .cpus = 3, .unequal = 1 },
		{ .node = 0, .cpus = 2 },
	};
	static const struct {
		uint32_t node, cpus, end; /* of its class */
	} wanted[] = {
		{ 0, 2, 1 }, { 0, 3, 4 }, { 2, 3, 4 },
		{ 4, 3, 4 }, { 1, 6, 6 }, { 3, 6, 6 },
	};
	const uint32_t count = sizeof(list) / sizeof(*list);

	(void)state;
	tb_classes_sort(TB_SLOT, list, count);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(list[i].node, wanted[i].node);
		assert_int_equal(list[i].cpus, wanted[i].cpus);
		assert_int_equal(tb_class_end(TB_SLOT, list, count, i),
				 wanted[i].end);
	}
	assert_int_equal(tb_class_end(TB_SLOT, list, count, count), 0);
}

static void test_tasks_of_offers(void **state)
{
	const struct tb_offer offer = { .slots = 1, .cpus = 9, .runs = 7 };
	struct tb_asked asked = { .task_cpus = 2 };

	(void)state;
	assert_int_equal(tb_offer_tasks(&offer, TB_SLOT, &asked), 1);
	assert_int_equal(tb_offer_tasks(&offer, TB_HOST, &asked), 3);
	asked.tasks_per_node = 2;
	assert_int_equal(tb_offer_tasks(&offer, TB_HOST, &asked), 2);
	asked.overcommit = true;
	assert_int_equal(tb_offer_tasks(&offer, TB_HOST, &asked), 1);
}

static void test_tasks_in_memory(void **state)
{
	const struct tb_offer offer = { .slots = 4, .cpus = 9 };

	(void)state;
	/* Those of a host share it. */
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_HOST, 4, 10, 90),
			 4);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_HOST, 4, 10, 89),
			 0);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_SLOT, 4, 10, 360),
			 4);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_SLOT, 4, 10, 359),
			 3);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_SLOT, 4, 10, 89),
			 0);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_SLOT, 4, 10, 9999),
			 4);
	assert_int_equal(tb_offer_tasks_in_memory(&offer, TB_SLOT, 4, 0, 0), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_slots),
		cmocka_unit_test(test_unequal_slots),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_masked),
		cmocka_unit_test(test_masked_hosts),
		cmocka_unit_test(test_needless_offers),
		cmocka_unit_test(test_order_of_classes),
		cmocka_unit_test(test_classes_of_unequal_slots),
		cmocka_unit_test(test_tasks_of_offers),
		cmocka_unit_test(test_tasks_in_memory),
	};

	return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}

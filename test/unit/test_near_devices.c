/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how many devices a placement is made, and for how many slots there are some near;
 * and what that makes of a job on several nodes.
 */
#include "unit_test.h"

#include "core/plan/blockers.h"
#include "core/plan/near_devices.h"

/* ---- numbers ---- */

static const struct number_row {
	struct tb_devices_asked asked;
	uint32_t nodes, assumed, joint, free;
	uint32_t per_slot, per_node;
} number_rows[] = {
	{ { .per_task = 2 }, 3, 0, 0, 8, 2, 0 },
	{ { .per_task = 2 }, 3, 5, 3, 8, 0, 6 },
	{ { .per_node = 4 }, 3, 5, 0, 8, 0, 4 },
	{ { .per_node = 4 }, 3, 0, 2, 8, 0, 4 },
	/* of a job on one node all, whatever is assumed or free */
	{ { .per_job = 5 }, 1, 2, 0, 3, 0, 5 },
	/* of several the share, rounded up, of those that are free, at least one */
	{ { .per_job = 5 }, 2, 0, 0, 8, 0, 3 },
	{ { .per_job = 5 }, 2, 0, 0, 2, 0, 2 },
	{ { .per_job = 5 }, 2, 0, 0, 0, 0, 1 },
	{ { .per_job = 4 }, 2, 0, 1, 8, 0, 2 },
	{ { .per_job = 5 }, 2, 4, 0, 8, 0, 4 },
	{ { .per_job = 5 }, UINT32_MAX, 0, 0, 8, 0, 1 },
	{ { .per_job = 0 }, 2, 3, 1, 8, 0, 0 },
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(number_rows) / sizeof(number_rows[0]);
	     i++) {
		const struct number_row *row = &number_rows[i];
		struct tb_device_pool pools[2] = { { .free = row->free / 2 },
						   { .free = row->free -
							     row->free / 2 } };
		struct tb_device_kind kind = { 9, 9, 2, pools };

		tb_devices_set_numbers(&row->asked, row->nodes, row->assumed,
				       row->joint, &kind);
		assert_int_equal(kind.per_slot, row->per_slot);
		assert_int_equal(kind.per_node, row->per_node);
		assert_int_equal(tb_devices_free_in_pools(&kind), row->free);
	}
}

/* ---- slots ---- */

/* Slots near the share, all that are free, and one; and who was asked. */
struct offered {
	uint32_t share, all, one;
	unsigned asked;
};

static uint32_t offer(void *arg, uint32_t number)
{
	struct offered *offered = arg;

	offered->asked++;
	return !number			       ? offered->share
	       : number == TB_DEVICES_ALL_FREE ? offered->all
					       : offered->one;
}

static void test_most_slots(void **state)
{
	static const struct {
		uint32_t share, all, one, slots, best;
		unsigned asked;
	} rows[] = {
		{ 4, 9, 9, 4, 0, 1 },
		{ 5, 9, 9, 4, 0, 1 },
		{ 2, 4, 9, 4, TB_DEVICES_ALL_FREE, 2 },
		{ 2, 2, 2, 4, 0, 3 },
		{ 2, 3, 3, 4, TB_DEVICES_ALL_FREE, 3 },
		{ 2, 1, 3, 4, 1, 3 },
		{ 0, 0, 0, 4, 0, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct offered offered = { rows[i].share, rows[i].all,
					   rows[i].one, 0 };

		assert_int_equal(tb_devices_for_most_slots(offer, &offered,
							   rows[i].slots),
				 rows[i].best);
		assert_int_equal(offered.asked, rows[i].asked);
	}
}

/* Units are near for least to most slots. */
static uint32_t fit(void *arg, uint32_t slots)
{
	const struct tb_reach_range *range = arg;

	if (slots < range->least)
		return 0;
	return slots < range->most ? slots : range->most;
}

static void assert_range(struct tb_reach_range range, uint32_t least,
			 uint32_t most)
{
	assert_int_equal(range.least, least);
	assert_int_equal(range.most, most);
}

static void test_ranges(void **state)
{
	struct tb_reach_range some = { 2, 5 }, none = { 9, 0 };

	(void)state;
	assert_range(tb_near_slots(fit, &some, 0, 8), 2, 5);
	assert_range(tb_near_slots(fit, &some, 0, 4), 2, 4);
	assert_range(tb_near_slots(fit, &some, 0, 1), 0, 0);
	assert_range(tb_near_slots(fit, &none, 0, 8), 0, 0);
	assert_range(tb_near_slots(fit, &some, 3, 8), 3, 3);
	assert_range(tb_near_slots(fit, &some, 1, 8), 1, 0);
	assert_range(tb_near_slots(fit, &some, 6, 8), 6, 0);
	some.least = 1;
	assert_range(tb_near_tasks_of_host(fit, &some, 0, 7), 1, 7);
	assert_range(tb_near_tasks_of_host(fit, &some, 3, 7), 3, 3);
	assert_range(tb_near_tasks_of_host(fit, &none, 0, 7), 1, 0);
	assert_range(tb_near_tasks_of_host(fit, &none, 3, 7), 3, 0);
}

static void test_memory(void **state)
{
	const struct tb_devices_asked task = { .per_task = 2, .megabytes = 10 };
	const struct tb_devices_asked node = { .per_node = 3, .megabytes = 10 };
	const struct tb_devices_asked job = { .per_job = 5, .megabytes = 10 };
	uint64_t per_node = 1, per_slot = 2;

	(void)state;
	tb_devices_add_memory(&task, 2, &per_node, &per_slot);
	assert_int_equal(per_node, 1);
	assert_int_equal(per_slot, 22);
	tb_devices_add_memory(&node, 2, &per_node, &per_slot);
	assert_int_equal(per_node, 31);
	tb_devices_add_memory(&job, 2, &per_node, &per_slot);
	assert_int_equal(per_node, 61);
	tb_devices_add_memory(&job, 0, &per_node, &per_slot);
	assert_int_equal(per_node, 111);
	assert_int_equal(per_slot, 22);
}

/* ---- jobs on nodes ---- */

#define NODES 2
#define POOLS 2

/*
 * Nodes of two sockets of four cores, each with a pool of devices.  'a' and 'b' are
 * threads of two holders, who also have devices of each pool.
 */
struct node {
	const char *threads;
	uint32_t devices[POOLS];
	uint32_t held[2][POOLS];
};

static const struct row {
	const char *name;
	struct node nodes[NODES];
	const char *request;
	struct tb_asked asked;
	struct tb_devices_asked devices;
	enum tb_near near;
	const char *room; /* of each node */
	bool found;
	int64_t when;
} rows[] = {
	/* clang-format off */
	{ "near both", { { "........", { 2, 2 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 4, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ALWAYS, "4", true, -1 },
	{ "as many as devices", { { "........", { 2, 1 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 4, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ALWAYS, "3", false, -1 },
	{ "units on one side, devices on the other",
	  { { "aaaa....", { 2, 2 }, { { 0, 2 } } } },
	  "bunit=C,bamount=1", { .tasks = 1, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ALWAYS, "0", true, 10 },
	{ "which does not matter where units need not be near",
	  { { "aaaa....", { 2, 2 }, { { 0, 2 } } } },
	  "bunit=C,bamount=1", { .tasks = 1, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_IF_POSSIBLE, "1", true, -1 },
	{ "nor where devices are anywhere",
	  { { "aaaa....", { 2, 2 }, { { 0, 2 } } } },
	  "bunit=C,bamount=1", { .tasks = 1, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ANYTHING, "1", true, -1 },
	{ "the end of who has the devices",
	  { { "aaaa.bb.", { 2, 2 }, { { 0, 0 }, { 0, 2 } } } },
	  "bunit=C,bamount=1", { .tasks = 2, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ALWAYS, "0", true, 10 },
	{ "the later end",
	  { { "aaaa.bb.", { 2, 2 }, { { 0, 0 }, { 0, 2 } } } },
	  "bunit=C,bamount=1", { .tasks = 4, .min_nodes = 1, .max_nodes = 1 },
	  { .per_task = 1 }, TB_NEAR_ALWAYS, "0", true, 20 },
	{ "each device needs a unit near it",
	  { { "........", { 1, 1 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 1, .min_nodes = 1, .max_nodes = 1 },
	  { .per_node = 2 }, TB_NEAR_ALWAYS, "0", false, -1 },
	{ "and has one with two tasks",
	  { { "........", { 1, 1 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 2, .min_nodes = 1, .max_nodes = 1 },
	  { .per_node = 2 }, TB_NEAR_ALWAYS, "2", true, -1 },
	{ "on two nodes three devices, one and two",
	  { { "........", { 1, 0 }, { { 0 } } },
	    { "........", { 1, 1 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 3, .min_nodes = 2, .max_nodes = 2 },
	  { .per_job = 3 }, TB_NEAR_ALWAYS, "22", true, -1 },
	{ "but no task for the second of two",
	  { { "........", { 1, 0 }, { { 0 } } },
	    { "........", { 1, 1 }, { { 0 } } } },
	  "bunit=C,bamount=1", { .tasks = 2, .min_nodes = 2, .max_nodes = 2 },
	  { .per_job = 3 }, TB_NEAR_ALWAYS, "11", false, -1 },
	{ "a host near its devices",
	  { { "........", { 1, 1 }, { { 0 } } } },
	  "bunit=C,bamount=5,btype=host",
	  { .tasks = 3, .min_nodes = 1, .max_nodes = 1 },
	  { .per_node = 2 }, TB_NEAR_ALWAYS, "5", true, -1 },
	{ "or too large to be near one",
	  { { "........", { 1, 1 }, { { 0, 1 } } } },
	  "bunit=C,bamount=5,btype=host",
	  { .tasks = 3, .min_nodes = 1, .max_nodes = 1 },
	  { .per_node = 1 }, TB_NEAR_ALWAYS, "0", false, -1 },
	/* clang-format on */
};

struct cluster {
	struct tb_topology *topology;
	struct tb_bitset *socket[POOLS];
	struct tb_used_pool pools[NODES][POOLS];
	struct tb_bitset *threads[NODES][2];
	struct tb_holder_job holders[NODES][2];
	uint32_t sum[NODES], held[NODES][2];
	struct tb_used_node nodes[NODES];
	unsigned count;
};

static void add_holder(struct cluster *cluster, unsigned at, unsigned holder,
		       const struct node *node)
{
	struct tb_bitset *threads = tb_bitset_create(8);

	for (unsigned i = 0; i < 8; i++)
		if (node->threads[i] == (char)('a' + holder))
			tb_bitset_set(threads, i);
	cluster->threads[at][holder] = threads;
	for (unsigned i = 0; i < POOLS; i++)
		cluster->held[at][holder] += node->held[holder][i];
	cluster->holders[at][holder] = (struct tb_holder_job){
		.holder = holder,
		.threads = threads,
		.devices = &cluster->held[at][holder],
		.of_pools = node->held[holder]
	};
}

static void add_node(struct cluster *cluster, const struct node *node)
{
	unsigned at = cluster->count++;

	for (unsigned i = 0; i < POOLS; i++) {
		cluster->pools[at][i] = (struct tb_used_pool){
			.threads = cluster->socket[i],
			.devices = node->devices[i]
		};
		cluster->sum[at] += node->devices[i];
		add_holder(cluster, at, i, node);
	}
	cluster->nodes[at] = (struct tb_used_node){
		.topology = cluster->topology,
		.placer = tb_placer_create(cluster->topology),
		.books = { true, 1, 1 },
		.most_cpus = UINT32_MAX,
		.holders = cluster->holders[at],
		.nholders = 2,
		.devices = &cluster->sum[at],
		.pools = cluster->pools[at],
		.npools = POOLS,
	};
}

static void make_cluster(struct cluster *cluster, const struct row *row)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->topology = tb_topology_parse("SCCCCSCCCC", NULL, NULL);
	for (unsigned i = 0; i < POOLS; i++) {
		cluster->socket[i] = tb_bitset_create(8);
		tb_bitset_set_range(cluster->socket[i], 4 * i, 4);
	}
	for (unsigned i = 0; i < NODES && row->nodes[i].threads; i++)
		add_node(cluster, &row->nodes[i]);
}

static void clear_cluster(struct cluster *cluster)
{
	for (unsigned i = 0; i < cluster->count; i++) {
		tb_placer_destroy(cluster->nodes[i].placer);
		tb_bitset_destroy(cluster->threads[i][0]);
		tb_bitset_destroy(cluster->threads[i][1]);
	}
	tb_bitset_destroy(cluster->socket[0]);
	tb_bitset_destroy(cluster->socket[1]);
	tb_topology_destroy(cluster->topology);
}

static void check_row(const struct row *row, const struct tb_request *request)
{
	static const int64_t ends[2] = { 10, 20 };
	struct tb_need need = { .request = request,
				.asked = row->asked,
				.devices = &row->devices,
				.ndevices = 1,
				.near = row->near };
	struct tb_bitset *ended = tb_bitset_create(2);
	struct tb_blockers *blockers;
	struct cluster cluster;
	int64_t when;

	need.asked.task_cpus = 1;
	need.asked.tasks_are_given = true;
	make_cluster(&cluster, row);
	blockers = tb_blockers_create(&need, cluster.nodes, cluster.count, ends,
				      2);
	assert_non_null(blockers);
	for (unsigned i = 0; i < cluster.count; i++)
		if (tb_blockers_room(blockers, i) !=
		    (unsigned)(row->room[i] - '0'))
			fail_msg("%s: node %u has room for %u, not %c",
				 row->name, i, tb_blockers_room(blockers, i),
				 row->room[i]);
	if (tb_blockers_find(blockers, ended, &when) != row->found ||
	    when != row->when)
		fail_msg("%s: %s at %lld", row->name,
			 row->found ? "found" : "not found", (long long)when);
	assert_int_equal(tb_blockers_fits(blockers),
			 row->found && row->when < 0);
	tb_blockers_destroy(blockers);
	tb_bitset_destroy(ended);
	clear_cluster(&cluster);
}

static void test_jobs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;
		struct tb_error err;

		tb_request_init(&request);
		if (tb_request_parse(&request, rows[i].request, &err))
			fail_msg("%s", err.text);
		assert_int_equal(tb_request_complete(&request, NULL), 0);
		check_row(&rows[i], &request);
		tb_request_clear(&request);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_most_slots),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

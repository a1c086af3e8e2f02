/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What nodes offer beside holders: shared units, devices, memory and masked threads.
 */
#include "unit_test.h"

#include "holder_cluster.h"

/* The slots that each node has room for, and who has to end for all of them. */
static void check_answer(const struct cluster *cluster,
			 const struct tb_need *need, const char *rooms,
			 const char *wanted)
{
	struct tb_blockers *blockers = create_blockers(cluster, need);
	struct tb_bitset *ended = tb_bitset_create(HOLDERS_MAX);
	char who[32];
	int64_t when;

	for (unsigned i = 0; i < cluster->nnodes; i++)
		assert_int_equal(tb_blockers_room(blockers, i), rooms[i] - '0');
	assert_int_equal(tb_blockers_find(blockers, ended, &when),
			 wanted != NULL);
	print_ended(ended, who);
	assert_string_equal(who, wanted ? wanted : "");
	tb_bitset_destroy(ended);
	tb_blockers_destroy(blockers);
}

/* Each GPU is near half of the cores; the site binds the tasks to cores. */
static void test_implicit_near(void **state)
{
	static const struct {
		enum tb_near near;
		uint64_t per_node, per_task;
		unsigned tasks;
		const char *rooms, *ended;
	} rows[] = {
		{ TB_NEAR_ALWAYS, 1, 0, 2, "2", "" },
		{ TB_NEAR_ALWAYS, 1, 0, 3, "2", "a" },
		{ TB_NEAR_ALWAYS, 1, 0, 5, "2", NULL },
		{ TB_NEAR_IF_POSSIBLE, 1, 0, 3, "3", "" },
		{ TB_NEAR_ANYTHING, 2, 0, 3, "0", "b" },
		{ TB_NEAR_ALWAYS, 2, 0, 3, "0", "b" },
		{ TB_NEAR_ALWAYS, 0, 1, 1, "1", "" },
		{ TB_NEAR_ALWAYS, 0, 1, 2, "1", "b" },
	};
	uint32_t of_pools[][2] = { { 0, 0 }, { 0, 1 } };
	struct tb_used_pool pools[2] = { { .devices = 1 }, { .devices = 1 } };
	struct tb_devices_asked asked = { 0 };
	struct cluster cluster;
	struct tb_request request;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SNCCCCNCCCC", "..a#..b.", false);
	cluster.devices[0][0] = 2;
	cluster.held[0][1][0] = 1;
	for (unsigned i = 0; i < 2; i++) {
		cluster.holder_jobs[0][i].of_pools = of_pools[i];
		pools[i].threads = tb_bitset_parse_list(i ? "4-7" : "0-3", 8,
							NULL);
	}
	cluster.nodes[0].pools = pools;
	cluster.nodes[0].npools = 2;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_need(&need, &request, "bunit=C,bamount=1", rows[i].tasks);
		asked.per_node = rows[i].per_node;
		asked.per_task = rows[i].per_task;
		need.implicit = true;
		need.near = rows[i].near;
		need.devices = &asked;
		need.ndevices = 1;
		check_answer(&cluster, &need, rows[i].rooms, rows[i].ended);
		tb_request_clear(&request);
	}
	for (unsigned i = 0; i < 2; i++)
		tb_bitset_destroy((struct tb_bitset *)pools[i].threads);
	clear_cluster(&cluster);
}

/* On the second node a has the first cache, b two, and the system one. */
static void test_shared_units(void **state)
{
	static const struct {
		unsigned share, tasks;
		const char *room, *ended; /* NULL: that does not suffice */
	} rows[] = {
		{ 1, 1, "00", "b" }, { 2, 1, "01", "" },   { 2, 2, "01", "a" },
		{ 3, 2, "02", "" },  { 3, 3, "02", NULL },
	};
	const struct tb_share_of cache = { TB_SHARES_UNITS, { 'X', TB_POWER } };
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXC", "#", false);
	add_node(&cluster, "SXCCXCCXCC", "aabb#.", false);
	tb_bitset_or(cluster.used[1][1], cluster.used[1][0]);
	for (unsigned h = 0; h < 2; h++)
		cluster.holder_jobs[1][h].share = cache;
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		need.share = rows[i].share;
		need.asked.tasks = rows[i].tasks;
		check_answer(&cluster, &need, rows[i].room, rows[i].ended);
	}
	/* One that takes turns with whoever has its caches. */
	cluster.holder_jobs[1][1].share.as = TB_SHARES_ANY;
	check_answer(&cluster, &need, "02", NULL);
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "02", "");
	/* One that shares with nobody. */
	cluster.holder_jobs[1][1].share.as = TB_SHARES_NOTHING;
	need.asked.tasks = 1;
	check_answer(&cluster, &need, "00", "b");
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/* For a job that wants all of the node, which two jobs have. */
static void test_shared_nodes(void **state)
{
	static const struct {
		unsigned share;
		bool turns;
		enum tb_shares_as as;
		const char *room, *ended;
	} rows[] = {
		{ 1, true, TB_SHARES_ANY, "00", "a b" },
		{ 2, true, TB_SHARES_ANY, "00", "a" },
		{ 3, true, TB_SHARES_ANY, "01", "" },
		{ 3, true, TB_SHARES_UNITS, "01", "" },
		{ 3, true, TB_SHARES_NOTHING, "00", "a b" },
		{ 3, false, TB_SHARES_UNITS, "00", "a b" },
		{ 3, false, TB_SHARES_NODE, "01", "" },
	};
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXC", "#", false);
	add_node(&cluster, "SXCCXCC", "aabb", false);
	tb_bitset_or(cluster.used[1][1], cluster.used[1][0]);
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	need.whole_nodes = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned h = 0; h < 2; h++)
			cluster.holder_jobs[1][h].share = (struct tb_share_of){
				rows[i].as,
				{ 'X', TB_POWER }
			};
		need.share = rows[i].share;
		need.turns = rows[i].turns;
		check_answer(&cluster, &need, rows[i].room, rows[i].ended);
	}
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

static void test_memory(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCXCC", "....", false);
	add_node(&cluster, "SXCCXCC", "...a", false);
	cluster.nodes[0].memory = 25;
	cluster.nodes[1].memory = 40;
	begin_need(&need, &request, "bunit=C,bamount=1", 6);
	check_answer(&cluster, &need, "43", "");
	need.cpu_memory = 10;
	check_answer(&cluster, &need, "43", "a");
	need.asked.tasks = 7;
	check_answer(&cluster, &need, "43", NULL);
	tb_request_clear(&request);
	begin_need(&need, &request, "bunit=C,bamount=3,btype=host", 1);
	need.cpu_memory = 10;
	check_answer(&cluster, &need, "33", "");
	cluster.nodes[1].memory = 29;
	check_answer(&cluster, &need, "33", NULL);
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/* Units are free, and memory is when who has it ends. */
static void test_held_memory(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCXCC", "ab..", false);
	add_node(&cluster, "SXCCXCC", "c...", false);
	for (unsigned i = 0; i < 2; i++)
		cluster.nodes[i].memory = 100;
	cluster.holder_jobs[0][0].memory = 30;
	cluster.holder_jobs[0][1].memory = 60;
	cluster.holder_jobs[1][0].memory = 50;
	begin_need(&need, &request, "bunit=C,bamount=1", 1);
	for (unsigned i = 0; i < 2; i++)
		cluster.nodes[i].least_memory = 60;
	check_answer(&cluster, &need, "11", "");
	need.memory_is_held = true;
	check_answer(&cluster, &need, "11", "b");
	cluster.nodes[0].required = true;
	cluster.nodes[0].least_memory = 80;
	check_answer(&cluster, &need, "11", "a b");
	cluster.nodes[0].required = false;
	cluster.nodes[0].least_memory = cluster.nodes[1].least_memory = 101;
	check_answer(&cluster, &need, "11", NULL);
	cluster.nodes[0].least_memory = cluster.nodes[1].least_memory = 0;
	need.cpu_memory = 20;
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "22", "");
	need.asked.tasks = 4;
	check_answer(&cluster, &need, "23", "a");
	need.asked.tasks = 8;
	check_answer(&cluster, &need, "23", "a b c");
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/*
 * Two NUMA nodes of four cores and 4000 MB.  Who has a core of the first one has 3000 MB
 * there; a slot of two cores needs some, which is half there where one of them is.
 */
static void test_numa_memory(void **state)
{
	static const struct {
		unsigned tasks, megabytes, per_core;
		bool fits, found;
		int64_t when;
	} rows[] = {
		{ 2, 1500, 0, true, true, -1 },
		{ 3, 1000, 0, true, true, -1 },
		{ 3, 1001, 0, false, true, 10 },
		{ 4, 2000, 0, false, true, 10 },
		{ 2, 2001, 0, false, true, 10 },
		{ 3, 2001, 0, false, true, 10 },
		{ 1, 4000, 0, true, true, -1 },
		{ 1, 4001, 0, false, true, 10 },
		{ 1, 8001, 0, false, false, -1 },
		{ 3, 0, 500, true, true, -1 },
		{ 3, 0, 501, false, true, 10 },
		{ 2, 0, 1000, true, true, -1 },
		{ 2, 0, 1001, false, true, 10 },
	};
	static const uint64_t sizes[] = { 4000, 4000 },
			      free_now[] = { 1000, 4000 };
	static const uint64_t held[] = { 3000, 0 };
	struct tb_bitset *ended = tb_bitset_create(1);
	struct cluster cluster = { .nholders = 1, .ends = { 10 } };
	struct tb_numa_nodes *numa;
	struct tb_request request;

	(void)state;
	add_node(&cluster, "SNCCCCNCCCC", "a.......", false);
	numa = tb_numa_nodes_create(cluster.topology[0], true);
	assert_non_null(numa);
	cluster.nodes[0].numa = numa;
	cluster.nodes[0].numa_sizes = sizes;
	cluster.nodes[0].numa_free = free_now;
	cluster.holder_jobs[0][0].of_numa = held;
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bunit=C,bamount=2", NULL),
			 0);
	assert_int_equal(tb_request_complete(&request, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_need need = {
			.request = &request,
			.asked = { .tasks = rows[i].tasks,
				   .tasks_are_given = true,
				   .task_cpus = 1,
				   .min_nodes = 1,
				   .max_nodes = 1 },
			.local_memory = { .per_slot = rows[i].megabytes,
					  .per_core = rows[i].per_core },
		};
		struct tb_blockers *blockers = tb_blockers_create(&need,
								  cluster.nodes,
								  1,
								  cluster.ends,
								  1);
		int64_t when;

		assert_non_null(blockers);
		assert_int_equal(tb_blockers_fits(blockers), rows[i].fits);
		assert_int_equal(tb_blockers_find(blockers, ended, &when),
				 rows[i].found);
		assert_int_equal(when, rows[i].when);
		tb_blockers_destroy(blockers);
	}
	tb_request_clear(&request);
	tb_numa_nodes_destroy(numa);
	tb_bitset_destroy(ended);
	clear_cluster(&cluster);
}

/* Units with masked threads are for tasks that need no more than is left of them. */
static void test_masks(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_bitset *masked = tb_bitset_create(6);
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCCXCCC", "...aaa", false);
	tb_bitset_set(masked, 0);
	cluster.nodes[0].masked = masked;
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	check_answer(&cluster, &need, "1", "");
	need.asked.task_cpus = 2;
	check_answer(&cluster, &need, "1", "");
	need.asked.task_cpus = 3;
	check_answer(&cluster, &need, "0", "a");
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "0", NULL);
	need.share = 2;
	cluster.holder_jobs[0][0].share = (struct tb_share_of){ TB_SHARES_UNITS,
								{ 'X',
								  TB_POWER } };
	check_answer(&cluster, &need, "1", NULL);
	tb_request_clear(&request);
	clear_cluster(&cluster);
	tb_bitset_destroy(masked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_implicit_near),
		cmocka_unit_test(test_shared_units),
		cmocka_unit_test(test_shared_nodes),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_held_memory),
		cmocka_unit_test(test_numa_memory),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests_name("held_nodes", tests, NULL, NULL);
}

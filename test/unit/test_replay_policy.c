/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes the jobs of a replay get by each node allocation policy, by hand: two nodes
 * with two L3 caches and two with four, of different speeds, three jobs of a cache, and one
 * of four on two nodes at least.
 */
#include "unit_test.h"

#include "core/replay/replay.h"

#define NODES 4
#define JOBS 4

struct world {
	const struct tb_topology *nodes[NODES];
	unsigned caches[JOBS][NODES]; /* that a job has on a node */
};

static void watch_grant(void *arg, unsigned job, unsigned node,
			const struct tb_bitset *threads, int64_t now,
			bool begins)
{
	struct world *world = arg;

	(void)now;
	if (begins)
		world->caches[job][node] = tb_bitset_count(threads) / 2;
}

static struct tb_topology *parse_topology(const char *text)
{
	struct tb_topology *topology = tb_topology_parse(text, NULL, NULL);

	assert_non_null(topology);
	return topology;
}

/* All jobs at once, for longer than any waits. */
static void run_world(struct world *world, enum tb_allocation policy,
		      const struct tb_request *request)
{
	static const double speeds[NODES] = { 2, 3, 3, 1 };
	struct tb_replay_cluster cluster = { world->nodes, NODES };
	struct tb_replay_policy nodes = { policy, speeds };
	struct tb_replay_options options = { .policy = &nodes,
					     .watch = watch_grant,
					     .arg = world };
	struct tb_replay_job jobs[JOBS];
	struct tb_replay_start starts[JOBS];
	struct tb_replay_totals totals;

	memset(world->caches, 0, sizeof(world->caches));
	for (unsigned i = 0; i < JOBS; i++)
		jobs[i] = (struct tb_replay_job){
			.run = 100,
			.limit = 100,
			.nodes = i == 3 ? 2 : 1,
			.tasks = i == 3 ? 4 : 1,
			.task_cpus = 2,
			.request = request,
		};
	assert_int_equal(0, tb_replay(&cluster, jobs, JOBS, &options, starts,
				      &totals));
	for (unsigned i = 0; i < JOBS; i++)
		assert_int_equal(0, starts[i].start);
}

/* Which node each of the first jobs has, and how many caches of each the last. */
static void print_world(const struct world *world, char *text, size_t size)
{
	int length = 0;

	for (unsigned job = 0; job < JOBS - 1; job++)
		for (unsigned node = 0; node < NODES; node++)
			if (world->caches[job][node])
				length += snprintf(text + length,
						   size - (size_t)length, "%u ",
						   node);
	for (unsigned node = 0; node < NODES; node++)
		length += snprintf(text + length, size - (size_t)length, "%u",
				   world->caches[JOBS - 1][node]);
}

static const struct {
	enum tb_allocation policy;
	const char *bound, *plain;
} cases[] = {
	{ TB_ALLOCATE_FIRSTAVAILABLE, "0 0 1 0130", "0 0 1 0130" },
	{ TB_ALLOCATE_LASTAVAILABLE, "3 3 3 0031", "3 3 3 0031" },
	{ TB_ALLOCATE_MINRESOURCE, "0 0 1 0130", "0 0 1 0130" },
	{ TB_ALLOCATE_FASTEST, "1 1 2 2020", "1 1 2 1030" },
	{ TB_ALLOCATE_MAXBALANCE, "1 1 2 2020", "1 1 2 1030" },
	{ TB_ALLOCATE_CONTIGUOUS, "0 0 1 0130", "0 0 1 0130" },
	{ TB_ALLOCATE_BESTFIT, "0 0 1 0130", "0 0 1 0130" },
};

static void test_policies(void **state)
{
	struct tb_topology *small = parse_topology("NSXCCXCC");
	struct tb_topology *large = parse_topology("NSXCCXCCNSXCCXCC");
	struct world world = { .nodes = { small, small, large, large } };
	struct tb_request request;
	char text[64];

	(void)state;
	tb_request_init(&request);
	assert_int_equal(0,
			 tb_request_parse(&request, "bunit=X,bamount=1", NULL));
	assert_int_equal(0, tb_request_complete(&request, NULL));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		run_world(&world, cases[i].policy, &request);
		print_world(&world, text, sizeof(text));
		assert_string_equal(cases[i].bound, text);
		run_world(&world, cases[i].policy, NULL);
		print_world(&world, text, sizeof(text));
		assert_string_equal(cases[i].plain, text);
	}
	tb_request_clear(&request);
	tb_topology_destroy(small);
	tb_topology_destroy(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_policies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs of the past in virtual time: examples by hand, and random jobs with and without
 * binding, of which some things must always be so.
 */
#include "unit_test.h"

#include "replay_world.h"

/* ---- by hand ---- */

/* Two cores: the third waits for both, the fourth may go before it, the fifth not. */
static void test_example(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCXC");
	const struct tb_topology *nodes[] = { topology };
	struct tb_replay_cluster cluster = { nodes, 1 };
	struct tb_replay_job jobs[] = {
		{ .submit = 0, .run = 60, .limit = 100, .tasks = 1 },
		{ .submit = 1, .run = 10, .limit = 10, .tasks = 1 },
		{ .submit = 2, .run = 5, .limit = 5, .tasks = 2 },
		{ .submit = 3, .run = 40, .limit = 80, .tasks = 1 },
		{ .submit = 4, .run = 20, .limit = 95, .tasks = 1 },
		{ .submit = 5, .run = 1, .limit = 1, .tasks = 3 },
	};
	static const int64_t wanted[] = { 0, 1, 60, 11, 65, TB_REPLAY_NEVER };
	struct tb_replay_options options = { .depth = 100 };
	struct tb_replay_start starts[6];
	struct tb_replay_totals totals;

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		jobs[i].nodes = jobs[i].task_cpus = 1;
	assert_int_equal(0, tb_replay(&cluster, jobs, 6, &options, starts,
				      &totals));
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(wanted[i], starts[i].start);
	assert_int_equal(85, totals.last);
	assert_int_equal(60 + 10 + 10 + 40 + 20, (int)totals.core_seconds);
	assert_int_equal(2, starts[2].l3.touched);
	tb_topology_destroy(topology);
}

/* One core: who is behind the second one waits for it, if nobody goes before. */
static void test_no_backfill(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCXC");
	const struct tb_topology *nodes[] = { topology };
	struct tb_replay_cluster cluster = { nodes, 1 };
	struct tb_replay_job jobs[] = {
		{ .submit = 0, .run = 60, .tasks = 1 },
		{ .submit = 1, .run = 10, .tasks = 2 },
		{ .submit = 2, .run = 1, .tasks = 1 },
	};
	struct tb_replay_options options = { .backfill = TB_BACKFILL_NONE,
					     .depth = 100 };
	struct tb_replay_start starts[3];
	struct tb_replay_totals totals;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		jobs[i].nodes = jobs[i].task_cpus = 1;
	assert_int_equal(0, tb_replay(&cluster, jobs, 3, &options, starts,
				      &totals));
	assert_int_equal(0, starts[0].start);
	assert_int_equal(60, starts[1].start);
	assert_int_equal(70, starts[2].start);
	tb_topology_destroy(topology);
}

/*
 * Two caches of two cores, in each of which a core is in use until 60 and 100, so
 * there is no whole one.
 */
static void test_whys(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCCXCC");
	const struct tb_topology *nodes[] = { topology };
	struct tb_replay_cluster cluster = { nodes, 1 };
	struct tb_request cache;
	struct tb_replay_job jobs[] = {
		{ .submit = 0, .run = 100, .task_cpus = 1 },
		{ .submit = 0, .run = 10, .task_cpus = 1 },
		{ .submit = 0, .run = 60, .task_cpus = 1 },
		{ .submit = 5, .run = 10, .task_cpus = 1, .request = &cache },
		{ .submit = 5, .run = 10, .task_cpus = 2, .request = &cache },
		{ .submit = 11, .run = 10, .task_cpus = 1 },
	};
	struct tb_replay_why whys[] = { { .job = 3 },
					{ .job = 4 },
					{ .job = 5 } };
	struct tb_replay_options options = { .backfill = TB_BACKFILL_NONE,
					     .whys = whys,
					     .nwhys = 3 };
	/* Too few cores, spare ones, broken units, order. */
	static const int64_t wanted[][4] = { { 0, 0, 55, 0 },
					     { 5, 10, 50, 0 },
					     { 0, 0, 0, 59 } };
	struct tb_replay_start starts[6];
	struct tb_replay_totals totals;
	struct tb_error err;

	(void)state;
	tb_request_init(&cache);
	assert_int_equal(0,
			 tb_request_parse(&cache, "bunit=X,bamount=1", &err));
	assert_int_equal(0, tb_request_complete(&cache, &err));
	for (unsigned i = 0; i < 6; i++)
		jobs[i].nodes = jobs[i].tasks = 1;
	assert_int_equal(0, tb_replay(&cluster, jobs, 6, &options, starts,
				      &totals));
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(wanted[i][0], whys[i].cores);
		assert_int_equal(wanted[i][1], whys[i].spare);
		assert_int_equal(wanted[i][2], whys[i].broken);
		assert_int_equal(wanted[i][3], whys[i].order);
	}
	assert_int_equal(70, starts[5].start);
	/* Nobody asks what happens then. */
	assert_int_equal(70, totals.last);
	tb_request_clear(&cache);
	tb_topology_destroy(topology);
}

/* A core of four threads has one task of three: two nodes are enough for two tasks. */
static void test_cores_of_many_threads(void **state)
{
	struct tb_topology *topology = parse_topology("NSCTTTT");
	const struct tb_topology *nodes[] = { topology, topology, topology };
	struct tb_replay_cluster cluster = { nodes, 3 };
	struct tb_replay_job job = { .run = 10,
				     .limit = 10,
				     .nodes = 2,
				     .tasks = 2,
				     .task_cpus = 3 };
	struct tb_replay_options options = { .depth = 100 };
	struct tb_replay_start start;
	struct tb_replay_totals totals;

	(void)state;
	assert_int_equal(0, tb_replay(&cluster, &job, 1, &options, &start,
				      &totals));
	assert_int_equal(0, start.start);
	assert_int_equal(2, start.cores);
	tb_topology_destroy(topology);
}

/* ---- random jobs, and what is always so ---- */

/* Alone on the cluster it starts at once. */
static bool fits_empty(const struct world *world, unsigned job)
{
	struct tb_replay_cluster cluster = { world->nodes, NODES };
	struct tb_replay_options options = { .depth = 1 };
	struct tb_replay_start start;
	struct tb_replay_totals totals;

	assert_int_equal(0, tb_replay(&cluster, &world->jobs[job], 1, &options,
				      &start, &totals));
	return start.start == world->jobs[job].submit;
}

static void check_world(const struct world *world)
{
	for (unsigned i = 0; i < JOBS; i++) {
		const struct tb_replay_start *start = &world->starts[i];
		bool starts = start->start != TB_REPLAY_NEVER;

		assert_int_equal(starts, fits_empty(world, i));
		assert_int_equal(starts, world->parts[i] > 0);
		if (!starts)
			continue;
		assert_true(world->parts[i] >= world->jobs[i].nodes);
		assert_true(world->parts[i] <= world->jobs[i].tasks);
		if (!world->jobs[i].request)
			assert_true(start->cores <=
				    world->jobs[i].tasks *
					    world->jobs[i].task_cpus);
		assert_true(start->l3.touched >= start->l3.fewest);
		if (world->reserved[i] >= 0 && keeps_reservations(world))
			assert_true(start->start <= world->reserved[i]);
	}
}

static void check_invariants(enum tb_backfill backfill,
			     enum tb_allocation policy, unsigned depth)
{
	static const char *const requests[] = {
		"bunit=X,bamount=1",
		"bunit=C,bamount=2",
		"bunit=X",
		"bunit=C",
		"bunit=S,bamount=1,btype=host",
	};
	struct tb_topology *first = parse_topology("NSXCCXCCNSXCCXCC");
	struct tb_topology *second = parse_topology("NSXCTTCTTXCTTCTT");
	struct random random = { 22 };
	static const double speeds[NODES] = { 2, 3, 3, 0 };
	static struct world world;

	world.backfill = backfill;
	world.policy = (struct tb_replay_policy){ policy, speeds };
	world.depth = depth;
	for (unsigned i = 0; i < NODES; i++)
		world.nodes[i] = i % 2 ? second : first;
	for (unsigned round = 0; round < 60; round++) {
		const char *line = requests[round % 5];
		struct tb_request request;
		struct tb_error err;

		tb_request_init(&request);
		assert_int_equal(0, tb_request_parse(&request, line, &err));
		assert_int_equal(0, tb_request_complete(&request, &err));
		make_jobs(&random, &world, &request, !strchr(line, ','));
		run_world(&world);
		check_world(&world);
		tb_request_clear(&request);
	}
	tb_topology_destroy(first);
	tb_topology_destroy(second);
}

static void test_invariants(void **state)
{
	(void)state;
	for (int policy = 0; policy < TB_ALLOCATIONS; policy++)
		check_invariants(TB_BACKFILL_EASY, (enum tb_allocation)policy,
				 JOBS);
	check_invariants(TB_BACKFILL_CONSERVATIVE, TB_ALLOCATE_DEFAULT, JOBS);
	check_invariants(TB_BACKFILL_CONSERVATIVE, TB_ALLOCATE_LASTAVAILABLE,
			 4);
	check_invariants(TB_BACKFILL_CONSERVATIVE, TB_ALLOCATE_DEFAULT, 4);
	check_invariants(TB_BACKFILL_SLURM, TB_ALLOCATE_DEFAULT, JOBS);
	check_invariants(TB_BACKFILL_SLURM, TB_ALLOCATE_CONTIGUOUS, JOBS);
	check_invariants(TB_BACKFILL_SLURM, TB_ALLOCATE_DEFAULT, 4);
}

/* ---- as Slurm ---- */

/* Two nodes: starts of these jobs, plain or with the request. */
static void check_slurm(const struct tb_replay_job *jobs, unsigned count,
			bool bounded_looks, const int64_t *wanted)
{
	struct tb_topology *topology = parse_topology("NSXCCXCC");
	const struct tb_topology *nodes[] = { topology, topology };
	struct tb_replay_cluster cluster = { nodes, 2 };
	struct tb_replay_options options = { .backfill = TB_BACKFILL_SLURM,
					     .bounded_looks = bounded_looks,
					     .depth = 100 };
	struct tb_replay_start starts[JOBS];
	struct tb_replay_totals totals;

	assert_int_equal(0, tb_replay(&cluster, jobs, count, &options, starts,
				      &totals));
	for (unsigned i = 0; i < count; i++)
		assert_int_equal(wanted[i], starts[i].start);
	tb_topology_destroy(topology);
}

/*
 * The third is promised all of the second node from 305 on, rounded down to a minute.  A
 * core of it is free until then: the fourth and the last would end too late for it, the
 * fifth would not.  When the third has begun there is a core for one of them.
 */
static void test_slurm_promises(void **state)
{
	struct tb_replay_job jobs[] = {
		{ .submit = 0, .run = 900, .tasks = 4 },
		{ .submit = 0, .run = 30, .limit = 305, .tasks = 3 },
		{ .submit = 5, .run = 300, .limit = 300, .tasks = 3 },
		{ .submit = 10, .run = 5, .limit = 295, .tasks = 1 },
		{ .submit = 12, .run = 5, .limit = 280, .tasks = 1 },
		{ .submit = 20, .run = 100, .limit = 600, .tasks = 1 },
	};
	static const int64_t wanted[] = { 0, 0, 30, 30, 12, 35 };

	(void)state;
	for (unsigned i = 0; i < 6; i++)
		jobs[i].nodes = jobs[i].task_cpus = 1;
	check_slurm(jobs, 6, false, wanted);
	check_slurm(jobs, 6, true, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_no_backfill),
		cmocka_unit_test(test_whys),
		cmocka_unit_test(test_cores_of_many_threads),
		cmocka_unit_test(test_invariants),
		cmocka_unit_test(test_slurm_promises),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}

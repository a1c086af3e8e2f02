/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs of the past in virtual time: an example by hand, plain jobs against a scheduler
 * that looks ahead second by second and knows only numbers of cores, and random jobs with and
 * without binding, of which some things must always be so.
 */
#include "unit_test.h"

#include "random_case.h"

#include "core/replay/replay.h"

#define NODES 4
#define JOBS 40
#define CORES 8
#define TIMES 4000

static struct tb_topology *parse_topology(const char *text)
{
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(text, NULL, &err);

	if (!topology)
		fail_msg("%s: %s", text, err.text);
	return topology;
}

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

/* On two cores.  The second job waits for both; how many behind it are looked at? */
static void test_depth(void **state)
{
	static const struct {
		unsigned depth;
		int64_t limit; /* of the third; a long one would delay the second */
		int64_t third, fourth;
	} rows[] = {
		{ 1, 5, 2, 7 },
		{ 1, 200, 65, 65 },
		{ 2, 200, 65, 3 },
		{ 0, 5, 65, 65 },
	};
	struct tb_topology *topology = parse_topology("NSXCXC");
	const struct tb_topology *nodes[] = { topology };
	struct tb_replay_cluster cluster = { nodes, 1 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct tb_replay_options options = {
			.depth = rows[i].depth,
		};
		struct tb_replay_job jobs[] = {
			{ .submit = 0, .run = 60, .limit = 100, .tasks = 1 },
			{ .submit = 1, .run = 5, .limit = 5, .tasks = 2 },
			{ .submit = 2, .run = 5, .tasks = 1 },
			{ .submit = 3, .run = 5, .limit = 5, .tasks = 1 },
		};
		struct tb_replay_start starts[4];
		struct tb_replay_totals totals;

		for (unsigned j = 0; j < 4; j++)
			jobs[j].nodes = jobs[j].task_cpus = 1;
		jobs[2].limit = rows[i].limit;
		assert_int_equal(0, tb_replay(&cluster, jobs, 4, &options,
					      starts, &totals));
		assert_int_equal(starts[1].start, 60);
		assert_int_equal(starts[2].start, rows[i].third);
		assert_int_equal(starts[3].start, rows[i].fourth);
	}
	tb_topology_destroy(topology);
}

static void test_no_jobs(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCXC");
	const struct tb_topology *nodes[] = { topology, topology };
	struct tb_replay_cluster cluster = { nodes, 2 };
	struct tb_replay_options options = { .depth = 100 };
	struct tb_replay_totals totals;

	(void)state;
	assert_int_equal(0,
			 tb_replay(&cluster, NULL, 0, &options, NULL, &totals));
	assert_int_equal(totals.first, 0);
	assert_int_equal(totals.last, 0);
	assert_true(totals.core_seconds == 0 && totals.broken_seconds == 0);
	assert_int_equal(totals.cores, 4);
	tb_topology_destroy(topology);
}

/* ---- random jobs, and what is always so ---- */

struct world {
	const struct tb_topology *nodes[NODES];
	struct tb_replay_job jobs[JOBS];
	struct tb_replay_start starts[JOBS];
	struct tb_replay_totals totals;
	struct tb_bitset *used[NODES];
	int64_t reserved[JOBS]; /* the first reservation; -1: none */
	unsigned parts[JOBS];
};

static void watch_grant(void *arg, unsigned job, unsigned node,
			const struct tb_bitset *threads, int64_t now,
			bool begins)
{
	struct world *world = arg;

	assert_false(tb_bitset_is_empty(threads));
	if (begins) {
		assert_true(now >= world->jobs[job].submit);
		assert_false(tb_bitset_intersects(world->used[node], threads));
		tb_bitset_or(world->used[node], threads);
		world->parts[job]++;
		return;
	}
	assert_int_equal(now, world->starts[job].start + world->jobs[job].run);
	assert_true(tb_bitset_contains(world->used[node], threads));
	tb_bitset_andnot(world->used[node], threads);
}

static void watch_reservation(void *arg, unsigned job, int64_t at)
{
	struct world *world = arg;

	if (world->reserved[job] < 0)
		world->reserved[job] = at;
	assert_true(at <= world->reserved[job]);
}

static void make_jobs(struct random *random, struct world *world,
		      const struct tb_request *request, bool implicit)
{
	int64_t now = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct tb_replay_job *job = &world->jobs[i];

		now += random_below(random, 12);
		*job = (struct tb_replay_job){
			.submit = now,
			.run = random_below(random, 50),
			.limit = random_below(random, 80),
			.nodes = 1,
			.task_cpus = 1 + random_below(random, 3),
			.request = random_percent(random, 80) ? request : NULL,
			.implicit = implicit,
		};
		if (random_percent(random, 30))
			job->nodes += random_below(random, NODES);
		job->tasks = job->nodes + random_below(random, CORES + 2);
	}
}

static void run_world(struct world *world)
{
	struct tb_replay_cluster cluster = { world->nodes, NODES };
	struct tb_replay_options options = { .depth = JOBS,
					     .watch = watch_grant,
					     .reserved = watch_reservation,
					     .arg = world };

	for (unsigned i = 0; i < NODES; i++)
		world->used[i] = tb_bitset_create(
			tb_topology_threads(world->nodes[i]));
	for (unsigned i = 0; i < JOBS; i++) {
		world->reserved[i] = -1;
		world->parts[i] = 0;
	}
	assert_int_equal(0, tb_replay(&cluster, world->jobs, JOBS, &options,
				      world->starts, &world->totals));
	for (unsigned i = 0; i < NODES; i++) {
		assert_true(tb_bitset_is_empty(world->used[i]));
		tb_bitset_destroy(world->used[i]);
	}
}

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
		assert_true(start->l3.touched >= start->l3.fewest);
		if (world->reserved[i] >= 0)
			assert_true(start->start <= world->reserved[i]);
	}
}

static void test_invariants(void **state)
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
	static struct world world;

	(void)state;
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

/* ---- second by second, with numbers of cores ---- */

/* A cluster in which only numbers are known. */
struct numbers {
	unsigned cores[NODES]; /* free */
};

struct numbers_job {
	int64_t start; /* -1: waits */
	unsigned cores[NODES];
};

static bool give_numbers(struct numbers *free, const struct tb_replay_job *job,
			 unsigned cores[NODES])
{
	unsigned room[NODES], hosts = 0, all = 0, left, order[NODES];
	unsigned taken = 0, used = 0;

	memset(cores, 0, NODES * sizeof(*cores));
	for (unsigned i = 0; i < NODES; i++) {
		room[i] = free->cores[i] / job->task_cpus;
		all += room[i];
		hosts += room[i] > 0;
		order[i] = i;
	}
	if (all < job->tasks || hosts < job->nodes)
		return false;
	/* The first node that holds all, else those with the most room. */
	for (unsigned i = 0; job->nodes == 1 && i < NODES; i++)
		if (room[i] >= job->tasks) {
			cores[i] = job->tasks * job->task_cpus;
			free->cores[i] -= cores[i];
			return true;
		}
	for (unsigned i = 1; i < NODES; i++)
		for (unsigned j = i; j && room[order[j]] > room[order[j - 1]];
		     j--) {
			unsigned swap = order[j];

			order[j] = order[j - 1];
			order[j - 1] = swap;
		}
	while (taken < job->tasks || used < job->nodes)
		taken += room[order[used++]];
	left = job->tasks - used;
	for (unsigned i = 0; i < used; i++) {
		unsigned node = order[i], more = room[node] - 1;

		more = more < left ? more : left;
		left -= more;
		cores[node] = (1 + more) * job->task_cpus;
		free->cores[node] -= cores[node];
	}
	return true;
}

static int64_t limit_of(const struct tb_replay_job *job)
{
	return job->limit > job->run ? job->limit : job->run;
}

/* The cluster at a time, if what runs then lasts as long as it may. */
static struct numbers look_ahead(const struct world *world,
				 const struct numbers_job *all, int64_t now,
				 int64_t at)
{
	struct numbers free;

	for (unsigned node = 0; node < NODES; node++) {
		free.cores[node] = CORES;
		for (unsigned i = 0; i < JOBS; i++) {
			const struct tb_replay_job *job = &world->jobs[i];

			if (all[i].start >= 0 &&
			    all[i].start + job->run > now &&
			    all[i].start + limit_of(job) > at)
				free.cores[node] -= all[i].cores[node];
		}
	}
	return free;
}

static int64_t find_reservation(const struct world *world,
				const struct numbers_job *all, unsigned job,
				int64_t now)
{
	unsigned cores[NODES];

	for (int64_t at = now;; at++) {
		struct numbers free = look_ahead(world, all, now, at);

		if (give_numbers(&free, &world->jobs[job], cores))
			return at;
	}
}

/* One turn: in order, as long as the first that waits is not delayed. */
static void take_turn(const struct world *world, struct numbers_job *all,
		      int64_t now)
{
	int first = -1;
	int64_t at = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct numbers free = look_ahead(world, all, now, now);
		const struct tb_replay_job *job = &world->jobs[i];

		if (all[i].start >= 0 || job->submit > now ||
		    world->starts[i].start == TB_REPLAY_NEVER)
			continue;
		if (give_numbers(&free, job, all[i].cores)) {
			all[i].start = now;
			if (first >= 0 &&
			    find_reservation(world, all, (unsigned)first, now) >
				    at)
				all[i].start = -1;
		}
		if (all[i].start < 0 && first < 0) {
			first = (int)i;
			at = find_reservation(world, all, i, now);
		}
	}
}

/* Somebody comes or ends: only then the scheduler has its turn. */
static bool has_turn(const struct world *world, const struct numbers_job *all,
		     int64_t now)
{
	for (unsigned i = 0; i < JOBS; i++)
		if ((world->jobs[i].submit == now &&
		     world->starts[i].start != TB_REPLAY_NEVER) ||
		    (all[i].start >= 0 &&
		     all[i].start + world->jobs[i].run == now))
			return true;
	return false;
}

static void test_numbers(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCCXCCNSXCCXCC");
	struct random random = { 1022 };
	static struct world world;

	(void)state;
	for (unsigned i = 0; i < NODES; i++)
		world.nodes[i] = topology;
	for (unsigned round = 0; round < 30; round++) {
		struct numbers_job all[JOBS];

		make_jobs(&random, &world, NULL, false);
		for (unsigned i = 0; i < JOBS; i++) {
			all[i].start = -1;
			world.jobs[i].run++; /* in the same second none ends */
		}
		run_world(&world);
		for (int64_t now = 0; now < TIMES; now++)
			if (has_turn(&world, all, now))
				take_turn(&world, all, now);
		for (unsigned i = 0; i < JOBS; i++)
			if (world.starts[i].start != TB_REPLAY_NEVER)
				assert_int_equal(all[i].start,
						 world.starts[i].start);
	}
	tb_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_example),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_no_jobs),
		cmocka_unit_test(test_invariants),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Jobs of the past in virtual time: examples by hand, plain jobs against schedulers that
 * look ahead second by second, and random jobs with and without binding, of which some
 * things must always be so.
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

struct world {
	const struct tb_topology *nodes[NODES];
	struct tb_replay_job jobs[JOBS];
	struct tb_replay_start starts[JOBS];
	struct tb_replay_totals totals;
	struct tb_bitset *used[NODES];
	int64_t reserved[JOBS]; /* the first reservation; -1: none */
	unsigned parts[JOBS];
	enum tb_backfill backfill;
	struct tb_replay_policy policy;
	unsigned depth;
	bool whole_tasks, first_node;
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

/*
 * By the others select/cons_tres chooses, for bound jobs too, and can miss nodes of which
 * some have cores of several threads.
 */
static bool keeps_reservations(const struct world *world)
{
	return world->policy.nodes == TB_ALLOCATE_DEFAULT;
}

static void watch_reservation(void *arg, unsigned job, int64_t at)
{
	struct world *world = arg;

	if (world->reserved[job] < 0)
		world->reserved[job] = at;
	assert_true(!keeps_reservations(world) || at <= world->reserved[job]);
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
	struct tb_replay_options options = { .backfill = world->backfill,
					     .policy = &world->policy,
					     .whole_tasks = world->whole_tasks,
					     .first_node = world->first_node,
					     .depth = world->depth,
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

/* ---- second by second, with numbers of cores ---- */

/* A cluster in which only numbers are known. */
struct numbers {
	unsigned cores[NODES]; /* free */
};

struct numbers_job {
	int64_t start; /* -1: waits */
	unsigned cores[NODES];
};

/* CPUs of whole tasks in the nodes from one on that have room, and how many these are. */
static unsigned sum_set(const unsigned room[NODES], unsigned from,
			unsigned task_cpus, unsigned *count)
{
	unsigned cpus = 0;

	for (*count = 0; from < NODES && room[from]; from++, ++*count)
		cpus += room[from] * task_cpus;
	return cpus;
}

/* The smallest set that suffices, else the largest, which none is if all are done. */
static int find_set(const unsigned room[NODES], const bool done[NODES],
		    int cpus, int nodes, unsigned task_cpus)
{
	int best = -1, best_worth = 0;

	for (unsigned i = 0; i < NODES; i++) {
		unsigned count;
		int has = (int)sum_set(room, i, task_cpus, &count), worth = has;

		if (!room[i] || done[i] || (i && room[i - 1]))
			continue;
		if (has >= cpus && (int)count >= nodes)
			worth = 10000 - has;
		if (best < 0 || worth > best_worth) {
			best = (int)i;
			best_worth = worth;
		}
	}
	return best;
}

/* Each of the others has a core at least, and this one a task. */
static int limit_cpus(int has, int cpus, int nodes, int task_cpus)
{
	int most = nodes > 1 ? cpus - nodes + 1 : cpus;

	if (most < task_cpus)
		most = task_cpus;
	return has < most ? has : most;
}

/* As select/cons_tres chooses nodes: plain.h.  Of each, so many tasks at most. */
static void choose_numbers(const struct tb_replay_job *job,
			   const unsigned room[NODES], unsigned chosen[NODES])
{
	int cpus = (int)(job->tasks * job->task_cpus), nodes = (int)job->nodes;
	int task_cpus = (int)job->task_cpus;
	bool done[NODES] = { false };

	while (cpus > 0 || nodes > 0) {
		unsigned from = (unsigned)find_set(room, done, cpus, nodes,
						   job->task_cpus);
		unsigned count, tightest = NODES;

		sum_set(room, from, job->task_cpus, &count);
		for (unsigned i = from; i < from + count; i++) {
			done[i] = true;
			if ((int)(room[i] * job->task_cpus) >= cpus &&
			    (tightest == NODES || room[i] < room[tightest]))
				tightest = i;
		}
		if (nodes <= 1 && tightest < NODES) {
			chosen[tightest] = cpus > task_cpus
						   ? (unsigned)(cpus /
								task_cpus)
						   : 1;
			return;
		}
		for (unsigned i = from;
		     i < from + count && (cpus > 0 || nodes > 0); i++) {
			int has = limit_cpus((int)room[i] * task_cpus, cpus,
					     nodes, task_cpus);

			chosen[i] = (unsigned)(has / task_cpus);
			cpus -= has;
			nodes--;
		}
	}
}

static unsigned find_first(const unsigned room[NODES])
{
	unsigned node = 0;

	while (!room[node])
		node++;
	return node;
}

static bool give_numbers(const struct world *world, unsigned index,
			 struct numbers *free, unsigned cores[NODES])
{
	const struct tb_replay_job *job = &world->jobs[index];
	unsigned room[NODES], hosts = 0, all = 0, left = job->tasks;
	unsigned chosen[NODES] = { 0 };

	memset(cores, 0, NODES * sizeof(*cores));
	for (unsigned i = 0; i < NODES; i++) {
		room[i] = free->cores[i] / job->task_cpus;
		all += room[i];
		hosts += room[i] > 0;
	}
	if (all < job->tasks || hosts < job->nodes)
		return false;
	if (world->first_node && job->tasks == 1)
		chosen[find_first(room)] = 1;
	else
		choose_numbers(job, room, chosen);
	for (unsigned i = 0; i < NODES; i++)
		left -= chosen[i] > 0;
	for (unsigned i = 0; i < NODES; i++) {
		unsigned more = chosen[i] - 1;

		if (!chosen[i])
			continue;
		more = more < left ? more : left;
		left -= more;
		cores[i] = (1 + more) * job->task_cpus;
		free->cores[i] -= cores[i];
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

		if (give_numbers(world, job, &free, cores))
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
		if (give_numbers(world, i, &free, all[i].cores)) {
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

/* Plain jobs; in the second in which one starts it does not end. */
static void make_plain_world(struct random *random, struct world *world,
			     const struct tb_topology *topology)
{
	for (unsigned i = 0; i < NODES; i++)
		world->nodes[i] = topology;
	make_jobs(random, world, NULL, false);
	for (unsigned i = 0; i < JOBS; i++)
		world->jobs[i].run++;
	run_world(world);
}

static void test_numbers(void **state)
{
	struct tb_topology *topology = parse_topology("NSXCCXCCNSXCCXCC");
	struct random random = { 1022 };
	static struct world world;

	(void)state;
	world.backfill = TB_BACKFILL_EASY;
	world.depth = JOBS;
	for (unsigned round = 0; round < 30; round++) {
		struct numbers_job all[JOBS];

		for (unsigned i = 0; i < JOBS; i++)
			all[i].start = -1;
		make_plain_world(&random, &world, topology);
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

/* ---- second by second, with a place for each job ---- */

struct planned_job {
	int64_t at; /* -1: no time yet */
	bool runs;
	unsigned cores[NODES]; /* a bit for each */
};

/* Cores that others have at some time of [from, to). */
static void find_used(const struct world *world, const struct planned_job *all,
		      unsigned but, int64_t now, int64_t from, int64_t to,
		      unsigned used[NODES])
{
	memset(used, 0, NODES * sizeof(*used));
	for (unsigned i = 0; i < JOBS; i++) {
		const struct tb_replay_job *job = &world->jobs[i];
		bool over = all[i].runs && all[i].at + job->run <= now;

		if (i == but || all[i].at < 0 || over || all[i].at >= to ||
		    all[i].at + limit_of(job) <= from)
			continue;
		for (unsigned node = 0; node < NODES; node++)
			used[node] |= all[i].cores[node];
	}
}

/*
 * Of cores that are not used, but (whole) for the last ones that are too few for a task:
 * tasks of several each in a socket, as far as they fit; others one of each in turn.
 */
static unsigned pick_cores(unsigned used, unsigned count, unsigned task_cpus,
			   bool whole)
{
	const unsigned size = CORES / 2;
	unsigned picked = 0;
	unsigned spare = (CORES - (unsigned)__builtin_popcount(used)) %
			 task_cpus;

	for (unsigned core = CORES; whole && spare && core--;)
		if (!(used >> core & 1)) {
			used |= 1u << core;
			spare--;
		}
	for (unsigned socket = 0; task_cpus > 1 && socket < 2; socket++) {
		unsigned mask = ((1u << size) - 1) << socket * size;
		unsigned room = (unsigned)__builtin_popcount(~used & mask);

		room -= room % task_cpus;
		for (; room && count; room--, count--)
			picked |= 1u << __builtin_ctz(~(used | picked) & mask);
	}
	for (unsigned socket = 0; count; socket = !socket) {
		unsigned mask = ((1u << size) - 1) << socket * size;
		unsigned free = ~(used | picked) & mask;

		if (!free)
			continue;
		picked |= 1u << __builtin_ctz(free);
		count--;
	}
	return picked;
}

/* Plan a job for the first second before its own time in which it has a place. */
static void plan_job(const struct world *world, struct planned_job *all,
		     unsigned job, int64_t now)
{
	int64_t before = all[job].at < 0 ? TIMES : all[job].at;

	for (int64_t at = now; at < before; at++) {
		unsigned used[NODES], cores[NODES];
		struct numbers free;

		find_used(world, all, job, now, at,
			  at + limit_of(&world->jobs[job]), used);
		for (unsigned i = 0; i < NODES; i++)
			free.cores[i] = CORES -
					(unsigned)__builtin_popcount(used[i]);
		if (!give_numbers(world, job, &free, cores))
			continue;
		for (unsigned i = 0; i < NODES; i++)
			all[job].cores[i] =
				pick_cores(used[i], cores[i],
					   world->jobs[job].task_cpus,
					   world->whole_tasks);
		all[job].at = at;
		return;
	}
}

static void take_planned_turn(const struct world *world,
			      struct planned_job *all, int64_t now)
{
	unsigned held = 0;

	for (unsigned i = 0; i < JOBS && held <= world->depth; i++) {
		if (all[i].runs || world->jobs[i].submit > now ||
		    world->starts[i].start == TB_REPLAY_NEVER)
			continue;
		plan_job(world, all, i, now);
		all[i].runs = all[i].at == now;
		held += !all[i].runs;
	}
}

/* Somebody comes, ends, or has a reservation for now. */
static bool has_planned_turn(const struct world *world,
			     const struct planned_job *all, int64_t now)
{
	for (unsigned i = 0; i < JOBS; i++)
		if (world->jobs[i].submit == now ||
		    (!all[i].runs && all[i].at == now) ||
		    (all[i].runs && all[i].at + world->jobs[i].run == now))
			return true;
	return false;
}

static void test_places(void **state)
{
	static const unsigned depths[] = { 0, 3, JOBS };
	struct tb_topology *topology = parse_topology("NSXCCXCCNSXCCXCC");
	struct random random = { 2022 };
	static struct world world;

	(void)state;
	world.backfill = TB_BACKFILL_CONSERVATIVE;
	world.policy.nodes = TB_ALLOCATE_DEFAULT;
	for (unsigned round = 0; round < 24; round++) {
		struct planned_job all[JOBS];

		for (unsigned i = 0; i < JOBS; i++)
			all[i] = (struct planned_job){ .at = -1 };
		world.depth = depths[round % 3];
		world.whole_tasks = round % 2;
		world.first_node = round % 4 < 2;
		make_plain_world(&random, &world, topology);
		for (int64_t now = 0; now < TIMES; now++)
			if (has_planned_turn(&world, all, now))
				take_planned_turn(&world, all, now);
		for (unsigned i = 0; i < JOBS; i++)
			if (world.starts[i].start != TB_REPLAY_NEVER)
				assert_int_equal(all[i].at,
						 world.starts[i].start);
	}
	tb_topology_destroy(topology);
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
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plain jobs against schedulers that look ahead second by second.
 */
#include "unit_test.h"

#include "replay_world.h"

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
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests_name("replay_seconds", tests, NULL, NULL);
}

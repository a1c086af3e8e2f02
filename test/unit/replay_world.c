/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"

#include "replay_world.h"

struct tb_topology *parse_topology(const char *text)
{
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(text, NULL, &err);

	if (!topology)
		fail_msg("%s: %s", text, err.text);
	return topology;
}

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

bool keeps_reservations(const struct world *world)
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

void make_jobs(struct random *random, struct world *world,
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

void run_world(struct world *world)
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

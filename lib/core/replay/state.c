/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - see state.h */
#include <stdlib.h>
#include <string.h>

#include "core/topology/fragmentation.h"
#include "state.h"

int64_t tb_replay_limit(const struct tb_replay_job *job)
{
	int64_t limit = job->limit > job->run ? job->limit : job->run;

	return limit > 1 ? limit : 1;
}

uint64_t tb_replay_needed(const struct tb_replay *replay, unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	const struct tb_request *request = job->request;
	uint64_t cpus = (uint64_t)job->tasks * job->task_cpus;

	if (request && !job->implicit && request->type == TB_HOST)
		return job->nodes;
	return (cpus + replay->rooms.most_per_core - 1) /
	       replay->rooms.most_per_core;
}

/* ---- who waits ---- */

void tb_replay_wait(struct tb_replay *replay, unsigned job)
{
	unsigned end = replay->njobs, last = replay->previous[end];

	replay->next[last] = job;
	replay->previous[job] = last;
	replay->next[job] = end;
	replay->previous[end] = job;
	replay->waiting++;
}

static void drop_waiting(struct tb_replay *replay, unsigned job)
{
	replay->next[replay->previous[job]] = replay->next[job];
	replay->previous[replay->next[job]] = replay->previous[job];
	replay->waiting--;
}

/* ---- grants ---- */

void tb_grant_clear(struct tb_grant *grant)
{
	for (unsigned i = 0; i < grant->nparts; i++)
		tb_bitset_destroy(grant->parts[i].threads);
	free(grant->parts);
	*grant = (struct tb_grant){ NULL, 0 };
}

int tb_replay_take(struct tb_replay *replay, unsigned index,
		   const struct tb_floor *floor, bool *fits)
{
	const struct tb_kind *kind = tb_replay_kind(replay, index);
	const struct tb_grant *choice = &replay->choice;
	struct tb_grant *grant = &replay->grants[index];
	int taken;

	*fits = true;
	grant->parts = calloc(choice->nparts, sizeof(*grant->parts));
	if (!grant->parts)
		return -1;
	for (unsigned i = 0; *fits && i < choice->nparts; i++) {
		struct tb_part *part = &grant->parts[i];

		*part = choice->parts[i];
		part->threads = tb_bitset_create(floor->used[part->node].nbits);
		if (!part->threads)
			return -1;
		grant->nparts++;
		taken = tb_room_take(&replay->rooms, floor, kind, part->node,
				     part->tasks, part->threads);
		if (taken < 0)
			return -1;
		*fits = taken;
	}
	if (!*fits)
		tb_grant_clear(grant);
	return 0;
}

/* ---- starts and ends ---- */

static void count_broken(struct tb_replay *replay, unsigned node)
{
	const struct tb_bitset *used = &replay->rooms.now.used[node];

	replay->all_broken -= replay->broken[node];
	replay->broken[node] =
		tb_broken_containers(replay->rooms.cluster->topologies[node],
				     used, used);
	replay->all_broken += replay->broken[node];
}

static void change_part(struct tb_replay *replay, unsigned job,
			const struct tb_part *part, bool begins)
{
	const struct tb_replay_options *options = replay->options;

	tb_rooms_change(&replay->rooms, part->node, part->threads, begins);
	count_broken(replay, part->node);
	if (options->watch)
		options->watch(options->arg, job, part->node, part->threads,
			       replay->now, begins);
}

static int measure_part(struct tb_replay *replay, struct tb_replay_start *start,
			const struct tb_part *part)
{
	const struct tb_topology *topology =
		replay->rooms.cluster->topologies[part->node];
	struct tb_tenant tenant = { part->threads, 0 };
	struct tb_locality l3;

	if (tb_locality_measure(topology, 'X', NULL, &tenant, 1, 0, &l3))
		return -1;
	tb_locality_add(&start->l3, &l3);
	start->cores += tb_count_cores_with(topology, part->threads);
	return 0;
}

int tb_replay_begin(struct tb_replay *replay, unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	const struct tb_grant *grant = &replay->grants[index];
	struct tb_replay_start *start = &replay->starts[index];
	struct tb_moment moment = { .job = index };

	*start = (struct tb_replay_start){ .start = replay->now };
	for (unsigned i = 0; i < grant->nparts; i++) {
		change_part(replay, index, &grant->parts[i], true);
		if (measure_part(replay, start, &grant->parts[i]))
			return -1;
	}
	replay->busy_cores += start->cores;
	replay->needed_cores += tb_replay_needed(replay, index);
	moment.cores = start->cores;
	moment.at = replay->now + job->run;
	tb_heap_push(&replay->ends, moment);
	moment.at = replay->now + tb_replay_limit(job);
	tb_moments_add(&replay->limits, moment);
	drop_waiting(replay, index);
	return 0;
}

void tb_replay_end(struct tb_replay *replay, unsigned index)
{
	struct tb_grant *grant = &replay->grants[index];
	const struct tb_replay_start *start = &replay->starts[index];
	struct tb_moment moment = {
		.at = start->start + tb_replay_limit(&replay->jobs[index]),
		.job = index,
	};

	for (unsigned i = 0; i < grant->nparts; i++)
		change_part(replay, index, &grant->parts[i], false);
	replay->busy_cores -= start->cores;
	replay->needed_cores -= tb_replay_needed(replay, index);
	tb_moments_drop(&replay->limits, moment);
	tb_grant_clear(grant);
}

/* ---- all of it ---- */

static int find_kinds(struct tb_replay *replay)
{
	for (unsigned i = 0; i < replay->njobs; i++) {
		int kind = tb_rooms_kind(&replay->rooms, &replay->jobs[i]);

		if (kind < 0)
			return -1;
		replay->kinds[i] = (unsigned)kind;
	}
	return 0;
}

static int open_lists(struct tb_replay *replay)
{
	size_t jobs = (size_t)replay->njobs + 1;
	size_t nodes = (size_t)replay->nnodes + 1;

	replay->kinds = calloc(jobs, sizeof(*replay->kinds));
	replay->grants = calloc(jobs, sizeof(*replay->grants));
	replay->next = calloc(jobs, sizeof(*replay->next));
	replay->previous = calloc(jobs, sizeof(*replay->previous));
	replay->ends.list = calloc(jobs, sizeof(*replay->ends.list));
	replay->limits.list = calloc(jobs, sizeof(*replay->limits.list));
	replay->choice.parts = calloc(nodes, sizeof(*replay->choice.parts));
	replay->later_room = calloc(nodes, sizeof(*replay->later_room));
	replay->sets = calloc(nodes, sizeof(*replay->sets));
	replay->nodes = calloc(nodes, sizeof(*replay->nodes));
	replay->offered = calloc(nodes, sizeof(*replay->offered));
	replay->dealt = calloc(nodes, sizeof(*replay->dealt));
	replay->candidates = calloc(nodes, sizeof(*replay->candidates));
	replay->broken = calloc(nodes, sizeof(*replay->broken));
	return replay->kinds && replay->grants && replay->next &&
			       replay->previous && replay->ends.list &&
			       replay->limits.list && replay->choice.parts &&
			       replay->sets && replay->nodes && replay->dealt &&
			       replay->offered && replay->candidates &&
			       replay->later_room && replay->broken
		       ? 0
		       : -1;
}

int tb_replay_open(struct tb_replay *replay,
		   const struct tb_replay_cluster *cluster)
{
	replay->nnodes = cluster->nnodes;
	replay->reserved = TB_NO_JOB;
	if (tb_rooms_init(&replay->rooms, cluster) || open_lists(replay) ||
	    tb_floor_init(&replay->later, &replay->rooms))
		return -1;
	replay->rooms.whole_tasks = replay->options->whole_tasks;
	replay->rooms.first_node = replay->options->first_node;
	replay->next[replay->njobs] = replay->njobs;
	replay->previous[replay->njobs] = replay->njobs;
	return find_kinds(replay);
}

void tb_replay_close(struct tb_replay *replay)
{
	for (unsigned i = 0; replay->grants && i < replay->njobs; i++)
		tb_grant_clear(&replay->grants[i]);
	free(replay->kinds);
	free(replay->plain_kinds);
	free(replay->grants);
	free(replay->next);
	free(replay->previous);
	free(replay->ends.list);
	free(replay->limits.list);
	free(replay->choice.parts);
	free(replay->sets);
	free(replay->nodes);
	free(replay->dealt);
	free(replay->offered);
	free(replay->candidates);
	free(replay->later_room);
	free(replay->broken);
	tb_floor_clear(&replay->later);
	tb_rooms_clear(&replay->rooms);
}

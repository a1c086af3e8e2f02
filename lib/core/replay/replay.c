/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - see replay.h */
#include <stdlib.h>
#include <string.h>

#include "core/topology/fragmentation.h"
#include "replay.h"
#include "room.h"

#define NONE UINT32_MAX
/* Of jobs that did not fit in a turn so many are remembered. */
#define FAILED_MOST 16

struct part {
	unsigned node;
	uint32_t tasks;
	struct tb_bitset *threads;
};

struct grant {
	struct part *parts;
	unsigned nparts;
};

/* A job that runs, and when that ends. */
struct end {
	int64_t at;
	unsigned job;
};

/* The nodes of a job before it has them: its part of each. */
struct choice {
	struct part *parts;
	unsigned nparts;
};

struct replay {
	const struct tb_replay_job *jobs;
	unsigned njobs;
	const struct tb_replay_options *options;
	struct tb_replay_start *starts;
	struct tb_replay_totals *totals;
	struct tb_rooms rooms;
	unsigned nnodes;
	int64_t now;

	unsigned *kinds;      /* by job */
	struct grant *grants; /* by job */
	unsigned *next,
		*previous; /* of jobs that wait; the last one is njobs */
	unsigned waiting;

	struct end *ends;   /* a heap: the next is the first */
	struct end *limits; /* sorted; the ends that the time limits say */
	unsigned nends, nlimits;

	struct choice choice;

	/* The reservation of the first job that waits. */
	unsigned reserved; /* NONE */
	int64_t reserved_at;
	struct tb_floor later; /* at that time */
	uint32_t *later_room;  /* for that job, by node */
	uint64_t later_tasks;
	uint32_t later_hosts;
	bool has_moved; /* a job started before it since the last turn */

	uint32_t *broken; /* containers, by node */
	uint64_t all_broken;
	uint64_t busy_cores;
};

/* ---- ends in order ---- */

static bool is_before(const struct end *a, const struct end *b)
{
	return a->at != b->at ? a->at < b->at : a->job < b->job;
}

static void push_end(struct replay *replay, struct end end)
{
	unsigned at = replay->nends++;

	while (at && is_before(&end, &replay->ends[(at - 1) / 2])) {
		replay->ends[at] = replay->ends[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	replay->ends[at] = end;
}

static struct end pop_end(struct replay *replay)
{
	struct end first = replay->ends[0];
	struct end last = replay->ends[--replay->nends];
	unsigned at = 0, child;

	while ((child = 2 * at + 1) < replay->nends) {
		if (child + 1 < replay->nends &&
		    is_before(&replay->ends[child + 1], &replay->ends[child]))
			child++;
		if (!is_before(&replay->ends[child], &last))
			break;
		replay->ends[at] = replay->ends[child];
		at = child;
	}
	replay->ends[at] = last;
	return first;
}

static int64_t get_limit(const struct tb_replay_job *job)
{
	return job->limit > job->run ? job->limit : job->run;
}

/* The first that is not before it. */
static unsigned find_limit(const struct replay *replay, const struct end *end)
{
	unsigned low = 0, high = replay->nlimits;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (is_before(&replay->limits[middle], end))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_limit(struct replay *replay, struct end end)
{
	struct end *at = &replay->limits[find_limit(replay, &end)];

	memmove(at + 1, at,
		(size_t)(&replay->limits[replay->nlimits++] - at) *
			sizeof(*at));
	*at = end;
}

static void drop_limit(struct replay *replay, struct end end)
{
	struct end *at = &replay->limits[find_limit(replay, &end)];

	memmove(at, at + 1,
		(size_t)(&replay->limits[--replay->nlimits] - at) *
			sizeof(*at));
}

/* ---- who waits ---- */

static void append_waiting(struct replay *replay, unsigned job)
{
	unsigned end = replay->njobs, last = replay->previous[end];

	replay->next[last] = job;
	replay->previous[job] = last;
	replay->next[job] = end;
	replay->previous[end] = job;
	replay->waiting++;
}

static void drop_waiting(struct replay *replay, unsigned job)
{
	replay->next[replay->previous[job]] = replay->next[job];
	replay->previous[replay->next[job]] = replay->previous[job];
	replay->waiting--;
}

/* ---- which nodes ---- */

static int compare_parts(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->tasks != y->tasks)
		return x->tasks > y->tasks ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* One task on each of the nodes; the others on the first that have room. */
static void deal_tasks(struct choice *choice, const struct tb_replay_job *job)
{
	uint64_t room = 0;
	uint32_t left;
	unsigned nparts = 0;

	while (room < job->tasks || nparts < job->nodes)
		room += choice->parts[nparts++].tasks;
	choice->nparts = nparts;
	left = job->tasks - nparts;
	for (unsigned i = 0; i < nparts; i++) {
		uint32_t more = choice->parts[i].tasks - 1;

		if (more > left)
			more = left;
		choice->parts[i].tasks = 1 + more;
		left -= more;
	}
}

/* False: it does not fit now. */
static bool choose_nodes(struct replay *replay, unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	struct tb_kind *kind = &replay->rooms.kinds[replay->kinds[index]];
	struct choice *choice = &replay->choice;
	uint64_t all = 0;

	choice->nparts = 0;
	for (unsigned node = 0; node < replay->nnodes; node++) {
		uint32_t room = tb_room_now(&replay->rooms, kind, node);

		if (job->nodes == 1 && room >= job->tasks) {
			choice->parts[0] = (struct part){ node, job->tasks,
							  NULL };
			choice->nparts = 1;
			return true;
		}
		if (!room)
			continue;
		all += room;
		choice->parts[choice->nparts++] = (struct part){ node, room,
								 NULL };
	}
	if (all < job->tasks || choice->nparts < job->nodes)
		return false;
	qsort(choice->parts, choice->nparts, sizeof(*choice->parts),
	      compare_parts);
	deal_tasks(choice, job);
	return true;
}

static void clear_grant(struct grant *grant)
{
	for (unsigned i = 0; i < grant->nparts; i++)
		tb_bitset_destroy(grant->parts[i].threads);
	free(grant->parts);
	*grant = (struct grant){ NULL, 0 };
}

/* The exact cores of the choice.  -1: no memory. */
static int find_cores(struct replay *replay, unsigned index, bool *fits)
{
	const struct tb_kind *kind = &replay->rooms.kinds[replay->kinds[index]];
	const struct choice *choice = &replay->choice;
	struct grant *grant = &replay->grants[index];

	*fits = true;
	grant->parts = calloc(choice->nparts, sizeof(*grant->parts));
	if (!grant->parts)
		return -1;
	for (unsigned i = 0; *fits && i < choice->nparts; i++) {
		struct part *part = &grant->parts[i];

		*part = choice->parts[i];
		part->threads = tb_bitset_create(
			replay->rooms.now.used[part->node].nbits);
		if (!part->threads)
			return -1;
		grant->nparts++;
		*fits = tb_room_take(&replay->rooms, kind, part->node,
				     part->tasks, part->threads);
	}
	if (!*fits)
		clear_grant(grant);
	return 0;
}

/* ---- starts and ends ---- */

static void count_broken(struct replay *replay, unsigned node)
{
	const struct tb_bitset *used = &replay->rooms.now.used[node];

	replay->all_broken -= replay->broken[node];
	replay->broken[node] =
		tb_broken_containers(replay->rooms.cluster->topologies[node],
				     used, used);
	replay->all_broken += replay->broken[node];
}

static void change_part(struct replay *replay, unsigned job,
			const struct part *part, bool begins)
{
	const struct tb_replay_options *options = replay->options;

	tb_rooms_change(&replay->rooms, part->node, part->threads, begins);
	count_broken(replay, part->node);
	if (options->watch)
		options->watch(options->arg, job, part->node, part->threads,
			       replay->now, begins);
}

static int measure_part(struct replay *replay, struct tb_replay_start *start,
			const struct part *part)
{
	const struct tb_topology *topology =
		replay->rooms.cluster->topologies[part->node];
	struct tb_tenant tenant = { .threads = part->threads };
	struct tb_locality l3;

	if (tb_locality_measure(topology, 'X', NULL, &tenant, 1, 0, &l3))
		return -1;
	tb_locality_add(&start->l3, &l3);
	start->cores += tb_count_cores_with(topology, part->threads);
	return 0;
}

static int start_job(struct replay *replay, unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	const struct grant *grant = &replay->grants[index];
	struct tb_replay_start *start = &replay->starts[index];

	*start = (struct tb_replay_start){ .start = replay->now };
	for (unsigned i = 0; i < grant->nparts; i++) {
		change_part(replay, index, &grant->parts[i], true);
		if (measure_part(replay, start, &grant->parts[i]))
			return -1;
	}
	replay->busy_cores += start->cores;
	push_end(replay, (struct end){ replay->now + job->run, index });
	add_limit(replay, (struct end){ replay->now + get_limit(job), index });
	drop_waiting(replay, index);
	return 0;
}

static void end_job(struct replay *replay, unsigned index)
{
	struct grant *grant = &replay->grants[index];
	const struct tb_replay_start *start = &replay->starts[index];

	for (unsigned i = 0; i < grant->nparts; i++)
		change_part(replay, index, &grant->parts[i], false);
	replay->busy_cores -= start->cores;
	drop_limit(replay,
		   (struct end){ start->start + get_limit(&replay->jobs[index]),
				 index });
	clear_grant(grant);
}

/* ---- the reservation ---- */

static bool fits_later(const struct replay *replay)
{
	const struct tb_replay_job *job = &replay->jobs[replay->reserved];

	return replay->later_tasks >= job->tasks &&
	       replay->later_hosts >= job->nodes;
}

/* The room that the reserved job has there then. */
static void set_later_room(struct replay *replay, unsigned node, uint32_t room)
{
	replay->later_tasks += room;
	replay->later_tasks -= replay->later_room[node];
	replay->later_hosts += room > 0;
	replay->later_hosts -= replay->later_room[node] > 0;
	replay->later_room[node] = room;
}

static void change_later(struct replay *replay, const struct part *part,
			 bool use)
{
	const struct tb_kind *kind =
		&replay->rooms.kinds[replay->kinds[replay->reserved]];

	tb_floor_change(&replay->rooms, &replay->later, part->node,
			part->threads, use);
	set_later_room(replay, part->node,
		       tb_room_on(&replay->rooms, &replay->later, kind,
				  part->node));
}

static void change_grant_later(struct replay *replay, const struct grant *grant,
			       bool use)
{
	for (unsigned i = 0; i < grant->nparts; i++)
		change_later(replay, &grant->parts[i], use);
}

/* After which of the limits it fits: all of the cluster holds it. */
static void reserve(struct replay *replay, unsigned index)
{
	struct tb_kind *kind = &replay->rooms.kinds[replay->kinds[index]];

	replay->reserved = index;
	replay->reserved_at = replay->now;
	tb_floor_assign(&replay->later, &replay->rooms.now, replay->nnodes);
	for (unsigned node = 0; node < replay->nnodes; node++)
		set_later_room(replay, node,
			       tb_room_now(&replay->rooms, kind, node));
	for (unsigned i = 0; i < replay->nlimits; i++) {
		/* All that end at one time are gone then. */
		if (replay->limits[i].at > replay->reserved_at &&
		    fits_later(replay))
			break;
		replay->reserved_at = replay->limits[i].at;
		change_grant_later(replay,
				   &replay->grants[replay->limits[i].job],
				   false);
	}
	if (replay->options->reserved)
		replay->options->reserved(replay->options->arg, index,
					  replay->reserved_at);
}

/* May a job with its grant start now?  If so it is in the time of the reservation. */
static bool leaves_reservation(struct replay *replay, unsigned index)
{
	const struct grant *grant = &replay->grants[index];

	if (replay->now + get_limit(&replay->jobs[index]) <=
	    replay->reserved_at)
		return true;
	change_grant_later(replay, grant, true);
	if (fits_later(replay))
		return true;
	change_grant_later(replay, grant, false);
	return false;
}

/* ---- a turn of the scheduler ---- */

/* What did not fit in this turn, in which nothing ends. */
struct failed {
	unsigned jobs[FAILED_MOST];
	unsigned count;
};

static bool has_failed(const struct replay *replay, const struct failed *failed,
		       unsigned index)
{
	const struct tb_replay_job *job = &replay->jobs[index];

	for (unsigned i = 0; i < failed->count; i++) {
		const struct tb_replay_job *other =
			&replay->jobs[failed->jobs[i]];

		if (replay->kinds[index] == replay->kinds[failed->jobs[i]] &&
		    job->tasks >= other->tasks && job->nodes >= other->nodes)
			return true;
	}
	return false;
}

/* Start a job if it fits and may.  -1: no memory. */
static int try_job(struct replay *replay, unsigned index, struct failed *failed,
		   bool *started)
{
	bool fits;

	*started = false;
	if (has_failed(replay, failed, index))
		return 0;
	if (!choose_nodes(replay, index)) {
		if (failed->count < FAILED_MOST)
			failed->jobs[failed->count++] = index;
		return 0;
	}
	if (find_cores(replay, index, &fits))
		return -1;
	if (!fits)
		return 0;
	if (replay->reserved != NONE && !leaves_reservation(replay, index)) {
		clear_grant(&replay->grants[index]);
		return 0;
	}
	*started = true;
	replay->has_moved = replay->reserved != NONE;
	return start_job(replay, index);
}

/* The first ones, until one does not fit; that has a reservation then. */
static int start_first(struct replay *replay, struct failed *failed)
{
	bool started = true;

	replay->reserved = NONE;
	while (replay->waiting && started)
		if (try_job(replay, replay->next[replay->njobs], failed,
			    &started))
			return -1;
	if (replay->waiting)
		reserve(replay, replay->next[replay->njobs]);
	return 0;
}

/* Those from one on, as many as may be looked at. */
static int fill_back(struct replay *replay, unsigned from, unsigned depth,
		     struct failed *failed)
{
	bool started;

	while (from != replay->njobs && depth--) {
		unsigned next = replay->next[from];

		if (try_job(replay, from, failed, &started))
			return -1;
		from = next;
	}
	return 0;
}

/*
 * Where nothing has ended or started since the last turn, those that waited then cannot
 * start, and the reservation is as it was: only what came (from) is new.  A start can
 * push another job to nodes where it delays nobody.
 */
static int take_turn(struct replay *replay, bool ended, unsigned from)
{
	struct failed failed = { .count = 0 };
	unsigned depth = replay->options->depth;

	ended = ended || replay->has_moved;
	replay->has_moved = false;
	if (ended || replay->reserved == NONE) {
		if (start_first(replay, &failed))
			return -1;
		if (!replay->waiting)
			return 0;
		return fill_back(replay, replay->next[replay->reserved], depth,
				 &failed);
	}
	if (replay->waiting > depth + 1)
		return 0;
	return fill_back(replay, from, depth, &failed);
}

/* ---- time ---- */

static bool fits_ever(const struct replay *replay, unsigned index)
{
	const struct tb_kind *kind = &replay->rooms.kinds[replay->kinds[index]];

	return kind->empty_tasks >= replay->jobs[index].tasks &&
	       kind->empty_hosts >= replay->jobs[index].nodes;
}

static void move_to(struct replay *replay, int64_t now)
{
	double seconds = (double)(now - replay->now);

	replay->totals->core_seconds += seconds * (double)replay->busy_cores;
	replay->totals->broken_seconds += seconds * (double)replay->all_broken;
	replay->now = now;
}

/* Jobs that are submitted now; the first of them, or njobs. */
static unsigned take_submitted(struct replay *replay, unsigned *at)
{
	unsigned first = replay->njobs;

	for (; *at < replay->njobs && replay->jobs[*at].submit <= replay->now;
	     ++*at) {
		replay->starts[*at] = (struct tb_replay_start){
			.start = TB_REPLAY_NEVER
		};
		if (!fits_ever(replay, *at))
			continue;
		if (first == replay->njobs)
			first = *at;
		append_waiting(replay, *at);
	}
	return first;
}

static int64_t get_next_time(const struct replay *replay, unsigned submitted)
{
	bool ends = replay->nends;

	if (submitted == replay->njobs ||
	    (ends && replay->ends[0].at < replay->jobs[submitted].submit))
		return replay->ends[0].at;
	return replay->jobs[submitted].submit;
}

static int run_replay(struct replay *replay)
{
	unsigned submitted = 0;

	replay->now = replay->jobs[0].submit;
	replay->totals->first = replay->totals->last = replay->now;
	while (submitted < replay->njobs || replay->nends) {
		bool ended = false;
		unsigned first;

		move_to(replay, get_next_time(replay, submitted));
		while (replay->nends && replay->ends[0].at <= replay->now) {
			end_job(replay, pop_end(replay).job);
			replay->totals->last = replay->now;
			ended = true;
		}
		first = take_submitted(replay, &submitted);
		if (replay->waiting && take_turn(replay, ended, first))
			return -1;
	}
	return 0;
}

/* ---- all of it ---- */

static int find_kinds(struct replay *replay)
{
	for (unsigned i = 0; i < replay->njobs; i++) {
		int kind = tb_rooms_kind(&replay->rooms, &replay->jobs[i]);

		if (kind < 0)
			return -1;
		replay->kinds[i] = (unsigned)kind;
	}
	return 0;
}

static int open_replay(struct replay *replay,
		       const struct tb_replay_cluster *cluster)
{
	size_t jobs = (size_t)replay->njobs + 1;
	size_t nodes = (size_t)cluster->nnodes + 1;

	replay->kinds = calloc(jobs, sizeof(*replay->kinds));
	replay->grants = calloc(jobs, sizeof(*replay->grants));
	replay->next = calloc(jobs, sizeof(*replay->next));
	replay->previous = calloc(jobs, sizeof(*replay->previous));
	replay->ends = calloc(jobs, sizeof(*replay->ends));
	replay->limits = calloc(jobs, sizeof(*replay->limits));
	replay->choice.parts = calloc(nodes, sizeof(*replay->choice.parts));
	replay->later_room = calloc(nodes, sizeof(*replay->later_room));
	replay->broken = calloc(nodes, sizeof(*replay->broken));
	if (!replay->kinds || !replay->grants || !replay->next ||
	    !replay->previous || !replay->ends || !replay->limits ||
	    !replay->choice.parts || !replay->later_room || !replay->broken)
		return -1;
	replay->next[replay->njobs] = replay->njobs;
	replay->previous[replay->njobs] = replay->njobs;
	return tb_floor_init(&replay->later, &replay->rooms) ||
			       find_kinds(replay)
		       ? -1
		       : 0;
}

static void close_replay(struct replay *replay)
{
	for (unsigned i = 0; replay->grants && i < replay->njobs; i++)
		clear_grant(&replay->grants[i]);
	free(replay->kinds);
	free(replay->grants);
	free(replay->next);
	free(replay->previous);
	free(replay->ends);
	free(replay->limits);
	free(replay->choice.parts);
	free(replay->later_room);
	free(replay->broken);
	tb_floor_clear(&replay->later);
	tb_rooms_clear(&replay->rooms);
}

int tb_replay(const struct tb_replay_cluster *cluster,
	      const struct tb_replay_job *jobs, unsigned njobs,
	      const struct tb_replay_options *options,
	      struct tb_replay_start *starts, struct tb_replay_totals *totals)
{
	struct replay replay = {
		.jobs = jobs,
		.njobs = njobs,
		.options = options,
		.starts = starts,
		.totals = totals,
		.nnodes = cluster->nnodes,
		.reserved = NONE,
	};
	int rc = 0;

	*totals = (struct tb_replay_totals){ 0 };
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		totals->cores += tb_topology_cores(cluster->topologies[i]);
		totals->containers += tb_locality_containers(
			cluster->topologies[i]);
	}
	if (tb_rooms_init(&replay.rooms, cluster) ||
	    open_replay(&replay, cluster))
		rc = -1;
	else if (njobs)
		rc = run_replay(&replay);
	close_replay(&replay);
	return rc;
}

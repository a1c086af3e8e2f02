/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conservative.c - the first jobs that wait have a reservation each; see turn.h
 *
 * A stay is a job's part of a node, from its start to the end of its time limit, which
 * lies ahead for a job with a reservation.  A job fits at a time if it fits beside all
 * stays of its limit from then on.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "turn.h"

struct stay {
	int64_t from, to;
	unsigned job;
	const struct tb_bitset *threads; /* of the job's grant */
};

struct stays {
	struct stay *list;
	unsigned count;
};

struct tb_reservations {
	struct stays *stays; /* by node */
	int64_t *at;	     /* by job; TB_REPLAY_NEVER: none */
	struct tb_moments begins;
	/*
	 * Until then more is free than at the last look at a job: what has been freed
	 * since the last turn, and since this one began.
	 */
	int64_t freed_until, freed_now;

	/* Of one job: what is free for all of its limit from a time on. */
	int64_t from, to;
	struct tb_floor window;
	uint64_t look,
		*looked; /* at the window so far; at which of them, by node */
	uint32_t *room;	 /* by node */
	uint64_t tasks;	 /* all of it */
	uint32_t hosts;
};

/* ---- stays ---- */

static int add_stay(struct tb_reservations *all, unsigned node,
		    const struct stay *stay)
{
	struct stays *stays = &all->stays[node];
	struct stay *list = tb_array_make_room(stays->list, stays->count,
					       sizeof(*list));

	if (!list)
		return -1;
	stays->list = list;
	list[stays->count++] = *stay;
	return 0;
}

static int add_stays(struct tb_replay *replay, unsigned job, int64_t from)
{
	const struct tb_grant *grant = &replay->grants[job];
	struct stay stay = {
		.from = from,
		.to = from + tb_replay_limit(&replay->jobs[job]),
		.job = job,
	};

	for (unsigned i = 0; i < grant->nparts; i++) {
		stay.threads = grant->parts[i].threads;
		if (add_stay(replay->reservations, grant->parts[i].node, &stay))
			return -1;
	}
	return 0;
}

static void drop_stays(struct tb_replay *replay, unsigned job)
{
	const struct tb_grant *grant = &replay->grants[job];

	for (unsigned i = 0; i < grant->nparts; i++) {
		struct stays *stays =
			&replay->reservations->stays[grant->parts[i].node];
		unsigned at = 0;

		while (stays->list[at].job != job)
			at++;
		stays->list[at] = stays->list[--stays->count];
	}
}

static int64_t get_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void set_later(int64_t *until, int64_t at)
{
	if (at > *until)
		*until = at;
}

/* ---- when and where a job fits ---- */

static void set_room(struct tb_reservations *all, unsigned node, uint32_t room)
{
	all->tasks += room;
	all->tasks -= all->room[node];
	all->hosts += room > 0;
	all->hosts -= all->room[node] > 0;
	all->room[node] = room;
}

/* What a node has free in the window. */
static void look_at_node(struct tb_replay *replay, unsigned job, unsigned node)
{
	struct tb_reservations *all = replay->reservations;
	const struct stays *stays = &all->stays[node];

	all->looked[node] = all->look;
	tb_floor_clear_node(&all->window, node);
	for (unsigned i = 0; i < stays->count; i++)
		if (stays->list[i].from < all->to &&
		    stays->list[i].to > all->from)
			tb_floor_add(&all->window, node,
				     stays->list[i].threads);
	tb_floor_count(&replay->rooms, &all->window, node);
	set_room(all, node,
		 tb_room_on(&replay->rooms, &all->window,
			    tb_replay_kind(replay, job), node));
}

/* Look at the nodes of those that come before a time, the first of them *next. */
static void look_at_moments(struct tb_replay *replay, unsigned job,
			    const struct tb_moments *moments, unsigned *next,
			    int64_t before)
{
	const struct tb_reservations *all = replay->reservations;

	for (; *next < moments->count && moments->list[*next].at < before;
	     ++*next) {
		unsigned other = moments->list[*next].job;
		const struct tb_grant *grant = &replay->grants[other];

		for (unsigned i = 0; i < grant->nparts; i++)
			if (all->looked[grant->parts[i].node] != all->look)
				look_at_node(replay, job, grant->parts[i].node);
	}
}

/* From now on, without reservations. */
static void open_window(struct tb_replay *replay, unsigned job)
{
	struct tb_reservations *all = replay->reservations;
	const uint32_t *room = tb_rooms_now(&replay->rooms,
					    tb_replay_kind(replay, job));

	tb_floor_assign(&all->window, &replay->rooms.now, replay->nnodes);
	for (unsigned node = 0; node < replay->nnodes; node++)
		set_room(all, node, room[node]);
}

/* Its grant, if it fits in the window.  -1: no memory. */
static int try_window(struct tb_replay *replay, unsigned job, bool *fits)
{
	const struct tb_reservations *all = replay->reservations;

	int chosen = all->tasks >= replay->jobs[job].tasks &&
		     all->hosts >= replay->jobs[job].nodes;

	if (chosen)
		chosen = tb_replay_choose(replay, job, &all->window, all->room);
	if (chosen < 0)
		return -1;
	*fits = chosen;
	return *fits ? tb_replay_take(replay, job, &all->window, fits) : 0;
}

/* A time after now, and how many cores of the cluster are free then. */
struct glance {
	int64_t at;
	uint64_t free;
	unsigned begin, end; /* moments that come later */
};

static void take_begins(const struct tb_reservations *all,
			struct glance *glance)
{
	const struct tb_moments *begins = &all->begins;

	for (; glance->begin < begins->count &&
	       begins->list[glance->begin].at <= glance->at;
	     glance->begin++)
		glance->free -= begins->list[glance->begin].cores;
}

/* To the next time at which somebody ends.  False: it is not before that one. */
static bool glance_further(const struct tb_replay *replay,
			   struct glance *glance, int64_t before)
{
	const struct tb_moments *limits = &replay->limits;

	if (glance->end == limits->count ||
	    limits->list[glance->end].at >= before)
		return false;
	glance->at = limits->list[glance->end].at;
	for (; glance->end < limits->count &&
	       limits->list[glance->end].at == glance->at;
	     glance->end++)
		glance->free += limits->list[glance->end].cores;
	take_begins(replay->reservations, glance);
	return true;
}

/*
 * The first time before another at which it fits: now, or when somebody has ended.  -1:
 * no memory.
 */
static int find_time(struct tb_replay *replay, unsigned job, int64_t before,
		     bool *found, int64_t *at)
{
	struct tb_reservations *all = replay->reservations;
	struct glance glance = { replay->now,
				 replay->totals->cores - replay->busy_cores, 0,
				 0 };
	uint64_t needed = tb_replay_needed(replay, job);
	unsigned begin = 0, end = 0;
	bool more;

	*found = false;
	open_window(replay, job);
	take_begins(all, &glance);
	for (more = true; more && !*found;
	     more = glance_further(replay, &glance, before)) {
		if (glance.free < needed)
			continue;
		*at = all->from = glance.at;
		all->to = glance.at + tb_replay_limit(&replay->jobs[job]);
		all->look++;
		look_at_moments(replay, job, &replay->limits, &end,
				all->from + 1);
		look_at_moments(replay, job, &all->begins, &begin, all->to);
		if (try_window(replay, job, found))
			return -1;
	}
	return 0;
}

/* ---- reservations ---- */

static int64_t get_end(const struct tb_replay *replay, unsigned job,
		       int64_t from)
{
	return from + tb_replay_limit(&replay->jobs[job]);
}

static uint32_t count_cores(const struct tb_replay *replay,
			    const struct tb_grant *grant)
{
	uint32_t cores = 0;

	for (unsigned i = 0; i < grant->nparts; i++)
		cores += tb_count_cores_with(replay->rooms.cluster->topologies
						     [grant->parts[i].node],
					     grant->parts[i].threads);
	return cores;
}

/* The job has the grant for it. */
static int add_reservation(struct tb_replay *replay, unsigned job, int64_t at)
{
	struct tb_reservations *all = replay->reservations;
	struct tb_moment moment = { at, job,
				    count_cores(replay, &replay->grants[job]) };

	all->at[job] = at;
	tb_moments_add(&all->begins, moment);
	moment.at = get_end(replay, job, at);
	tb_moments_add(&replay->limits, moment);
	return add_stays(replay, job, at);
}

/* Its stays are what they were. */
static void drop_moments(struct tb_replay *replay, unsigned job)
{
	struct tb_reservations *all = replay->reservations;
	struct tb_moment moment = { .at = all->at[job], .job = job };

	tb_moments_drop(&all->begins, moment);
	moment.at = get_end(replay, job, all->at[job]);
	tb_moments_drop(&replay->limits, moment);
}

static int reserve(struct tb_replay *replay, unsigned job)
{
	int64_t at;
	bool found;

	if (find_time(replay, job, INT64_MAX, &found, &at))
		return -1;
	if (!found)
		return 0;
	if (replay->options->reserved)
		replay->options->reserved(replay->options->arg, job, at);
	return add_reservation(replay, job, at);
}

/* To an earlier time, where it fits now. */
static int move_reservation(struct tb_replay *replay, unsigned job)
{
	struct tb_reservations *all = replay->reservations;
	struct tb_grant old = replay->grants[job];
	int64_t before = all->at[job], at;
	bool found;

	drop_stays(replay, job);
	drop_moments(replay, job);
	replay->grants[job] = (struct tb_grant){ NULL, 0 };
	if (find_time(replay, job, get_earlier(before, all->freed_until),
		      &found, &at)) {
		tb_grant_clear(&old);
		return -1;
	}
	if (!found) {
		replay->grants[job] = old;
		return add_reservation(replay, job, before);
	}
	tb_grant_clear(&old);
	set_later(&all->freed_until, get_end(replay, job, before));
	set_later(&all->freed_now, get_end(replay, job, before));
	if (replay->options->reserved)
		replay->options->reserved(replay->options->arg, job, at);
	return add_reservation(replay, job, at);
}

int tb_turn_conservative(struct tb_replay *replay)
{
	struct tb_reservations *all = replay->reservations;
	unsigned job = replay->next[replay->njobs], held = 0;

	all->freed_until = all->freed_now;
	all->freed_now = INT64_MIN;
	while (job != replay->njobs && held <= replay->options->depth) {
		unsigned next = replay->next[job];
		int rc = 0;

		if (all->at[job] == TB_REPLAY_NEVER)
			rc = reserve(replay, job);
		else if (all->at[job] > replay->now &&
			 all->freed_until > replay->now)
			rc = move_reservation(replay, job);
		if (rc)
			return -1;
		if (all->at[job] == replay->now) {
			drop_moments(replay, job);
			rc = tb_replay_begin(replay, job);
		} else {
			held++;
		}
		if (rc)
			return -1;
		job = next;
	}
	return 0;
}

/* ---- all of it ---- */

void tb_reservations_end(struct tb_replay *replay, unsigned job)
{
	struct tb_reservations *all = replay->reservations;

	drop_stays(replay, job);
	set_later(&all->freed_now,
		  get_end(replay, job, replay->starts[job].start));
}

int64_t tb_reservations_next(const struct tb_replay *replay)
{
	const struct tb_reservations *all = replay->reservations;

	return all && all->begins.count ? all->begins.list[0].at : INT64_MAX;
}

int tb_reservations_open(struct tb_replay *replay)
{
	struct tb_reservations *all = calloc(1, sizeof(*all));
	size_t jobs = (size_t)replay->njobs + 1;
	size_t nodes = (size_t)replay->nnodes + 1;

	replay->reservations = all;
	if (!all)
		return -1;
	all->freed_until = all->freed_now = INT64_MIN;
	all->stays = calloc(nodes, sizeof(*all->stays));
	all->room = calloc(nodes, sizeof(*all->room));
	all->looked = calloc(nodes, sizeof(*all->looked));
	all->at = malloc(jobs * sizeof(*all->at));
	all->begins.list = calloc(jobs, sizeof(*all->begins.list));
	if (!all->stays || !all->room || !all->looked || !all->at ||
	    !all->begins.list)
		return -1;
	for (unsigned i = 0; i < replay->njobs; i++)
		all->at[i] = TB_REPLAY_NEVER;
	return tb_floor_init(&all->window, &replay->rooms);
}

void tb_reservations_close(struct tb_replay *replay)
{
	struct tb_reservations *all = replay->reservations;

	if (!all)
		return;
	for (unsigned i = 0; all->stays && i < replay->nnodes; i++)
		free(all->stays[i].list);
	free(all->stays);
	free(all->room);
	free(all->looked);
	free(all->at);
	free(all->begins.list);
	tb_floor_clear(&all->window);
	free(all);
}

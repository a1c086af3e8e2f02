/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm.c - a turn of Slurm's main scheduler and of its sched/backfill; see turn.h
 *
 * The first ones start until one does not fit.  Then each that waits, in its order, is
 * started where that breaks no promise, or is promised the nodes, all of them, on which
 * it fits beside the jobs that run then: when those that run now last as long as their
 * limits.  All promises are made anew in each turn.
 *
 * As measured (test/differential/whatif_backfill), with Slurm's own bf_resolution and
 * bf_window.
 */
#include <stdlib.h>

#include "spans.h"
#include "turn.h"

#define RESOLUTION 60	  /* bf_resolution */
#define AHEAD (24 * 3600) /* bf_window */
#define NO_TIME INT64_MAX

/* Ends of plain jobs that are near to each other count as one: within so much first. */
#define TOGETHER 30

struct tb_promises {
	struct tb_spans spans;
	struct tb_bitset *free;	  /* nodes that one job may have */
	struct tb_bitset *chosen; /* nodes that it gets */
};

/* When a job may start. */
struct look {
	unsigned job;
	int64_t from; /* not before */
	int64_t later; /* then other nodes are free of promises; NO_TIME: never */
	int64_t at;    /* the answer */
};

/* Who has ended on replay->later. */
struct ended {
	unsigned next;	/* moment of replay->limits */
	int64_t window; /* 0: none yet */
	int64_t until; /* the first end, rounded up; with the window added: all of it */
	int64_t last;
};

static int64_t round_down(int64_t at)
{
	return at - at % RESOLUTION;
}

/* ---- which nodes are free of promises ---- */

/* Is any free in the next span that is not now, and has been all the time? */
static bool gets_free(const struct tb_promises *promises, unsigned index)
{
	const struct tb_span *span = &promises->spans.list[index];
	const struct tb_bitset *next = span[1].free;

	return !tb_bitset_contains(promises->free, next) ||
	       !tb_bitset_contains(span->free, next);
}

/* Behind what the job needs: the end of the one after it, unless that is the last. */
static int64_t get_end_beyond(const struct tb_spans *spans, unsigned index)
{
	return index + 2 < spans->count ? tb_spans_end_of(spans, index + 1)
					: NO_TIME;
}

static void find_free(struct tb_replay *replay, struct look *look)
{
	struct tb_promises *promises = replay->promises;
	const struct tb_spans *spans = &promises->spans;
	int64_t end = look->from + tb_replay_limit(&replay->jobs[look->job]);

	look->later = NO_TIME;
	tb_bitset_set_range(promises->free, 0, replay->nnodes);
	for (unsigned i = 0; i < spans->count; i++) {
		if (tb_spans_end_of(spans, i) <= look->from)
			continue;
		if (look->later == NO_TIME && i + 1 < spans->count &&
		    gets_free(promises, i))
			look->later = tb_spans_end_of(spans, i);
		if (spans->list[i].from > end) {
			if (look->later == NO_TIME &&
			    replay->options->bounded_looks)
				look->later = get_end_beyond(spans, i);
			break;
		}
		tb_bitset_and(promises->free, spans->list[i].free);
	}
}

/* ---- where a job fits ---- */

/* On replay->later, on nodes that it may have. */
static void set_room(struct tb_replay *replay, unsigned job, unsigned node)
{
	replay->later_room[node] =
		tb_bitset_test(replay->promises->free, node)
			? tb_room_on(&replay->rooms, &replay->later,
				     tb_replay_kind(replay, job), node)
			: 0;
}

/* On the cluster as it is. */
static void open_later(struct tb_replay *replay, unsigned job)
{
	const uint32_t *room = tb_rooms_now(&replay->rooms,
					    tb_replay_kind(replay, job));

	tb_floor_assign(&replay->later, &replay->rooms.now, replay->nnodes);
	for (unsigned node = 0; node < replay->nnodes; node++)
		replay->later_room[node] =
			tb_bitset_test(replay->promises->free, node)
				? room[node]
				: 0;
}

static bool has_any(const struct tb_replay *replay, unsigned job,
		    const struct tb_bitset *nodes)
{
	const struct tb_grant *grant = &replay->grants[job];

	for (unsigned i = 0; i < grant->nparts; i++)
		if (tb_bitset_test(nodes, grant->parts[i].node))
			return true;
	return false;
}

/* Another has ended. */
static void end_job(struct tb_replay *replay, unsigned job, unsigned other)
{
	const struct tb_grant *grant = &replay->grants[other];

	for (unsigned i = 0; i < grant->nparts; i++) {
		const struct tb_part *part = &grant->parts[i];

		tb_floor_change(&replay->rooms, &replay->later, part->node,
				part->threads, false);
		set_room(replay, job, part->node);
	}
}

/* From the one that is next before to the one that is next now. */
static void end_jobs(struct tb_replay *replay, unsigned job, unsigned from,
		     unsigned to)
{
	for (; from < to; from++)
		end_job(replay, job, replay->limits.list[from].job);
}

/* Those that end before its first start. */
static void pass_before(const struct tb_replay *replay, const struct look *look,
			struct ended *ended)
{
	const struct tb_moments *limits = &replay->limits;

	while (ended->next < limits->count &&
	       limits->list[ended->next].at < look->from)
		ended->next++;
}

/* One more that has some of the nodes, as topobind does.  False: there is none. */
static bool pass_next(const struct tb_replay *replay, struct ended *ended)
{
	const struct tb_moments *limits = &replay->limits;

	while (ended->next < limits->count) {
		const struct tb_moment *moment = &limits->list[ended->next++];

		ended->last = moment->at;
		if (has_any(replay, moment->job, replay->promises->free))
			return true;
	}
	return false;
}

static bool is_behind(const struct tb_replay *replay, const struct ended *ended)
{
	return ended->next < replay->limits.count &&
	       replay->limits.list[ended->next].at >
		       ended->until + ended->window;
}

/* The window is twice as long for the next ones, or as long as it takes to reach one. */
static void widen(const struct tb_replay *replay, struct ended *ended)
{
	do
		ended->window *= 2;
	while (is_behind(replay, ended));
}

/*
 * Some more that have some of the nodes, as select/cons_tres does: behind one of the
 * others it goes on, however late the next one is.
 */
static bool pass_some(const struct tb_replay *replay, const struct look *look,
		      const struct tb_bitset *nodes, struct ended *ended)
{
	const struct tb_moments *limits = &replay->limits;
	bool any = false, is_over = false;

	while (ended->next < limits->count && !is_over) {
		const struct tb_moment *moment = &limits->list[ended->next];

		if (replay->options->bounded_looks && moment->at > look->later)
			break;
		ended->next++;
		if (!has_any(replay, moment->job, nodes))
			continue;
		any = true;
		ended->last = moment->at;
		if (!ended->window) {
			ended->window = TOGETHER;
			ended->until = moment->at + TOGETHER -
				       moment->at % TOGETHER;
		}
		is_over = is_behind(replay, ended);
	}
	if (any)
		widen(replay, ended);
	return any;
}

/* ---- when it fits ---- */

static int choose(struct tb_replay *replay, unsigned job)
{
	return tb_replay_choose(replay, job, &replay->later,
				replay->later_room);
}

static void mark_chosen(struct tb_replay *replay)
{
	struct tb_bitset *chosen = replay->promises->chosen;

	tb_bitset_clear_all(chosen);
	for (unsigned i = 0; i < replay->choice.nparts; i++)
		tb_bitset_set(chosen, replay->choice.parts[i].node);
}

/*
 * topobind asks select/cons_tres for the chosen nodes, too: does it find that those who
 * have ended have made way as soon as they have?
 */
static bool is_told_so(const struct tb_replay *replay, const struct look *look,
		       const struct ended *ended)
{
	const struct tb_bitset *chosen = replay->promises->chosen;
	struct ended told = { .last = replay->now };
	int64_t needed = replay->now;

	for (unsigned i = 0; i < ended->next; i++)
		if (has_any(replay, replay->limits.list[i].job, chosen))
			needed = replay->limits.list[i].at;
	if (replay->options->bounded_looks) {
		pass_before(replay, look, &told);
		if (needed < look->from)
			return true;
	}
	while (told.last < needed && pass_some(replay, look, chosen, &told))
		;
	return told.last >= needed && told.last <= ended->last;
}

/* More have ended.  0: nobody; -1: no memory. */
static int find_plain_time(struct tb_replay *replay, const struct look *look,
			   struct ended *ended)
{
	int fits = 0;

	if (replay->options->bounded_looks) {
		pass_before(replay, look, ended);
		end_jobs(replay, look->job, 0, ended->next);
		fits = choose(replay, look->job);
	}
	while (!fits) {
		unsigned before = ended->next;

		if (!pass_some(replay, look, replay->promises->free, ended))
			return 0;
		end_jobs(replay, look->job, before, ended->next);
		fits = choose(replay, look->job);
	}
	return fits;
}

/* If not, and all with room do, select/cons_tres chooses of these. */
static bool choose_of_all(struct tb_replay *replay, const struct look *look,
			  const struct ended *ended)
{
	struct tb_bitset *chosen = replay->promises->chosen;

	tb_bitset_clear_all(chosen);
	for (unsigned node = 0; node < replay->nnodes; node++)
		if (replay->later_room[node])
			tb_bitset_set(chosen, node);
	return is_told_so(replay, look, ended) &&
	       tb_replay_choose_as_slurm(replay, look->job, replay->later_room);
}

static int find_bound_time(struct tb_replay *replay, const struct look *look,
			   struct ended *ended)
{
	int fits = 0;

	while (!fits) {
		unsigned before = ended->next;

		if (!pass_next(replay, ended))
			return 0;
		end_jobs(replay, look->job, before, ended->next);
		fits = choose(replay, look->job);
		if (fits <= 0)
			continue;
		mark_chosen(replay);
		fits = is_told_so(replay, look, ended) ||
		       choose_of_all(replay, look, ended);
	}
	return fits;
}

/*
 * When it fits on these nodes beside the jobs that run now, and which of them it gets,
 * into replay->choice.  0: never; -1: no memory.
 */
static int find_time(struct tb_replay *replay, struct look *look)
{
	bool is_plain = !replay->jobs[look->job].request;
	bool is_later = is_plain && replay->options->bounded_looks &&
			look->from > replay->now;
	struct ended ended = { .last = replay->now };
	int fits = 0;

	open_later(replay, look->job);
	if (!is_later)
		fits = choose(replay, look->job);
	if (!fits)
		fits = is_plain ? find_plain_time(replay, look, &ended)
				: find_bound_time(replay, look, &ended);
	if (fits <= 0)
		return fits;
	mark_chosen(replay);
	look->at = ended.last > look->from ? ended.last : look->from;
	return fits;
}

/* ---- starts and promises ---- */

/* With the choice for now. */
static int start(struct tb_replay *replay, unsigned job, bool *starts)
{
	if (tb_replay_take(replay, job, &replay->rooms.now, starts))
		return -1;
	return *starts ? tb_replay_begin(replay, job) : 0;
}

/* Of a promise, rounded. */
static int64_t get_end(const struct tb_replay *replay, const struct look *look)
{
	int64_t end = look->at + tb_replay_limit(&replay->jobs[look->job]);

	return round_down(replay->options->bounded_looks ? end + RESOLUTION - 1
							 : end);
}

/* Does a promise to another lie in the way? */
static bool is_promised(const struct tb_replay *replay, const struct look *look)
{
	return tb_spans_have_promised(&replay->promises->spans,
				      round_down(look->at),
				      get_end(replay, look),
				      replay->promises->chosen);
}

static int promise(struct tb_replay *replay, const struct look *look)
{
	int64_t from = round_down(look->at), end = get_end(replay, look);

	if (look->at > replay->now + AHEAD)
		return 0;
	return tb_spans_promise(&replay->promises->spans, from,
				end > from ? end : from + RESOLUTION,
				replay->promises->chosen);
}

/* From when on it is to be looked at once more; NO_TIME: not at all. */
static int64_t find_next_look(struct tb_replay *replay, const struct look *look,
			      int fits)
{
	if (!fits)
		return look->later;
	if (replay->options->bounded_looks && is_promised(replay, look))
		return look->at;
	if (look->at > look->later)
		return look->later;
	return is_promised(replay, look) ? look->at : NO_TIME;
}

/* Start it, or promise it nodes.  -1: no memory. */
static int look_at(struct tb_replay *replay, unsigned job)
{
	struct look look = { .job = job, .from = replay->now };
	int64_t next;
	bool starts;
	int fits;

	for (;;) {
		find_free(replay, &look);
		fits = find_time(replay, &look);
		if (fits < 0)
			return -1;
		if (fits && look.at == replay->now)
			return start(replay, job, &starts);
		next = find_next_look(replay, &look, fits);
		if (next == NO_TIME)
			return fits ? promise(replay, &look) : 0;
		if (next <= look.from || next > replay->promises->spans.end)
			return 0;
		look.from = next;
	}
}

/* ---- a turn ---- */

static int start_first(struct tb_replay *replay)
{
	bool starts = true;

	while (replay->waiting && starts) {
		unsigned job = replay->next[replay->njobs];
		struct tb_kind *kind = tb_replay_kind(replay, job);
		int fits = tb_replay_choose(replay, job, &replay->rooms.now,
					    tb_rooms_now(&replay->rooms, kind));

		starts = fits;
		if (fits < 0 || (fits && start(replay, job, &starts)))
			return -1;
	}
	return 0;
}

int tb_turn_slurm(struct tb_replay *replay)
{
	struct tb_spans *spans = &replay->promises->spans;
	unsigned job, next, depth = replay->options->depth + 1;

	if (start_first(replay))
		return -1;
	if (tb_spans_restart(spans, round_down(replay->now),
			     round_down(replay->now + AHEAD)))
		return -1;
	for (job = replay->next[replay->njobs]; job != replay->njobs && depth--;
	     job = next) {
		next = replay->next[job];
		if (look_at(replay, job))
			return -1;
	}
	return 0;
}

/* ---- all of it ---- */

int tb_promises_open(struct tb_replay *replay)
{
	struct tb_promises *promises = calloc(1, sizeof(*promises));

	replay->promises = promises;
	if (!promises)
		return -1;
	promises->spans.nnodes = replay->nnodes;
	promises->free = tb_bitset_create(replay->nnodes);
	promises->chosen = tb_bitset_create(replay->nnodes);
	return promises->free && promises->chosen ? 0 : -1;
}

void tb_promises_close(struct tb_replay *replay)
{
	struct tb_promises *promises = replay->promises;

	if (!promises)
		return;
	tb_spans_clear(&promises->spans);
	tb_bitset_destroy(promises->free);
	tb_bitset_destroy(promises->chosen);
	free(promises);
}

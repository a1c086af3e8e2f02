/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why.c - see why.h */
#include <stdlib.h>

#include "core/base/array.h"
#include "why.h"

int tb_whys_open(struct tb_replay *replay)
{
	const struct tb_replay_options *options = replay->options;

	replay->plain_kinds = tb_array_create(options->nwhys,
					      sizeof(*replay->plain_kinds));
	if (!replay->plain_kinds)
		return -1;
	for (unsigned i = 0; i < options->nwhys; i++) {
		struct tb_replay_why *why = &options->whys[i];
		struct tb_replay_job plain = replay->jobs[why->job];
		int kind;

		plain.request = NULL;
		plain.implicit = false;
		kind = tb_rooms_kind(&replay->rooms, &plain);
		if (kind < 0)
			return -1;
		replay->plain_kinds[i] = (unsigned)kind;
		why->cores = why->spare = why->broken = why->order = 0;
	}
	return 0;
}

static bool has_room(struct tb_replay *replay, unsigned kind,
		     const struct tb_replay_job *job)
{
	const uint32_t *room = tb_rooms_now(&replay->rooms,
					    &replay->rooms.kinds[kind]);
	uint64_t tasks = 0;
	uint32_t hosts = 0;

	for (unsigned node = 0; node < replay->nnodes; node++) {
		tasks += room[node];
		hosts += room[node] > 0;
	}
	return tasks >= job->tasks && hosts >= job->nodes;
}

static bool is_waiting(const struct tb_replay *replay, unsigned job)
{
	return job < replay->submitted &&
	       replay->starts[job].start == TB_REPLAY_NEVER;
}

void tb_whys_pass(struct tb_replay *replay, int64_t seconds)
{
	const struct tb_replay_options *options = replay->options;

	for (unsigned i = 0; i < options->nwhys; i++) {
		struct tb_replay_why *why = &options->whys[i];
		const struct tb_replay_job *job = &replay->jobs[why->job];

		if (!is_waiting(replay, why->job))
			continue;
		if (has_room(replay, replay->kinds[why->job], job))
			why->order += seconds;
		else if (has_room(replay, replay->plain_kinds[i], job))
			why->broken += seconds;
		else if (replay->totals->cores - replay->needed_cores >=
			 tb_replay_needed(replay, why->job))
			why->spare += seconds;
		else
			why->cores += seconds;
	}
}

bool tb_whys_are_told(const struct tb_replay *replay)
{
	const struct tb_replay_options *options = replay->options;

	for (unsigned i = 0; i < options->nwhys; i++) {
		unsigned job = options->whys[i].job;

		if (job >= replay->submitted || is_waiting(replay, job))
			return false;
	}
	return options->nwhys;
}

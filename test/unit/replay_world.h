/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay_world.h - random jobs on a small cluster, and how they were replayed
 *
 * While they are, no thread has two jobs and no reservation gets later, or the test fails.
 */
#ifndef TB_TEST_REPLAY_WORLD_H
#define TB_TEST_REPLAY_WORLD_H

#include "core/replay/replay.h"
#include "random_case.h"

#define NODES 4
#define JOBS 40
#define CORES 8
#define TIMES 4000

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

/* The test fails if it is not one. */
struct tb_topology *parse_topology(const char *text);

/* Some of them are plain, the others have the request (NULL: all are plain). */
void make_jobs(struct random *random, struct world *world,
	       const struct tb_request *request, bool implicit);

void run_world(struct world *world);

/*
 * By the other policies select/cons_tres chooses, for bound jobs too, and can miss nodes of
 * which some have cores of several threads.
 */
bool keeps_reservations(const struct world *world);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * release.h - what is missing for a request, and whose end would suffice
 *
 * Nodes whose threads are held by somebody until some time, and a request for
 * slots on them: how many slots does each node hold now, do they suffice, and
 * if not, which holders would have to end, and when is that?  It is the same
 * question that the controller answers for backfill (DESIGN.md, section 5),
 * asked from outside for people to read.
 */
#ifndef TB_CORE_RELEASE_H
#define TB_CORE_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "bitset.h"
#include "place.h"
#include "request.h"

/* The end of a holder that has none, or one that is not known. */
#define TB_END_NEVER INT64_MAX

/* Some threads of a node, held by one holder. */
struct tb_hold {
	unsigned holder; /* index into the ends */
	const struct tb_bitset *threads;
};

/* A node that may be used.  Borrows all that it points to. */
struct tb_held_node {
	const struct tb_topology *topology;
	struct tb_placer *placer; /* of this topology, can be shared */
	const struct tb_bitset *kept; /* nobody's end frees them; NULL: none */
	const struct tb_hold *holds;
	unsigned nholds;
	bool required; /* must be among the chosen ones */
};

/* What is asked for. */
struct tb_need {
	const struct tb_request *request;
	unsigned slots;                /* in all; with TB_HOST: tasks */
	unsigned per_node;             /* at most so many of them on one */
	unsigned min_nodes, max_nodes; /* at least 1 */
	/*
	 * Threads that one task needs: a slot must have as many, and the units
	 * of a host as many for each task.  At least 1.
	 */
	unsigned task_threads;
	bool whole_nodes; /* nobody may hold any thread of a node */
};

struct tb_release;

/*
 * nodes, ends (one for each holder, seconds) and what need points to must
 * outlive it.  NULL when out of memory.
 */
struct tb_release *tb_release_create(const struct tb_need *need,
				     const struct tb_held_node *nodes,
				     unsigned nnodes, const int64_t *ends,
				     unsigned nholders);
void tb_release_destroy(struct tb_release *release); /* NULL is fine */

/*
 * With all who hold something now: how many slots (TB_HOST: tasks) a node can
 * have, and do the nodes suffice?
 */
unsigned tb_release_room(const struct tb_release *release, unsigned node);
bool tb_release_fits(const struct tb_release *release);

/*
 * The first time at which enough holders have ended, TB_END_NEVER when those
 * are among them that have no end; and into ended (as many bits as holders)
 * some who suffice, none of whom can be spared.  False: not even when all have
 * ended.  -1 in place of a time stands for now.
 */
bool tb_release_find(struct tb_release *release, struct tb_bitset *ended,
		     int64_t *when);

#endif

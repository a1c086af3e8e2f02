/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared_use.h - who has the threads of a node, for a job that may share units
 *
 * By the rules of place/share.h, of what all jobs on the node have.
 */
#ifndef TB_CORE_PLAN_SHARED_USE_H
#define TB_CORE_PLAN_SHARED_USE_H

#include <stdbool.h>

#include "core/place/share.h"
#include "core/request/request.h"

/* The units of a request as Slurm books them: whole cores, or threads as its cores. */
struct tb_unit tb_booked_unit(const struct tb_request *request, bool by_thread);

/* As what a job lets others have its threads, too. */
enum tb_shares_as {
	TB_SHARES_NOTHING,
	TB_SHARES_UNITS, /* of a letter */
	TB_SHARES_NODE,	 /* the node is its unit */
	TB_SHARES_ANY,	 /* whatever units others have */
};

struct tb_share_of {
	enum tb_shares_as as;
	struct tb_unit unit; /* TB_SHARES_UNITS: these */
};

/*
 * Of a job in a partition that shares; NULL: it is not bound.  turns: its jobs take turns,
 * so that nobody else runs on a unit while a job that has it runs (doc/design.md,
 * "Turns").  Units of two kinds (request/parts.h) are not shared.
 */
enum tb_shares_as tb_shares_as(const struct tb_request *request,
			       bool whole_nodes, bool turns);

/* One more job has these threads.  own is scratch; both have a place for each thread. */
void tb_shared_use_add(const struct tb_topology *topology,
		       const struct tb_bitset *threads,
		       struct tb_share_of share, struct tb_thread_use *use,
		       struct tb_thread_use *own);

/* Nobody can have these. */
void tb_shared_use_bar(const struct tb_bitset *threads,
		       struct tb_thread_use *use);

#endif

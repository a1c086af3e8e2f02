/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * never.h - why no node, were it idle, has the units of one slot
 *
 * Slurm says only that the configuration is not available.  The command
 * (tools/plan/) and the client (plugins/spank/) look at nodes one after the other
 * and say the same.  They may know more nodes than the job can have, and no filters
 * of the site: what none of those has the job cannot have either.
 */
#ifndef TB_CORE_PLAN_NEVER_H
#define TB_CORE_PLAN_NEVER_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/text.h"
#include "core/request/request.h"
#include "core/topology/topology.h"

/* What was seen of the nodes until now; all zero at first. */
struct tb_never {
	unsigned nodes;	  /* with a topology */
	unsigned unknown; /* without */
	unsigned shaped;  /* that have the shape which the request names */
	unsigned enough;  /* and as many units as one slot */
	bool possible;	  /* one slot fits, or nobody knows */
	unsigned most;	  /* units, of a list of CPUs: threads, on this node */
	char *name;	  /* its name; NULL: no node has any */
};

/*
 * One more node.  topology is NULL where it is not known; taken (NULL: none) are
 * threads that no job gets, masked (NULL: none) what the site masks (place.h).  A task
 * needs so many threads, at least 1.
 */
void tb_never_look(struct tb_never *never, const struct tb_request *request,
		   unsigned task_threads, const char *name,
		   const struct tb_topology *topology,
		   const struct tb_bitset *taken,
		   const struct tb_bitset *masked);

/*
 * "no node has 9 N units (power1 has most: 8)".  what is the word for such a node,
 * "required node".  malloc()ed; NULL: a slot fits on some, or out of memory.
 */
char *tb_never_print(const struct tb_never *never,
		     const struct tb_request *request, unsigned task_threads,
		     const char *what);

/* "2 X units", or "CPUs 0-7". */
void tb_never_add_units(struct tb_text *text, const struct tb_request *request);

void tb_never_clear(struct tb_never *never);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * never_tasks.h - the nodes that a job may have do not hold all of its tasks
 *
 * Each holds some, by its units and by the CPUs that these have.  It goes with never.h,
 * and is asked where that says nothing: a slot fits on some node.
 */
#ifndef TB_CORE_PLAN_NEVER_TASKS_H
#define TB_CORE_PLAN_NEVER_TASKS_H

#include "blockers.h"
#include "suffice.h"

/* What was seen of the nodes until now; all zero at first. */
struct tb_never_tasks {
	struct tb_node_slots *list;
	uint32_t count;
	uint32_t most; /* tasks, on this node */
	char *name;    /* NULL: no node was seen */
	bool unknown;  /* of some nodes, or there was no memory for it */
};

/*
 * One more node, as if nobody had anything of it; NULL: its topology is not known.
 * Devices and memory do not count.
 */
void tb_never_tasks_look(struct tb_never_tasks *never,
			 const struct tb_need *need, const char *name,
			 const struct tb_used_node *node);

/*
 * "no node holds 12 tasks on CPUs 0-7 (zen holds most: 8): ...".  what is the word for
 * such a node.  Changes the order of the list.  malloc()ed; NULL: they hold all, that
 * is not known, or out of memory.
 */
char *tb_never_tasks_print(struct tb_never_tasks *never,
			   const struct tb_need *need, const char *what);

void tb_never_tasks_clear(struct tb_never_tasks *never);

#endif

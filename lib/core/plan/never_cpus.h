/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * never_cpus.h - no node has the CPUs of as many tasks as --ntasks-per-node says
 *
 * Slurm wants them on each node of the job, whatever units are asked for and however
 * many tasks there are.  It goes with never.h, and is asked where that says nothing.
 */
#ifndef TB_CORE_PLAN_NEVER_CPUS_H
#define TB_CORE_PLAN_NEVER_CPUS_H

#include <stdbool.h>
#include <stdint.h>

/* What the job says; 0 tasks: nothing. */
struct tb_tasks_of_node {
	uint32_t tasks, task_cpus;
	bool overcommit; /* then CPUs do not count */
};

/* What was seen of the nodes until now; all zero at first. */
struct tb_never_cpus {
	uint32_t most; /* CPUs, as Slurm counts them, on this node */
	char *name;    /* NULL: no node was seen */
};

/* Has a node with so many CPUs too few of them? */
bool tb_lacks_cpus_of_tasks(const struct tb_tasks_of_node *asked,
			    uint32_t cpus);

void tb_never_cpus_look(struct tb_never_cpus *never, const char *name,
			uint32_t cpus);

/*
 * "no node has the 40 CPUs of --ntasks-per-node=40 (power1 has most: 32, for 32 tasks)".
 * what is the word for such a node.  malloc()ed; NULL: one has them, none was seen, or
 * out of memory.
 */
char *tb_never_cpus_print(const struct tb_never_cpus *never,
			  const struct tb_tasks_of_node *asked,
			  const char *what);

void tb_never_cpus_clear(struct tb_never_cpus *never);

#endif

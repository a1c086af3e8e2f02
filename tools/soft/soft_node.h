/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_node.h - what slurmd's spool directory has of soft binding on this node
 */
#ifndef TB_TOOLS_SOFT_SOFT_NODE_H
#define TB_TOOLS_SOFT_SOFT_NODE_H

#include "common/soft/soft_state.h"

/*
 * node: its name in slurm.conf, NULL: this host's.  Slurm's library is begun and
 * ended in here.  NULL: an error was printed.
 */
struct tb_registry *tb_soft_node_open(const char *command, const char *node);

/* slurmd's spool directory of that node; the caller frees.  NULL likewise. */
char *tb_soft_node_spool(const char *command, const char *node);

/*
 * The CPUs on which the kernel lets a process or thread run, "0-3"; the caller frees.
 * NULL: it has ended.
 */
char *tb_soft_cpus_now(pid_t pid);

/* tb_soft_each(), with the registry locked meanwhile; -1, too, if it cannot be. */
int tb_soft_node_each(struct tb_registry *registry, enum tb_soft_access access,
		      int (*visit)(struct tb_soft_state *state, bool alive,
				   void *data),
		      void *data);

/* "12.0", "12.batch": as Slurm writes steps. */
#define TB_STEP_NAME_SIZE 40
void tb_soft_step_name(const struct tb_soft_state *state,
		       char name[TB_STEP_NAME_SIZE]);

#endif

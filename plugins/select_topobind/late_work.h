/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late_work.h - what a hook must not do with the locks that it is called with
 *
 * A thread does it soon after, with slurmctld's locks on jobs and nodes for writing.
 * doc/design.md, "Locks of the hooks", says which hooks need it.
 */
#ifndef TB_SELECT_TOPOBIND_LATE_WORK_H
#define TB_SELECT_TOPOBIND_LATE_WORK_H

enum tb_late_work {
	TB_LATE_NODES, /* write the Extra fields of nodes again */
	TB_LATE_JOBS,  /* show again what running jobs were granted */
	TB_LATE_WORKS
};

/* Who does what; before anything is added. */
void tb_late_work_set(enum tb_late_work what, void (*work)(void));
/* Called by hooks, with any lock on nodes. */
void tb_late_work_add(enum tb_late_work what);
void tb_late_work_fini(void);

#endif

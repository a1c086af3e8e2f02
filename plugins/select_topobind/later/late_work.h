/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * late_work.h - what a hook must not do with the locks that it is called with
 *
 * A thread does it soon after, with slurmctld's write lock on nodes, and on jobs where
 * these change.  doc/design.md, "Locks of the hooks", says which hook needs it.
 */
#ifndef TB_SELECT_TOPOBIND_LATER_LATE_WORK_H
#define TB_SELECT_TOPOBIND_LATER_LATE_WORK_H

enum tb_late_work {
	TB_LATE_NODES, /* what nodes show */
	TB_LATE_JOBS,  /* the state of jobs */
	TB_LATE_WORKS
};

/* What it is; before anything is added. */
void tb_late_work_set(enum tb_late_work kind, void (*work)(void));
/* Called by a hook, with any lock on nodes. */
void tb_late_work_add(enum tb_late_work kind);
void tb_late_work_fini(void);

#endif

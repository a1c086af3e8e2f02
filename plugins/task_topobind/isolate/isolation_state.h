/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolation_state.h - what was changed on the node for isolated jobs, to be undone
 *
 * A file of slurmd's spool directory, which only root can read: the boot that it is of,
 * the cgroup that lends CPUs (cgroup/partition.h), these CPUs, and what was taken from
 * outside (cgroup/outside.h).  Who reads it to change it has the directory of isolated
 * jobs locked.
 */
#ifndef TB_TASK_TOPOBIND_ISOLATE_ISOLATION_STATE_H
#define TB_TASK_TOPOBIND_ISOLATE_ISOLATION_STATE_H

#include "core/base/bitset.h"
#include "core/base/error.h"

struct tb_isolation_state {
	char *path;
	char *boot;
	char *top;		/* NULL: nothing was changed */
	struct tb_bitset *cpus; /* that are lent, or about to be */
	char *taken;		/* NULL: nothing */
};

/*
 * 0 also when there is no file, or one of another boot; -1 with a sentence.  After 0
 * the caller clears.
 */
int tb_isolation_state_read(struct tb_isolation_state *state,
			    const char *spool_dir, struct tb_error *err);
void tb_isolation_state_clear(struct tb_isolation_state *state);

/* Write it, with the CPUs that it has; with this top; with what is taken now. */
int tb_isolation_state_begin(struct tb_isolation_state *state, const char *top,
			     struct tb_error *err);
int tb_isolation_state_keep(struct tb_isolation_state *state, const char *taken,
			    struct tb_error *err);
/* All is changed: the file goes when nothing is to be undone. */
int tb_isolation_state_end(struct tb_isolation_state *state,
			   struct tb_error *err);

#endif

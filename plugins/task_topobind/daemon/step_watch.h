/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_watch.h - the end of steps whose slurmstepd was killed
 *
 * Slurm forgets such a step: its processes run on, on CPUs that Slurm gives to
 * others.  So each slurmstepd of a held step writes the cgroups of its processes
 * into a file of slurmd's spool directory, and keeps a lock on the file
 * (files/locked_dir.h).  When there is a file without a lock, the processes in
 * these cgroups are killed and the cgroups removed: at once by a helper of slurmd,
 * which watches the directory, else by the next slurmd.  What cannot be ended, it
 * tries again later.  No step waits for that.
 */
#ifndef TB_TASK_TOPOBIND_DAEMON_STEP_WATCH_H
#define TB_TASK_TOPOBIND_DAEMON_STEP_WATCH_H

#include <stdbool.h>

#include "core/base/error.h"

struct tb_step_watch;

/*
 * In slurmstepd, before anything runs.  What is left of a former run of the same
 * step ends with this one.  name is the step's, unique on the node, without "/".
 * cgroups are its cpuset cgroups, whether they are there yet or not, each with a
 * newline at its end, in the order in which they are to end; top is the one above
 * them that stays (all as of tb_abandoned_end()).  NULL with a sentence: nobody would
 * miss the step.
 */
struct tb_step_watch *tb_step_watch_create(const char *spool_dir,
					   const char *name, const char *top,
					   const char *cgroups,
					   struct tb_error *err);
/* The step is over and nothing of it is left.  NULL is fine. */
void tb_step_watch_end(struct tb_step_watch *watch);
/*
 * In a child of slurmstepd, which holds the lock, too: it does no more.  NULL is
 * fine.
 */
void tb_step_watch_leave(struct tb_step_watch *watch);

/*
 * In slurmd: end what is left now, then in a helper whatever will be, until
 * slurmd ends or stops it.  There tidy is called at first, when a step has been
 * ended, and when a file of that other directory of the spool directory has been
 * closed; as long as it returns false, later again.  -1 with a sentence: it does
 * not watch.
 */
typedef bool tb_step_watch_tidy_t(const char *spool_dir);
int tb_step_watch_start(const char *spool_dir, const char *other,
			tb_step_watch_tidy_t *tidy, struct tb_error *err);
void tb_step_watch_stop(void);

#endif

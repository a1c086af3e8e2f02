/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lifeline.h - the end of steps whose slurmstepd was killed
 *
 * Slurm forgets such a step: its processes go on running, nobody's, on CPUs that
 * Slurm gives to others.  So each slurmstepd of a held step notes in a file of
 * slurmd's spool directory which cgroups its processes are in, and holds a lock
 * on it (locked_files.h).  When the lock is gone and the file is not, what is in
 * the cgroups is killed and they are removed: at once by slurmd, which watches
 * the directory, else by the next held step or the next slurmd.
 */
#ifndef TB_TASK_LIFELINE_H
#define TB_TASK_LIFELINE_H

#include <stdbool.h>

#include "core/error.h"

struct tb_lifeline;

/*
 * In slurmstepd, before anything runs: first what is left of others is ended.
 * name is the step's, unique on the node, without "/".  cgroups are its cpuset
 * cgroups, whether they are there yet or not, each with a newline at its end, in
 * the order in which they are to end; top is the one above them that stays (all as
 * of tb_abandoned_end()).  NULL with a sentence: nobody would miss the step.
 */
struct tb_lifeline *tb_lifeline_create(const char *spool_dir, const char *name,
				       const char *top, const char *cgroups,
				       struct tb_error *err);
/* The step is over and nothing of it is left.  NULL is fine. */
void tb_lifeline_cut(struct tb_lifeline *lifeline);
/*
 * In a child of slurmstepd, which holds the lock, too: it does no more.  NULL is
 * fine.
 */
void tb_lifeline_leave(struct tb_lifeline *lifeline);

/*
 * In slurmd: end what is left now, then in a helper whatever will be, until
 * slurmd ends or stops it.  tidy is called there when a step has been ended.  -1
 * with a sentence: nobody watches.
 */
typedef void tb_lifeline_tidy_t(const char *spool_dir);
int tb_lifelines_watch(const char *spool_dir, tb_lifeline_tidy_t *tidy,
		       struct tb_error *err);
void tb_lifelines_unwatch(void);

#endif

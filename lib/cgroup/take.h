/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * take.h - the cgroups of steps become root's (cgroup v1)
 *
 * Slurm gives the directory of a step to its user.  There he makes cgroups of his
 * own, which outlive the step; into them he moves processes of later ones, which
 * run on CPUs of others then, or are not found when their job ends.
 */
#ifndef TB_CGROUP_TAKE_H
#define TB_CGROUP_TAKE_H

#include <stdbool.h>
#include <time.h>

/*
 * Give the cgroup of a step, a directory, to root, then end and remove what others
 * than root have made in it.  True when nothing of that is left at the time until;
 * also when there is no such directory.
 */
bool tb_take_step(const char *directory, const struct timespec *until);

/*
 * The same for all steps of all jobs of a node: TOP/uid_U/job_J/step_S.  Those that
 * are root's already are left out, or with again looked at, too.
 */
bool tb_take_steps(const char *top, bool again, const struct timespec *until);

#endif

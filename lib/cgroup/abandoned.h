/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abandoned.h - end what is left in cgroups whose owner is dead
 *
 * A step's processes can outlive the slurmstepd that would have ended them.
 * They are in its cpuset cgroup, whatever they did, and can be found there.
 *
 * Not thread safe (hierarchy.h keeps the mounts in globals).
 */
#ifndef TB_CGROUP_ABANDONED_H
#define TB_CGROUP_ABANDONED_H

#include "core/base/error.h"

/*
 * Kill every process in the cgroup path, with the cgroups below it, and remove it,
 * in all hierarchies of cgroups; then its parents, up to but without top, as far as
 * they are empty.  Both are paths from the root of a hierarchy, top is a parent of
 * path.  Processes that do not die within wait_ms milliseconds, for each hierarchy,
 * stay where they are, and parents as long as somebody has their hierarchy locked.
 * 0, also when nothing is there; -1 with a sentence in err.
 *
 * A cgroup with the caller in it is not abandoned: a step of that name starts
 * anew (cgroup v2, where slurmstepd is below its step).  All is left as it is; 0.
 */
int tb_abandoned_end(const char *top, const char *path, unsigned wait_ms,
		     struct tb_error *err);

#endif

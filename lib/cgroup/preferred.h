/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preferred.h - soft binding by the kernel itself (openEuler)
 *
 * There a cgroup v1 has a file cpuset.preferred_cpus, and each thread has
 * /proc/PID/task/TID/preferred_cpuset: CPUs that the scheduler chooses first,
 * inside those of the cpuset.  Processes inherit them.  Where both are, the
 * cgroup's is used.  How often it chose which it counts for each cgroup of
 * controller cpuacct.
 */
#ifndef TB_CGROUP_PREFERRED_H
#define TB_CGROUP_PREFERRED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "core/base/error.h"
#include "core/soft/soft.h"

/*
 * Write a list of OS CPUs for the processes of a cgroup, by its directory, or for
 * all threads of a process; proc is where procfs is mounted.  1 done, 0 this
 * kernel does not have that, -1 with a sentence.
 */
int tb_preferred_set_cgroup(const char *directory, const char *list,
			    struct tb_error *err);
int tb_preferred_set_process(const char *proc, pid_t pid, const char *list,
			     struct tb_error *err);
/* The same for one thread. */
int tb_preferred_set_thread(const char *proc, pid_t tid, const char *list,
			    struct tb_error *err);
/*
 * The same for all processes that are in a cgroup, by its directory.  -1 when not
 * even one of them could be told; those that end meanwhile do not count.
 */
int tb_preferred_set_processes(const char *proc, const char *directory,
			       const char *list, struct tb_error *err);

/*
 * Has the administrator switched it off, in sys/kernel?  Then the kernel treats
 * preferred CPUs like the others.
 */
bool tb_preferred_is_disabled(const char *proc);

/*
 * The kernel has one threshold, and one word on whose load counts: write them, in
 * proc and in the file of the scheduler's features.  1, 0 and -1 as above; -1 also
 * when only one of them could be written.
 */
#define TB_PREFERRED_FEATURES "/sys/kernel/debug/sched_features"
int tb_preferred_tune(const char *proc, const char *features, unsigned low_pct,
		      enum tb_soft_count count, struct tb_error *err);
/* The threshold that it has; -1: none. */
int tb_preferred_threshold(const char *proc);

/*
 * Counters of a cgroup by its directory, which are open until closed.  NULL:
 * this kernel has none there, or out of memory.
 */
struct tb_preferred_counters;
struct tb_preferred_counters *tb_preferred_counters_open(const char *directory);
struct tb_soft_counts
tb_preferred_counters_read(const struct tb_preferred_counters *counters);
/* Set those that are named to zero, if this kernel lets us. */
struct tb_preferred_which {
	bool preferred, allowed, smoothed;
};
void tb_preferred_counters_reset(const struct tb_preferred_counters *counters,
				 const struct tb_preferred_which *which);
void tb_preferred_counters_close(struct tb_preferred_counters *counters);

#endif

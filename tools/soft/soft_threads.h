/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_threads.h - the threads of soft-bound tasks, for topobind soft --threads
 */
#ifndef TB_TOOLS_SOFT_SOFT_THREADS_H
#define TB_TOOLS_SOFT_SOFT_THREADS_H

#include <stdbool.h>
#include <sys/types.h>

#include <jansson.h>

/* All processes of the host, each with its cpuset cgroup.  NULL: out of memory. */
struct tb_soft_processes;
struct tb_soft_processes *tb_soft_processes_load(void);
void tb_soft_processes_destroy(struct tb_soft_processes *processes);

/*
 * The threads of those in a cgroup, by its path from the root of the hierarchy: an
 * array of objects with thread, pid, name, cpus (on which the kernel lets it run) and
 * cpu (where it runs, or ran last).  The caller frees.
 */
json_t *tb_soft_threads(const struct tb_soft_processes *processes,
			const char *cgroup);

/* Is a thread in that cgroup, or below it? */
bool tb_soft_thread_is_in(pid_t tid, const char *cgroup);

#endif

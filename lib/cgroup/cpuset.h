/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuset.h - the cpuset cgroup of a task
 *
 * A process tree in such a cgroup (doc/design.md, "Node") can run on no other CPU,
 * whatever it does with its affinity.  CPUs and memory nodes are read and written
 * by hierarchy.h; what ends is ended without it (clear.h).  The layers above a
 * task (job, step) are Slurm's; here is only the innermost one: with cgroup v1 a
 * child of the cgroup in which Slurm has put the task, with v2, where Slurm has one
 * for each task, that one itself.
 *
 * Not thread safe (hierarchy.h keeps the mounts in globals).
 */
#ifndef TB_CGROUP_CPUSET_H
#define TB_CGROUP_CPUSET_H

#include <stdbool.h>
#include <sys/types.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

/* OS CPU and OS node numbers are below this. */
#define TB_CPUSET_OS_MAX 65536

struct tb_cpuset;

/* Is the cpuset controller one of cgroup v2?  False where there is none. */
bool tb_cpuset_is_v2(void);

/*
 * The path, from the root of the hierarchy, of the cpuset cgroup in which a
 * process is now.  The caller frees.  NULL with a sentence in err when there
 * is no usable cpuset controller (the sentence says what to do) or no such
 * process.
 */
char *tb_cpuset_path_of(pid_t pid, struct tb_error *err);

/* The directory of a cgroup by that path; the same otherwise. */
char *tb_cpuset_directory(const char *path, struct tb_error *err);

/*
 * The directory of the v1 cgroup of another controller in which a process is.
 * NULL where the controller is not mounted with v1.
 */
char *tb_cgroup_directory_of(pid_t pid, const char *controller);

/*
 * Make the cgroup parent/name (both without ".."), owned by root; when it is
 * there already it is taken over.  The parent is given to root, too, so that
 * its user cannot make a way around.  NULL with a sentence in err on error.
 * The caller ends with tb_cpuset_destroy(), which frees the handle only.
 */
struct tb_cpuset *tb_cpuset_create(const char *parent, const char *name,
				   struct tb_error *err);
void tb_cpuset_destroy(struct tb_cpuset *cpuset); /* NULL is fine */

/*
 * A cgroup that somebody else has made and will remove; it is given to root.
 * tb_cpuset_set() with os_nodes NULL leaves its memory nodes as they are.
 */
struct tb_cpuset *tb_cpuset_open(const char *path, struct tb_error *err);

const char *tb_cpuset_path(const struct tb_cpuset *cpuset);

/*
 * Write the CPUs and the memory nodes and read both back.  The numbers are the
 * kernel's.  os_nodes NULL: those of the parent.  With v2, where a cgroup may
 * be told more than it gets, what it gets is read.  -1 with a sentence in err
 * when the kernel refuses (an empty set, a CPU that the parent does not have)
 * or has something else than what was written.
 */
int tb_cpuset_set(const struct tb_cpuset *cpuset,
		  const struct tb_bitset *os_cpus,
		  const struct tb_bitset *os_nodes, struct tb_error *err);

/*
 * From now on pages move along when the memory nodes of the cgroup change.
 * Always so with v2; with v1 the kernel has to be told.
 */
int tb_cpuset_migrate_memory(const struct tb_cpuset *cpuset,
			     struct tb_error *err);

/*
 * What the kernel has, as a new set of TB_CPUSET_OS_MAX bits; NULL with a
 * sentence in err on error.  path as from tb_cpuset_path_of().
 */
struct tb_bitset *tb_cpuset_read_cpus(const char *path, struct tb_error *err);
struct tb_bitset *tb_cpuset_read_nodes(const char *path, struct tb_error *err);

/*
 * The CPUs of the cgroup, and where it is not there or has none of its own yet, those
 * of the nearest above that has some; likewise.
 */
struct tb_bitset *tb_cpuset_read_left(const char *path, struct tb_error *err);

/* Has somebody written CPUs to the cgroup?  False where there is none. */
bool tb_cpuset_is_limited(const char *path);

/* Move a process with all its threads into the cgroup. */
int tb_cpuset_attach(const struct tb_cpuset *cpuset, pid_t pid,
		     struct tb_error *err);

/*
 * End the processes that are left in the cgroup and below, and remove it, until the
 * time (clear.h) has come.  Nothing is moved to the parent.  Removing what is not
 * there any more is no error.
 */
int tb_cpuset_remove(const struct tb_cpuset *cpuset,
		     const struct timespec *until, struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_state.h - the state of a soft-bound step, in a file that others map
 *
 * Made by the step's slurmstepd, which counts in it.  Others read the counters
 * and set them to zero (topobind soft), and find the cgroups that they must take
 * CPUs from (slurmstepds of other steps).  All numbers are atomic, so nobody
 * waits.
 */
#ifndef TB_COMMON_SOFT_SOFT_STATE_H
#define TB_COMMON_SOFT_SOFT_STATE_H

#include <stdatomic.h>
#include <stddef.h>

#include "soft_registry.h"
#include "core/soft/soft.h"

/* Counters that somebody has set to zero. */
#define TB_SOFT_RESET_PREFERRED 1
#define TB_SOFT_RESET_ALLOWED 2
#define TB_SOFT_RESET_SMOOTHED 4

struct tb_soft_task {
	uint32_t id;		 /* its number in the step */
	int32_t pid;		 /* of its first process */
	_Atomic uint16_t spread; /* is it on allowed CPUs now? */
	_Atomic uint16_t reset;	 /* TB_SOFT_RESET_...: the kernel's, too */
	_Atomic uint64_t preferred, allowed, smoothed; /* core/soft/soft.h */
};

/* Behind the tasks is the text that tb_soft_next_cgroup() reads. */
struct tb_soft_state {
	uint32_t version;
	uint32_t size; /* of the file, in bytes */
	uint32_t job, step;
	uint32_t tasks;
	_Atomic uint8_t paused;	  /* the job is suspended */
	_Atomic uint8_t site_off; /* topobind.conf says Soft=no */
	_Atomic uint32_t native;  /* the kernel chooses */
	_Atomic uint64_t cost_us; /* CPU time of the controller so far */
	struct tb_soft_task task[];
};

/* Of all tasks together: what was counted; how many are on allowed CPUs now. */
struct tb_soft_counts tb_soft_state_counts(const struct tb_soft_state *state);
unsigned tb_soft_state_spread(const struct tb_soft_state *state);

struct tb_soft_file;

/*
 * In the step's slurmstepd, with the registry locked: make the file, locked as
 * long as the process lives.  cgroups: a line for each cgroup of the step,
 * "BASE SCOPE PATH", the tasks' last and in their order; see struct tb_soft_cgroup.
 * NULL with a sentence.  The end, whether locked or not, is tb_soft_file_remove();
 * NULL is fine.
 */
struct tb_soft_file *tb_soft_file_create(struct tb_registry *registry,
					 const struct tb_registry_id *id,
					 unsigned tasks, const char *cgroups,
					 struct tb_error *err);
void tb_soft_file_remove(struct tb_soft_file *file);
struct tb_soft_state *tb_soft_file_state(struct tb_soft_file *file);

/*
 * With the registry locked, so that none is seen half made: visit the states of
 * all soft-bound steps; alive: its slurmstepd is there.
 * Ends when visit returns other than 0; that, or -1 when the directory cannot be
 * read.  With TB_SOFT_REMOVE a state that is not alive is removed, and visiting
 * goes on.
 *
 * Only with TB_SOFT_CHANGE can visit write into the state: slurmd's helper looks at
 * the directory again whenever a file that was open to write is closed, and would
 * do so without end if it opened one so itself.
 */
#define TB_SOFT_REMOVE 1
enum tb_soft_access { TB_SOFT_LOOK, TB_SOFT_CHANGE };
int tb_soft_each(struct tb_registry *registry, enum tb_soft_access access,
		 int (*visit)(struct tb_soft_state *state, bool alive,
			      void *data),
		 void *data);

/* The sets have TB_REGISTRY_CPUS bits. */
struct tb_soft_cgroup {
	struct tb_bitset *base;	 /* OS CPUs that nobody takes from it */
	struct tb_bitset *scope; /* those that it may have beside them */
	char *path;		 /* in the cpuset hierarchy */
};

/*
 * The cgroups of a state one after the other, those of its tasks last; cursor
 * starts at tb_soft_state_cgroups().  The caller clears each.  False at the end, and
 * for want of memory.
 */
const char *tb_soft_state_cgroups(const struct tb_soft_state *state);
bool tb_soft_next_cgroup(const char **cursor, struct tb_soft_cgroup *cgroup);
/* The cgroup of a task; false likewise. */
bool tb_soft_task_cgroup(const struct tb_soft_state *state, unsigned task,
			 struct tb_soft_cgroup *cgroup);
void tb_soft_cgroup_clear(struct tb_soft_cgroup *cgroup);

#endif

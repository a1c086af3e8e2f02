/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolation.h - CPUs of jobs on which nothing else runs (--bisolate)
 *
 * The cgroup of such a job becomes a partition (cgroup/partition.h), and what is outside
 * of all cgroups keeps off (cgroup/outside.h).  The jobs of a node share the cgroups
 * above them and the interrupts, so each slurmstepd of an isolated job keeps a locked
 * file with the job's CPUs in a directory that only root can look into
 * (files/locked_dir.h), and whoever makes or finds a change sets all of it as these
 * files say.  What was changed is remembered in one more file until it is undone: by the
 * last step of the job, or, when that was killed, by slurmd's helper, the next slurmd
 * or the next step.  After a boot nothing is to be undone.
 */
#ifndef TB_TASK_TOPOBIND_ISOLATE_ISOLATION_H
#define TB_TASK_TOPOBIND_ISOLATE_ISOLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

struct tb_isolated_job;

struct tb_isolation_input {
	const char *spool_dir;
	const char *name; /* of the step, unique on the node, without "/" */
	uint32_t job;
	const char *top; /* cgroup of all that Slurm has on the node, by path */
	const char *cgroup; /* of the job, likewise */
	const char *cpus;   /* of the job: a list of OS CPUs */
};

/*
 * In slurmstepd, before tasks run.  NULL with a sentence, and nothing is changed.  Ends
 * with tb_isolation_end(), or with its process.
 */
struct tb_isolated_job *
tb_isolation_begin(const struct tb_isolation_input *input,
		   struct tb_error *err);
void tb_isolation_end(struct tb_isolated_job *isolation); /* NULL is fine */
/* In a child of slurmstepd: it is not its. */
void tb_isolation_leave(struct tb_isolated_job *isolation);

/*
 * A job gets CPUs, a list: another job that had them for itself is suspended, or ends.
 * It gives them up, and does not get them back for itself.
 */
void tb_isolation_yield(const char *spool_dir, uint32_t job, const char *cpus);

/*
 * Undo what killed slurmstepds have left, and do again what somebody else has undone.
 * False: something is left.
 */
bool tb_isolation_tidy(const char *spool_dir);

/*
 * The CPUs of a cgroup above those of jobs, by a function of cgroup/cpuset.h, with those
 * that isolated jobs have taken from it, whether one comes or goes meanwhile.  NULL with a
 * sentence.
 */
typedef struct tb_bitset *tb_isolation_reader_t(const char *path,
						struct tb_error *err);
struct tb_bitset *tb_isolation_read_cpus(const char *spool_dir,
					 tb_isolation_reader_t *reader,
					 const char *path,
					 struct tb_error *err);

#endif

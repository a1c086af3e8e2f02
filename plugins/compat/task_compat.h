/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_compat.h - what differs between Slurm versions for the task plugin
 *
 * Through it the version-free part of task/topobind sees the structs of slurmd and
 * slurmstepd, and Slurm's cgroup interface.
 */
#ifndef TB_COMPAT_TASK_H
#define TB_COMPAT_TASK_H

#include <stdbool.h>
#include <stdint.h>

/* First: it renames what the others declare. */
#include "src/common/slurm_xlator.h"

#include "slurm/slurm.h"
#include "src/slurmd/slurmstepd/slurmstepd_job.h"

#include "common/soft/soft_registry.h"
#include "core/base/error.h"
#include "task_topobind/step/step.h"

typedef stepd_step_rec_t tb_slurm_step_t;

/*
 * What the daemon (slurmd or slurmstepd) knows of its node: name, directory
 * for its files (root's), shape; machine_file and configured are not set.
 */
const char *tb_daemon_node_name(void);
const char *tb_daemon_spool_dir(void);
void tb_daemon_node_shape(struct tb_step_node_input *node);

/* The partition of the step's job; NULL when slurmctld did not send it. */
char *tb_slurm_step_partition(tb_slurm_step_t *step); /* the caller frees */

/* The same of a step; env, cores, tasks, kind and GPUs are set in input. */
void tb_slurm_step_input(tb_slurm_step_t *step, struct tb_step_input *input);

/*
 * Was the step made by a slurmstepd (--stepmgr), without slurmctld?  Then this is which
 * one it is.  And the cores, as a list of Slurm's, that it has here in place of those
 * that were picked for it, for all of Slurm's plugins.
 */
bool tb_slurm_step_is_unplanned(const tb_slurm_step_t *step,
				struct tb_step_slots_id *id);
void tb_slurm_step_set_cores(tb_slurm_step_t *step, const char *cores);

/*
 * The device files of the node's GPUs, and which of them are the step's (find_gpus of
 * tb_step_input).  The caller clears, whatever this returns; -1: out of memory.
 */
int tb_slurm_step_gpus(void *slurm_step, struct tb_step_gpus *gpus);

/*
 * A step that is one shell for its whole job, in which mpirun may be started: a
 * batch script, or what salloc starts on a node.  False for other steps.
 */
struct tb_slurm_shell {
	uint32_t job, step;
	uid_t uid;
	gid_t gid;
};
bool tb_slurm_step_shell(const tb_slurm_step_t *step,
			 struct tb_slurm_shell *shell);

/* The step for processes that come from outside: Slurm starts no task in it. */
bool tb_slurm_step_is_extern(const tb_slurm_step_t *step);

/*
 * OS CPUs, as a list, that are reserved for the system; "" for none.  The caller
 * frees; NULL: out of memory.
 */
char *tb_daemon_system_cpus(void);

/*
 * In slurmd: the cpuset cgroup of all that Slurm has on the node, as a path from the
 * root of the hierarchy, whether it is there yet or not.  The caller frees; NULL: not
 * known.
 */
char *tb_daemon_cpuset(void);

/*
 * In slurmstepd, by any thread: is its step suspended, or about to be?
 */
bool tb_slurm_step_is_suspended(void);

/*
 * Of any step, bound or not: who it is, how many tasks it has here, the OS CPUs
 * of its job here, and the directory in which its job's cgroups are, "" where
 * that is not known.  The caller frees; NULL: out of memory.
 */
struct tb_registry_id tb_slurm_step_id(const tb_slurm_step_t *step);
unsigned tb_slurm_step_tasks(const tb_slurm_step_t *step);
char *tb_slurm_job_os_cpus(const tb_slurm_step_t *step);
char *tb_slurm_job_cgroup(tb_slurm_step_t *step);

/* Its number in the step, of all nodes. */
uint32_t tb_slurm_task_number(const tb_slurm_step_t *step, uint32_t task);
pid_t tb_slurm_task_pid(tb_slurm_step_t *step, uint32_t task);
/* In the task: which one it is on this node. */
uint32_t tb_slurm_task_id(tb_slurm_step_t *step);
void tb_slurm_task_setenv(tb_slurm_step_t *step, const char *name,
			  const char *value); /* NULL: unset */

/*
 * Slurm's cpuset cgroups of user, job and step.  Opening makes them where they
 * are not there yet and counts as one use; when task/cgroup does not constrain
 * cores it also writes the CPUs, lists of OS CPUs, and the memory of the step, a
 * list of OS nodes (empty: all), and puts slurmstepd, so all that it starts, into
 * the step's.  0, or -1 with a sentence in err.  In both cases the caller closes
 * once.  They are removed when the last user closes.
 */
int tb_slurm_cpusets_open(tb_slurm_step_t *step, const char *job_cpus,
			  const char *step_cpus, const char *step_mems,
			  struct tb_error *err);
/*
 * After that, of a step whose cores are other ones than were picked for it: task/cgroup
 * may have written those already.  0, or -1 with a sentence in err.
 */
int tb_slurm_cpusets_move(tb_slurm_step_t *step, const char *step_cpus,
			  const char *step_mems, struct tb_error *err);
void tb_slurm_cpusets_close(void);
/*
 * The cpuset cgroups, as paths from the root of their hierarchy, of the step,
 * whether it is there yet or not, and of all that Slurm has on the node.  The
 * caller frees.  -1 with a sentence in err.
 */
int tb_slurm_step_cgroups(tb_slurm_step_t *step, char **top, char **cgroup,
			  struct tb_error *err);
/*
 * cgroup v1: the directory of all that Slurm has on the node, and of the step, in the
 * hierarchy of a controller, whether there are such or not.  The caller frees; NULL:
 * not known.
 */
char *tb_slurm_top_directory(const char *controller);
char *tb_slurm_step_directory(tb_slurm_step_t *step, const char *controller);
/* cgroup v2: the step's; NULL also with v1. */
char *tb_slurm_step_directory_v2(tb_slurm_step_t *step);
/* A name of the step, unique on the node.  The caller frees; NULL: no memory. */
char *tb_slurm_step_name(tb_slurm_step_t *step);

/*
 * After tb_slurm_cpusets_open() has failed: is it that CPUs of the job are not there
 * at present?  Then Slurm's other plugins see a core that is there instead, with which
 * they do not fail.  The caller sees to it that no task starts its program.
 */
bool tb_slurm_step_leave_lost(tb_slurm_step_t *step, const char *job_cpus);

/* The node shall get no more jobs, for this reason. */
void tb_slurm_node_drain(const struct tb_error *err);
/*
 * When the hook that calls this then fails, slurmctld puts the batch job back
 * into the queue (with --no-requeue it ends it as failed).  False: the step is no
 * batch script.
 */
bool tb_slurm_batch_requeue(tb_slurm_step_t *step);
/*
 * A step with which its job begins, the batch script or extern, cannot run here now.
 * slurmctld puts the job back into the queue and ends this start of it; no hook fails, so
 * the node stays as it is.  A job that cannot be requeued goes on to its tasks, which
 * fail.  For other steps nothing happens.
 */
void tb_slurm_job_requeue(tb_slurm_step_t *step);

/*
 * Is another step of the job held already, by topobind?  Then it is a bound
 * job, whatever the environment of this step says.
 */
bool tb_slurm_job_is_held(tb_slurm_step_t *step);
/*
 * With cgroup v2: see that a task that has been started is in a cgroup of its
 * own below the step's.  With v1 it stays in the step's.
 */
int tb_slurm_task_cgroup(tb_slurm_step_t *step, uint32_t task,
			 struct tb_error *err);
/* A process from outside joins the step. */
void tb_slurm_cpusets_adopt(pid_t pid);

#endif

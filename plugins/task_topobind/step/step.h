/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step.h - one step on one node, from its request to its held tasks
 *
 * The life of a step in slurmstepd: tb_step_create() before anything runs,
 * tb_step_hold() for each task that is there but has not started its program,
 * tb_step_variables() inside the task, tb_step_destroy() at the end.
 *
 * What goes wrong is kept until the task itself can say so, because then it
 * reaches the user's stderr; an error returned to Slurm earlier would drain
 * the node.  A task whose CPUs have not been set and checked does not run.
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_H
#define TB_TASK_TOPOBIND_STEP_STEP_H

#include <stdbool.h>
#include <sys/types.h>

#include "cgroup/cpu_look.h"
#include "core/base/error.h"
#include "core/request/isolation.h"
#include "core/request/request.h"
#include "core/topology/busy.h"
#include "step_gpus.h"
#include "step_node.h"
#include "step_slots.h"
#include "task_topobind/pe/pe_files.h"
#include "variables.h"

struct tb_step;

struct tb_step_input {
	char *const *env; /* that carries the request */
	unsigned env_count;
	uint32_t job; /* its number, of a part of a heterogeneous job the part's */
	struct tb_step_node_input node;
	const char *job_cores; /* lists of Slurm's cores on this node */
	const char *step_cores;
	unsigned tasks; /* on this node */
	/* NULL: slurmctld has looked at slots when it made the step. */
	const struct tb_step_slots_id *slots;
	/* Of a job that has no request and is bound all the same, or NULL. */
	const struct tb_request *implicit;
	struct tb_memory_policy memory; /* of requests without bmem */
	enum tb_hardness mode;		/* of requests without bmode */
	enum tb_isolation isolation;	/* what the site allows */
	const struct tb_filter *filter; /* of the site, for this node; or NULL */
	bool mem_bind;		   /* Slurm sets a memory policy: --mem-bind */
	bool whole;		   /* a batch script or the like */
	bool shares;		   /* overcommitted */
	unsigned threads_per_core; /* to use; 0 for all */
	/* The node's GPUs and which are the step's; asked where that matters. */
	int (*find_gpus)(void *slurm_step, struct tb_step_gpus *gpus);
	void *slurm_step;
};

/* Does the environment ask for a binding, or try to? */
bool tb_step_is_asked(const struct tb_step_input *input);

/* NULL when out of memory.  The second: of a step that must not run. */
struct tb_step *tb_step_create(const struct tb_step_input *input);
struct tb_step *tb_step_create_failed(const struct tb_error *err);

/* What has gone wrong for the whole step so far; NULL for nothing. */
const struct tb_error *tb_step_error(const struct tb_step *step);
void tb_step_fail(struct tb_step *step, const struct tb_error *err);
/* The next step would fail, too: nobody should be sent to this node. */
void tb_step_blame_node(struct tb_step *step, const struct tb_error *err);
bool tb_step_blames_node(const struct tb_step *step);

/* Is the job to have its CPUs for itself: no; where that can be; or it must not run? */
enum tb_step_isolation {
	TB_STEP_SHARE,
	TB_STEP_TRY_TO_ISOLATE,
	TB_STEP_ISOLATE
};
enum tb_step_isolation tb_step_isolation(const struct tb_step *step);

/* Are the tasks bound in this way?  False after an error. */
bool tb_step_has_instance(const struct tb_step *step,
			  enum tb_instance instance);

/* Files whose names the tasks get; the step removes them at its end. */
void tb_step_give_files(struct tb_step *step, struct tb_pe_files *files);

/* Are there cgroups to be made?  Not on a virtual node, not after an error. */
bool tb_step_is_held(const struct tb_step *step);

/*
 * The OS CPUs of the job and of the step, as lists, without what the site masks.  The
 * caller frees.
 */
char *tb_step_job_cpus(const struct tb_step *step);
char *tb_step_step_cpus(const struct tb_step *step);
/* The OS nodes that the step's memory is limited to; empty: no limit. */
char *tb_step_step_mems(const struct tb_step *step);

/*
 * How busy the job's units were between two looks: those of its request's kind, without
 * what the site masks.  The caller clears.  -1 with a sentence.
 */
int tb_step_measure(const struct tb_step *step,
		    const struct tb_cpu_look *before,
		    const struct tb_cpu_look *after, struct tb_unit *unit,
		    struct tb_busy *busy, struct tb_error *err);

/* Slurm's cores that it took for itself on this node, as a list; NULL: it took none. */
const char *tb_step_taken_cores(const struct tb_step *step);

/* Do its tasks spread under load? */
bool tb_step_is_soft(const struct tb_step *step);
/*
 * The OS CPUs of a task, and those to which it may spread, as new sets; NULL when
 * out of memory.
 */
struct tb_bitset *tb_step_preferred(const struct tb_step *step, unsigned task);
struct tb_bitset *tb_step_scope(const struct tb_step *step, unsigned task);
/*
 * The OS CPUs that this step claims from soft-bound tasks of other jobs, and of its
 * own job, as lists; empty: none.  The caller frees.
 */
char *tb_step_kept_from_others(const struct tb_step *step);
char *tb_step_kept_from_own(const struct tb_step *step);

/* In slurmstepd: a task must not run; it says why itself. */
void tb_step_fail_task(struct tb_step *step, unsigned task,
		       const struct tb_error *err);

/* In slurmstepd: hold a task.  -1 with a sentence in err, kept for the task. */
int tb_step_hold(struct tb_step *step, unsigned task, pid_t pid,
		 struct tb_error *err);

/*
 * In the task: set its memory policy.  -1 with a sentence in err when the
 * program must not be started.
 */
int tb_step_prefer(const struct tb_step *step, unsigned task,
		   struct tb_error *err);

/*
 * In the task: what to tell its program.  -1 with a sentence in err when the
 * program must not be started.  The caller clears the variables.
 */
int tb_step_variables(const struct tb_step *step, unsigned task,
		      struct tb_variables *variables, struct tb_error *err);

/* Remove the cgroups of the tasks and free; as tb_task_cpusets_destroy(). */
int tb_step_destroy(struct tb_step *step, struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_controller_private.h - inside the controller of a soft-bound step
 *
 * soft_controller_open.c makes and ends it, soft_controller.c is what its thread
 * does, soft_controller_threads.c is for single threads of the tasks.
 */
#ifndef TB_TASK_TOPOBIND_SOFT_SOFT_CONTROLLER_PRIVATE_H
#define TB_TASK_TOPOBIND_SOFT_SOFT_CONTROLLER_PRIVATE_H

#include <pthread.h>
#include <time.h>

#include "cgroup/cpuset.h"
#include "cgroup/preferred.h"
#include "cgroup/thread.h"
#include "cgroup/usage.h"
#include "common/soft/soft_settings.h"
#include "common/soft/soft_state.h"
#include "common/soft/soft_view.h"
#include "core/soft/soft.h"
#include "soft_controller.h"

/* One cgroup whose CPUs it writes: a task's, or with v2 one above it. */
struct group {
	struct tb_cpuset *cpuset;
	struct tb_bitset *base; /* CPUs that it always has */
	struct tb_bitset *now;	/* what was written last */
};

struct task {
	uint32_t id;	    /* its number in the step */
	struct group group; /* base: the CPUs that it was granted */
	struct tb_bitset *scope;
	struct tb_bitset *said;	     /* that it prefers; NULL: nobody said so */
	struct tb_bitset *preferred; /* now */
	struct tb_usage *usage;
	struct tb_soft soft;
	uint64_t used_us; /* at the sample before */
	pid_t pid;
	bool native;
	/* Those of the kernel, of a native task; NULL: none, or another's. */
	struct tb_preferred_counters *counters;
	struct tb_soft_counts counted;
};

/* A thread of which somebody said what it prefers, inside what its task does. */
struct thread {
	struct tb_thread_id id;
	struct task *task;
	struct tb_bitset *said;
	struct tb_bitset *wanted; /* of these, what its task prefers now */
	struct tb_bitset *kept;	  /* none: it has what its task has */
	struct tb_soft soft;
	uint64_t used_us; /* at the sample before */
};

struct threads {
	unsigned count;
	struct thread *thread;
};

struct tb_soft_controller {
	struct tb_registry *registry;
	struct tb_soft_file *file;
	struct tb_soft_site site; /* as topobind.conf was when it was read last */
	struct tb_conf_soft conf; /* with what was set since */
	bool (*reload)(struct tb_soft_site *site);
	uint64_t look_at_us;	  /* for that, and for the kernel's switch */
	struct tb_conf_soft node; /* what is said of the node as a whole */
	struct tb_conf_soft told; /* of that, to the kernel; if is_told */
	bool is_told;
	bool kernel_off;	   /* its own soft binding is switched off */
	struct tb_soft_view *view; /* NULL: the user sees nothing */
	struct tb_bitset *online;  /* OS CPUs; NULL: not known */
	/*
	 * With v1: the directory in which proctrack/cgroup has the step's processes;
	 * NULL: they are not known.
	 */
	char *processes;
	struct tb_registry_id id;
	unsigned tasks;
	struct task *task;
	struct threads threads;
	/* With v2: of the job, and of the step's processes.  They limit, too. */
	unsigned outers;
	struct group outer[2];
	struct timespec registry_seen;
	enum tb_soft_mode mode;
	bool (*suspended)(void);
	bool was_paused;
	bool failed;  /* the last write did not succeed */
	bool is_said; /* some task has been said to prefer CPUs */
	tb_soft_controller_save_t *save;
	struct tb_soft_counts unsaved; /* since it has saved them */
	uint64_t save_at_us, save_after_us;
	uint64_t sampled_us;
	int proc_stat; /* -1: the load of others has not counted so far */
	unsigned cpus; /* OS CPUs below that number count then */
	uint64_t *cpus_used_us, *cpus_before_us;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool started, ending;
};

/* To count the load of others, too.  0, or -1 with a sentence. */
int tb_soft_controller_open_load(struct tb_soft_controller *s,
				 struct tb_error *err);

/*
 * Take what was set at run time: of the node, the job, the step and its tasks.  What
 * cannot be read stays as it was.
 */
void tb_soft_controller_take_settings(struct tb_soft_controller *s);

/* How tasks are to be treated now; with Soft=no nobody can switch it on. */
enum tb_soft_mode tb_soft_controller_mode(const struct tb_soft_controller *s);

/*
 * Has the kernel's soft binding been switched on or off?  Then the kernel chooses for
 * the tasks from now on, or does no more.
 */
bool tb_soft_controller_watch_kernel(struct tb_soft_controller *s);

/* Has a CPU gone off, or come back?  False when that is not known. */
bool tb_soft_controller_watch_cpus(struct tb_soft_controller *s);

/*
 * Processes that somebody has moved out of the cgroups of their tasks go back: an
 * administrator did, or the kernel, when all CPUs of a cgroup went off.  With v1 only:
 * with v2 they are out of the job then.
 */
void tb_soft_controller_find_processes(struct tb_soft_controller *s);
void tb_soft_controller_confine_again(struct tb_soft_controller *s);

/*
 * Threads: what was said of them; each round, first their load and then, when their
 * tasks have their CPUs, theirs.
 */
void tb_soft_controller_take_threads(struct tb_soft_controller *s,
				     const struct tb_soft_settings *job);
void tb_soft_controller_sample_threads(struct tb_soft_controller *s,
				       uint64_t elapsed_us, bool paused);
void tb_soft_controller_place_threads(struct tb_soft_controller *s);
void tb_soft_controller_clear_threads(struct tb_soft_controller *s);

/* How long CPUs were busy, whoever used them, between the last two samples. */
uint64_t tb_soft_controller_busy_of(const struct tb_soft_controller *s,
				    const struct tb_bitset *cpus);

/* Write what the step's user may see. */
void tb_soft_controller_show(struct tb_soft_controller *s);

/* What the step has counted so far; save what was not saved yet. */
void tb_soft_controller_counts(const struct tb_soft_controller *s,
			       struct tb_soft_counts *counts);
void tb_soft_controller_save(struct tb_soft_controller *s);

/* Start the thread; end it, if it was started. */
int tb_soft_controller_start_thread(struct tb_soft_controller *s,
				    struct tb_error *err);
void tb_soft_controller_stop_thread(struct tb_soft_controller *s);

/*
 * Tell a kernel that does soft binding itself what the tasks prefer: nothing where
 * it is switched off.  0, or -1 with a sentence.
 */
int tb_soft_controller_tell_kernel(struct tb_soft_controller *s,
				   struct tb_error *err);
/* After that, since it is said to all threads: those that prefer others. */
int tb_soft_controller_tell_kernel_threads(struct tb_soft_controller *s,
					   struct tb_error *err);

/*
 * Write the CPUs of all groups as they are wanted now; with the registry locked,
 * so that who takes CPUs comes before or after.  -1 with a sentence.
 */
int tb_soft_controller_apply(struct tb_soft_controller *s,
			     struct tb_error *err);

#endif

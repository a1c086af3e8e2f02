/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_controller.h - the controller of a soft-bound step, a thread in slurmstepd
 *
 * Each interval it samples the load of each task (cgroup/usage.h), asks the core
 * where the task is to run (core/soft/soft.h), and, when that has changed or
 * somebody else has taken or given back CPUs, writes the task's cpuset.  The tasks
 * know nothing of it and never wait for it.
 *
 * Where the kernel has soft binding of its own (cgroup/preferred.h), it only
 * writes the allowed CPUs.
 *
 * It uses less than 0.2% of a CPU at the default interval: what it costs is
 * measured, and when it costs more, for many tasks or processes, it waits longer.
 *
 * libcgroup is used by the thread alone while it runs.
 */
#ifndef TB_TASK_TOPOBIND_SOFT_SOFT_CONTROLLER_H
#define TB_TASK_TOPOBIND_SOFT_SOFT_CONTROLLER_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/conf/conf_soft.h"
#include "common/soft/soft_registry.h"
#include "core/soft/soft.h"

struct tb_soft_controller;

struct tb_soft_controller_task {
	uint32_t id;		     /* its number in the step */
	pid_t pid;		     /* in its cgroup already */
	struct tb_bitset *preferred; /* OS CPUs; the caller's */
	struct tb_bitset *scope;
};

/* What topobind.conf says. */
struct tb_soft_site {
	struct tb_conf_soft step; /* for this step */
	struct tb_conf_soft node; /* for the node, whatever the partition */
};

/*
 * Keep what has been counted since the last time, for who asks when the step is
 * over.  False: it could not be, and is added to the next.
 */
typedef bool tb_soft_controller_save_t(struct tb_registry *registry,
				       uint32_t job,
				       const struct tb_soft_counts *more);

struct tb_soft_controller_input {
	const char *spool_dir;
	struct tb_registry_id id;
	uid_t uid; /* the job's user */
	struct tb_soft_site site;
	/* Set it when it has changed since the last call; false: it has not. */
	bool (*reload)(struct tb_soft_site *site);
	const char *job_cpus; /* lists of OS CPUs of the job and of the step */
	const char *step_cpus;
	unsigned tasks;
	const struct tb_soft_controller_task *task;
	bool (*suspended)(void); /* are the tasks now? */
	/*
	 * At the end, and for a job that is cancelled before it gets there,
	 * after ten seconds, and whenever twice as many have passed.  NULL:
	 * never.
	 */
	tb_soft_controller_save_t *save;
};

/* All tasks are held, none has started.  NULL with a sentence. */
struct tb_soft_controller *
tb_soft_controller_start(const struct tb_soft_controller_input *input,
			 struct tb_error *err);
/* Its end, before that of the cgroups; NULL is fine.  counts are the step's. */
void tb_soft_controller_stop(struct tb_soft_controller *controller,
			     struct tb_soft_counts *counts);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_options.h - which options of Slurm that a job's record has go with a binding
 *
 * The rules are those of combination.h.  slurmctld asks for the record of a job, the
 * command for a job that nobody submits; both tell here what it has.
 */
#ifndef TB_CORE_REQUEST_JOB_OPTIONS_H
#define TB_CORE_REQUEST_JOB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"
#include "request.h"

#define TB_OPTION_NOT_SAID UINT16_MAX

struct tb_job_options {
	/* TB_OPTION_NOT_SAID, or a number. */
	uint16_t tasks_per_core, tasks_per_socket, threads_per_core;
	uint16_t spec_cores, spec_threads;
	bool exclusive;	       /* by itself, not by its partition */
	bool plane, arbitrary; /* its distribution */
	const char *cpus_per_gpu, *gpus_per_socket; /* NULL: not said */
	bool near_devices;			    /* enforce-binding */
	/*
	 * CPUs of each node and of a task, tasks of each node; 0: not said.  Slurm itself
	 * makes those of a node out of the others.
	 */
	uint32_t node_cpus, task_cpus, tasks_of_node;
};

/* Of a job that asks for its binding.  0, or -1 with a sentence. */
int tb_job_options_check(const struct tb_job_options *options,
			 const struct tb_request *request,
			 struct tb_error *err);

/*
 * Does the site's binding of a job that did not ask for one give way to what it asked
 * for?  Not to --ntasks-per-core and --exclusive: its tasks share their units anyway.
 * But it does where the job asks for more CPUs of each node than those of its tasks, by
 * --mincpus or, with MaxMemPerCPU, by its memory.
 */
bool tb_job_options_come_first(const struct tb_job_options *options,
			       const struct tb_request *site);

#endif

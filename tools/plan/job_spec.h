/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_spec.h - what a job asks for: its binding and what else decides on nodes
 */
#ifndef TB_TOOLS_PLAN_JOB_SPEC_H
#define TB_TOOLS_PLAN_JOB_SPEC_H

#include <stdbool.h>

#include "compat/slurm_types.h"

#include "common/job/job_comment.h"
#include "core/plan/asked.h"
#include "core/plan/booked.h"
#include "core/plan/never_cpus.h"
#include "core/plan/node_offers.h"
#include "core/request/request.h"

#include "job_devices.h"

/* Strings are borrowed and NULL when nothing was said. */
struct tb_job_spec {
	struct tb_request request;
	bool implicit; /* the site's request, for all tasks of a node */
	const char *partitions, *required, *excluded; /* lists */
	const char *features, *reservation;
	struct tb_asked asked;	 /* as Slurm has it */
	struct tb_layout layout; /* --sockets-per-node and so on; 0: any */
	unsigned tasks;		 /* slots in all */
	unsigned min_nodes, max_nodes;
	unsigned task_cpus; /* -c; at least 1 */
	uint64_t memory;    /* as Slurm has it, with MEM_PER_CPU; 0: none */
	bool memory_is_set; /* by the job, not by defaults */
	uint64_t gpu_memory; /* MB with each GPU, by the job; 0: it does not say */
	bool gres;	     /* some GRES */
	enum tb_near near;	       /* --gres-flags */
	struct tb_job_devices devices; /* these GRES, owned */
	bool whole_nodes;	       /* --exclusive */
	bool oversubscribe;	       /* --oversubscribe */
	bool heterogeneous;	       /* a part of such a job */
	int64_t minutes;	       /* time limit; -1: none is known */
};

/*
 * Of a job that waits, with what its SystemComment says.  0, or -1 with a sentence;
 * tb_job_spec_clear() is right after both.
 */
int tb_job_spec_of_job(struct tb_job_spec *spec, const job_info_t *job,
		       const struct tb_comment *comment, struct tb_error *err);
void tb_job_spec_clear(struct tb_job_spec *spec);

/* By the flags of a job. */
enum tb_near tb_job_spec_near(uint64_t bitflags);

/* What was asked for as tasks and nodes, with those that were not given. */
void tb_job_spec_complete(struct tb_job_spec *spec);

/* For which each of its nodes must have CPUs. */
struct tb_tasks_of_node
tb_job_spec_tasks_of_node(const struct tb_job_spec *spec);

#endif

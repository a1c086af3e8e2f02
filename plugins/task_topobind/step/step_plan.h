/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_plan.h - which threads of a node the tasks of one step get
 *
 * Pure: from the node's topology, the request and the cores that Slurm has
 * allocated, to one set of logical threads for every task (doc/design.md,
 * "Units" and "Placement").
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_PLAN_H
#define TB_TASK_TOPOBIND_STEP_STEP_PLAN_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/request/request.h"
#include "core/topology/topology.h"

/* What a step asks for and what it has been given on this node. */
struct tb_step_plan_input {
	const struct tb_topology *topology;
	unsigned node_cores;   /* Slurm's cores of the node: positions in... */
	const char *job_cores; /* ...these lists, such as "0-3,8" */
	const char *step_cores;
	const struct tb_request *job;	/* empty when the job has none */
	const struct tb_request *step;	/* of this step alone, or empty */
	bool implicit;			/* job is the site's implicit request */
	struct tb_memory_policy site;	/* of requests without bmem */
	enum tb_hardness site_mode;	/* of requests without bmode */
	const struct tb_filter *filter; /* of the site, for this node; or NULL */
	unsigned tasks;			/* of the step on this node */
	bool whole;  /* a batch script or the like: all that the job has */
	bool shares; /* overcommitted: tasks may share slots */
	/* --threads-per-core and hints: threads of a core to use; 0 for all. */
	unsigned threads_per_core;
};

/*
 * The threads behind a list of Slurm's cores, as a new set.  A core of Slurm
 * is a core of the string or, where the node has as many cores as the string
 * has threads, a thread.  NULL with a sentence in err when it is neither or
 * the list is wrong, or empty.
 */
struct tb_bitset *tb_step_plan_threads(const struct tb_step_plan_input *input,
				       const char *cores, struct tb_error *err);

/* Where memory is: near some threads, and of which kinds (a set). */
struct tb_near {
	const struct tb_bitset *threads; /* NULL: all memory, of any kind */
	unsigned kinds;
};

#define TB_NO_SLOT (-1)

struct tb_step_plan {
	/* Who binds the tasks; a step's own request decides before its job's. */
	enum tb_instance instance;
	struct tb_memory_policy memory; /* of the tasks */
	bool job_is_local;  /* all steps keep to the memory near the job... */
	unsigned job_kinds; /* ...of these kinds */
	enum tb_hardness mode; /* of the tasks */
	char allow;	       /* how far they spread, when that is soft */
	enum tb_hardness job_mode;
	struct tb_bitset *job;	  /* logical threads of the job on this node */
	struct tb_bitset *step;	  /* those of the step */
	struct tb_bitset *masked; /* by the site: no task runs there; or NULL */
	unsigned tasks;
	struct tb_bitset **task; /* those of each task */
	int *slot;		 /* its slot, or TB_NO_SLOT */
	/* The parts of bunit=X:1+C:2: how they are named, and their threads. */
	unsigned nparts;
	char *part_name[TB_PARTS_MAX];
	struct tb_bitset *part[TB_PARTS_MAX];
};

/* 0, or -1 with a sentence in err; tb_step_plan_clear() is right after both. */
int tb_step_plan_make(struct tb_step_plan *plan,
		      const struct tb_step_plan_input *input,
		      struct tb_error *err);
void tb_step_plan_clear(struct tb_step_plan *plan);

/*
 * Where the memory of a task is, by preference or by force, and where its cpuset,
 * or that of its step, constrains it.  The threads are owned by the plan.
 */
struct tb_near tb_step_plan_near(const struct tb_step_plan *plan,
				 unsigned task);
struct tb_near tb_step_plan_constrained(const struct tb_step_plan *plan,
					unsigned task);
struct tb_near tb_step_plan_step_constrained(const struct tb_step_plan *plan);

/* Is memory of GPUs among what its tasks get? */
bool tb_step_plan_has_gpu_memory(const struct tb_step_plan *plan);

/* Take out of threads what the site masks, unless that is all of them. */
void tb_step_plan_drop_masked(const struct tb_step_plan *plan,
			      struct tb_bitset *threads);

/* The threads to which a task may spread, as a new set; NULL: out of memory. */
struct tb_bitset *tb_step_plan_scope(const struct tb_step_plan *plan,
				     const struct tb_topology *topology,
				     unsigned threads_per_core, unsigned task);

/* Can the topology describe a node with that many cores? */
bool tb_step_plan_fits(const struct tb_topology *topology, unsigned node_cores);

#endif

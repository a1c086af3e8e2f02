/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - what a job would get, by Slurm's answer and topobind's placement
 *
 * When and on which nodes a job would start is Slurm's to say: it is asked as
 * by sbatch --test-only.  Which units these are is found by placing the job's
 * slots on the nodes as they are now, as the controller does it.
 */
#ifndef TB_TOOLS_PLAN_PLAN_H
#define TB_TOOLS_PLAN_PLAN_H

#include <time.h>

#include "candidate_way.h"
#include "job_choice.h"
#include "plan_options.h"

enum tb_job_plan_answer {
	TB_JOB_PLAN_NOW,
	TB_JOB_PLAN_LATER,
	TB_JOB_PLAN_WAITS, /* for nodes out of service: later, nobody knows when */
	TB_JOB_PLAN_NEVER,
};

/* A node of a plan for now. */
struct tb_job_plan_node {
	const struct tb_candidate_node *node;
	struct tb_offer offer; /* private */
	unsigned slots;	       /* tasks on it */
	char *grant;	       /* topology, its units in lower case */
};

struct tb_job_plan {
	struct tb_job_spec
		spec;	 /* private: that of the options, bound by the site */
	char *site_line; /* the request that the site added; NULL: none */
	enum tb_job_plan_answer answer;
	time_t start;
	char *nodes, *partition;     /* where */
	struct tb_candidate_way way; /* private: of the units */
	/* Slurm's sentence, and what units are missing; WAITS: why no time is known */
	char *why_never;
	bool about_nodes;     /* private: it is about nodes */
	bool units_are_known; /* private: tb_candidates_units_unknown() */
	uint32_t *preempted;  /* jobs to preempt for it */
	unsigned npreempted;
	/*
	 * Later only by Slurm's guess of how long jobs take that wait in the
	 * partition: there are units for it now.  How many jobs these are.
	 */
	unsigned waiting;
	/* Units, when there are some now and a binding is asked for. */
	struct tb_job_plan_node *placed;
	unsigned nplaced;
	char *why_unplaced; /* why there are none, for now; NULL: they are there */
	struct tb_cluster *cluster;
	struct tb_job_choice choice;	  /* none: no binding is asked for */
	struct tb_candidates *candidates; /* those of what is placed, or NULL */
	char *alternative; /* which one that is; NULL: there are none */
};

/*
 * Ask.  options outlives the plan; slurm_init() comes before.  -1 with a
 * sentence; tb_job_plan_clear() is right after both.
 */
int tb_job_plan_make(struct tb_job_plan *plan, struct tb_plan_options *options,
		     struct tb_error *err);
void tb_job_plan_clear(struct tb_job_plan *plan);

#endif

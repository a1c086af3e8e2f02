/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidates.h - the nodes that a job may use, what is free there, and who holds
 * the rest until when
 *
 * Made of what Slurm's controller tells (cluster.h) and of what a job asks for
 * (job_spec.h), for lib/core/plan/blockers.h to say what is missing.  They know
 * what this user may see: what nobody who is shown holds is held by TB_HIDDEN.
 *
 * Units, and devices; which of these are near which units nodes show
 * (candidate_pools.h).  A node that is short of memory counts as one that may be used,
 * and is asked about with candidates_if.h.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATES_H
#define TB_TOOLS_PLAN_CANDIDATES_H

#include "candidate_nodes.h"

/* Who holds something; the first one stands for all that are not shown. */
enum { TB_HIDDEN = 0 };
struct tb_holder {
	char *id, *user;       /* NULL: hidden */
	const job_info_t *job; /* NULL: hidden */
};

struct tb_candidates {
	struct tb_job_spec *spec;
	const struct tb_cluster *cluster;
	const partition_info_t *partition; /* tb_candidate_partition() */
	unsigned share; /* so many of its jobs may have a unit */
	struct tb_candidate_node *nodes;
	unsigned nnodes;
	struct tb_holder *holders;
	int64_t *ends; /* by holder */
	unsigned nholders;
	struct tb_part *parts; /* who else has parts of GPUs that holders have */
	unsigned nparts;
	struct tb_need need;
	bool spares; /* SpareDevices=yes: at first nothing that is near a device */
	struct tb_used_node *open; /* nodes that are not closed */
	unsigned nopen;
	bool required_closed; /* a node that the job requires is */
	bool required_out;    /* for the state of such nodes only */
	struct tb_blockers *blockers;
	/* The same where memory that others hold counts; NULL: none does. */
	struct tb_need memory_need;
	struct tb_blockers *memory_blockers;
};

/* What they are made of.  NULL with a sentence. */
struct tb_cluster *tb_candidates_load_cluster(struct tb_error *err);

/*
 * cluster (of tb_candidates_load_cluster()) and spec must outlive them.  Of an implicit
 * spec the amount is set: as many units as hold a task.  NULL with a sentence.
 */
struct tb_candidates *tb_candidates_create(const struct tb_cluster *cluster,
					   struct tb_job_spec *spec,
					   struct tb_error *err);
void tb_candidates_destroy(struct tb_candidates *candidates); /* NULL is fine */

/*
 * As many as one slot, or the host, needs; of an implicitly bound job: one task on this
 * node.
 */
unsigned tb_candidates_needed_units(const struct tb_candidates *candidates,
				    const struct tb_candidate_node *node);

/*
 * tb_blockers_room(), tb_blockers_fits() and tb_blockers_find() of its nodes, the last
 * one with the memory that others hold.
 */
unsigned tb_candidates_room(const struct tb_candidates *candidates,
			    const struct tb_candidate_node *node);
bool tb_candidates_fits(const struct tb_candidates *candidates);
bool tb_candidates_find(struct tb_candidates *candidates,
			struct tb_bitset *ended, int64_t *when);

/* Does the memory that others hold count on the NUMA nodes of the job's units? */
bool tb_candidates_memory_is_local(const struct tb_candidates *candidates);

#endif

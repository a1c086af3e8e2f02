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
 * (candidate_pools.h).  A node that is short of memory counts as one that may be used, and is asked
 * about with tb_candidates_have_memory().
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
 * cluster (of tb_candidates_load_cluster()) and spec must outlive them.  Of an implicit spec the amount is set: as many units as hold a task.
 * NULL with a sentence.
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
/*
 * Why only slurmctld knows whether there are devices, too, for a job that fits: "whether
 * they are near free GRES".  NULL: it is known.
 */
const char *tb_candidates_unknown(const struct tb_candidates *candidates);
/*
 * Why it is not known which units the controller gives: it first says how many devices
 * each node has, for example.  NULL: it is.
 */
const char *tb_candidates_units_unknown(const struct tb_candidates *candidates);
/* Would they fit if there were devices for them? */
bool tb_candidates_have_units(const struct tb_candidates *candidates);
/* Do they fit on nodes that are not short of memory? */
bool tb_candidates_have_memory(const struct tb_candidates *candidates);
/* A node with a topology, as if nobody used it. */
struct tb_used_node tb_candidate_idle(const struct tb_candidate_node *node);

/*
 * Could they ever, were the nodes back that are out of service?  False where there
 * are none.
 */
bool tb_candidates_wait_for_nodes(const struct tb_candidates *candidates);
/* Could they ever, did nobody else have anything there?  True where nobody knows. */
bool tb_candidates_could_ever_fit(const struct tb_candidates *candidates);
/*
 * How these nodes, all of them, would have the job now: an offer for each, in their
 * order, of units that as few others have as can be: fewer than way->share.  False: they
 * cannot.
 */
struct tb_candidate_way {
	unsigned share;
	bool spares; /* nothing is near a device */
};
bool tb_candidates_offer(const struct tb_candidates *candidates,
			 const struct tb_candidate_node *const *nodes,
			 unsigned count, struct tb_offer *offers,
			 struct tb_candidate_way *way);

/* Leave slots of the offer with the node's placer; how many. */
unsigned tb_candidates_place(const struct tb_candidates *candidates,
			     const struct tb_candidate_node *node,
			     const struct tb_offer *offer,
			     struct tb_candidate_way way, unsigned slots);
bool tb_candidates_find(struct tb_candidates *candidates,
			struct tb_bitset *ended, int64_t *when);

#endif

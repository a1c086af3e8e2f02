/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_nodes.h - which nodes a job may use, and if not, why
 *
 * Made of what Slurm's controller tells (cluster.h) and of what a job asks for
 * (job_spec.h).  Who holds what there is left to candidates.h.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_NODES_H
#define TB_TOOLS_PLAN_CANDIDATE_NODES_H

#include "cluster/cluster.h"
#include "core/plan/blockers.h"
#include "job_spec.h"

struct tb_candidate_node {
	const node_info_t *info;
	struct tb_topology *topology; /* NULL: not known */
	struct tb_placer *placer;
	struct tb_books books;
	uint32_t most_cpus;	     /* MaxCPUsPerNode; UINT32_MAX: none */
	struct tb_bitset *inuse;     /* of all jobs */
	struct tb_bitset *masked;    /* by filters (core/place/place.h) */
	struct tb_bitset *system;    /* for the system: no job has them, ever */
	struct tb_bitset *reserved;  /* these, lost ones, reserved ones */
	struct tb_holder_job *holds; /* their threads and units are owned */
	unsigned nholds;
	/*
	 * Units of the request (of a list of CPUs: threads) that jobs can have,
	 * those that are free, and how many each hold takes.
	 */
	unsigned units, free_units;
	unsigned *held_units;
	bool required;
	char *closed;	     /* why the job cannot have it; NULL: it may */
	bool outside;	     /* it is closed for what the job says of nodes */
	bool for_now;	     /* it is closed, and may be open some other time */
	bool out_of_service; /* it is closed for its state only */
	char *reserved_by;   /* "a, b": reservations of others; NULL: none */
	bool devices_reserved; /* in some, that of the job included, are GRES */
	bool has_lost;	   /* some are lost: jobs cannot have them at present */
	char *note;	   /* that something is short there; NULL: it is not */
	bool lacks_memory; /* that is memory, or that, too */
	/* MB: for each CPU, 0: none is counted; there, and of it free. */
	uint64_t cpu_memory, memory, free_memory;
	/*
	 * MB that the job needs there, whatever slots it has.  counts_memory: it is short
	 * until those end who hold it, on whatever NUMA nodes.
	 */
	uint64_t least_memory;
	bool counts_memory;
	/* It is of NUMA nodes: what a job needs there, and these; NULL: it is not. */
	struct tb_memory_need local_need;
	struct tb_candidate_numa *numa;
	uint32_t *devices; /* of each kind that the job asks for; NULL: none */
	struct tb_candidate_pools *pools; /* where these are; NULL: none */
	unsigned open; /* index among those that are not closed */
};

/*
 * All nodes of the cluster, as many as it has records: without holds, and what
 * holds tell.  spec and cluster must outlive them.  NULL with a sentence.
 */
struct tb_candidate_node *
tb_candidate_nodes_create(const struct tb_job_spec *spec,
			  const struct tb_cluster *cluster,
			  struct tb_error *err);
void tb_candidate_nodes_destroy(struct tb_candidate_node *nodes,
				unsigned nnodes); /* NULL is fine */

/* A node with a topology, as it is, and as if nobody used it; borrows from it. */
struct tb_used_node tb_candidate_used(const struct tb_candidate_node *node);
struct tb_used_node tb_candidate_idle(const struct tb_candidate_node *node);

#endif

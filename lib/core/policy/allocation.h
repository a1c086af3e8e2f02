/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * allocation.h - node allocation policies: which nodes a job gets of those that
 * could run it (doc/design.md, "Policies")
 *
 * A policy puts the candidate nodes into an order and says how many of the first
 * ones could hold the job.  The caller offers that many nodes, and more of them
 * as long as they do not suffice.
 */
#ifndef TB_CORE_POLICY_ALLOCATION_H
#define TB_CORE_POLICY_ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

struct tb_network;

enum tb_allocation {
	TB_ALLOCATE_SLURM, /* no order, except for preferences */
	TB_ALLOCATE_FIRSTAVAILABLE,
	TB_ALLOCATE_LASTAVAILABLE,
	TB_ALLOCATE_CPULOAD,
	TB_ALLOCATE_MINRESOURCE,
	TB_ALLOCATE_CONTIGUOUS,
	TB_ALLOCATE_MAXBALANCE,
	TB_ALLOCATE_FASTEST,
	TB_ALLOCATE_PRIORITY,
	TB_ALLOCATE_BESTFIT,
	TB_ALLOCATE_BESTTOPOLOGY,
	/*
	 * Plain jobs SLURM.  Bound ones by weight, then on few nodes as near each
	 * other and breaking up as few containers as possible.
	 */
	TB_ALLOCATE_DEFAULT,
	TB_ALLOCATIONS, /* those with names */
	/* Slurm's LLN: nobody asks topobind for it by name. */
	TB_ALLOCATE_LEASTLOADED = TB_ALLOCATIONS,
	/* One of the site's own, as topobind.conf says: "plugin:NAME". */
	TB_ALLOCATE_PLUGIN
};

#define TB_ALLOCATION_PLUGIN "plugin:"
/* Longest NAME, in bytes. */
#define TB_ALLOCATION_PLUGIN_MAX 64

/* In capitals. */
extern const char *const tb_allocation_names[TB_ALLOCATIONS];
/* All of them, for messages: "SLURM, FIRSTAVAILABLE, ...". */
extern const char tb_allocation_list[];

/* The policy of a name, in upper or lower case.  False: there is none. */
bool tb_allocation_parse(const char *name, enum tb_allocation *policy);

/*
 * NAME of "plugin:NAME", also where it does not fit; NULL: it is something else.  What
 * fits has a to z, 0 to 9 and _, at least one of them.
 */
const char *tb_allocation_plugin(const char *policy);
bool tb_allocation_plugin_fits(const char *name);

/* Does it look at how the job's placement fits a node (diameter, broken, left)? */
bool tb_policy_looks_at_fit(enum tb_allocation policy);

/* No reservation follows. */
#define TB_GAP_NONE INT64_MAX

/* One node that could run the job, or a part of it. */
struct tb_candidate {
	uint32_t node;	/* its place in Slurm's order */
	uint64_t holds; /* how much of the job, in tasks or in CPUs */
	uint64_t most; /* it is never given more than that; UINT64_MAX: who knows */
	bool required;	  /* the job cannot do without it */
	double preferred; /* the part of the job's preferences that it meets */
	/*
	 * Seconds from the job's end to the next reservation of the node, or
	 * TB_GAP_NONE; below 0 when the job would run into it.
	 */
	int64_t gap;
	double idle; /* CPUs minus load, and minus those of jobs that began since */
	/* Slurm's weight of the node, and the part of its cores that is free. */
	double weight, free;
	/* The sum of configured resources, each as a part of the largest node's. */
	double size;
	double speed;  /* 0: not known */
	double chance; /* a random number, 0 to 1 */
	double priority; /* what the priority function says, or the site's plugin */
	/* What the job's placement does to the node: fragmentation.h. */
	int32_t broken; /* so many more containers are broken up */
	uint32_t left;	/* CPUs (bound jobs: threads) left free */
	uint64_t diameter;
	/* Memory and local disk that are free, each as a part of the largest node's. */
	double rest;
};

struct tb_node_need {
	uint64_t amount;     /* in the unit of holds */
	uint32_t nodes;	     /* at least so many nodes */
	uint32_t most_nodes; /* at most; 0: any number */
	/* Slurm knows which nodes are near each other, and chooses several. */
	bool has_switches;
	/* For CONTIGUOUS: all nodes of the cluster (network.h); NULL: no switches. */
	const struct tb_network *network;
};

/* How much each of the fewest nodes holds; less is left for the last one. */
uint64_t tb_node_need_share(const struct tb_node_need *need);

/*
 * Order the candidates.  Required nodes come first, then those that meet more of
 * the job's preferences, except with PRIORITY, where the function says what they
 * are worth.  The same candidates always give the same order, whatever order they
 * come in.  Returns how many of the first ones could hold the job; count when all
 * together cannot, and with DEFAULT on a network with switches when no single one
 * can.  When out of memory, the list does not change: returns count.
 */
uint32_t tb_allocation_order(enum tb_allocation policy,
			     struct tb_candidate *list, uint32_t count,
			     const struct tb_node_need *need);

/*
 * Before it is known how the job's placement fits the candidates (broken, left and
 * diameter are 0), which takes long to find out: put those to the front of which it
 * matters, and say how many these are.  tb_allocation_order() of them alone gives
 * the first ones of all, as many as suffice.  count: of all, for each policy but
 * DEFAULT.
 */
uint32_t tb_allocation_leaders(enum tb_allocation policy,
			       struct tb_candidate *list, uint32_t count,
			       const struct tb_node_need *need);

/*
 * How many of the first ones to try when so many did not suffice: twice as many;
 * with SLURM, which has only preferences, all.
 */
uint32_t tb_allocation_widen(enum tb_allocation policy, uint32_t tried,
			     uint32_t count);

/* A random number, 0 <= x < 1, the same for the same seed and node. */
double tb_allocation_chance(uint64_t seed, uint32_t node);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay.h - jobs of the past once more, in virtual time (topobind whatif)
 *
 * Jobs start in the order in which they are submitted.  With backfill those behind the
 * first that waits start before it where that delays no reservation.  Reservations
 * assume that all jobs last as long as their time limits.  Cores are booked whole, as
 * with CR_Core.
 *
 * Bound jobs are placed by the functions that place them in slurmctld, on the nodes of
 * a policy, plain ones as by select/cons_tres (plain.h), of the first ones of a policy.
 * A job has as few nodes as hold its tasks, and no fewer than it asks for.
 */
#ifndef TB_CORE_REPLAY_REPLAY_H
#define TB_CORE_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/policy/allocation.h"
#include "core/request/request.h"
#include "core/topology/locality.h"

/* Times are seconds since any one moment. */
struct tb_replay_job {
	int64_t submit;
	int64_t run;	       /* how long it runs, 0 or more */
	int64_t limit;	       /* less than run: it counts as run */
	uint32_t nodes, tasks; /* at least 1; each node has a task */
	uint32_t task_cpus;    /* at least 1 */
	/* A complete one; NULL: plain.  Borrowed, the same one for jobs alike. */
	const struct tb_request *request;
	bool implicit; /* its amount is what task_cpus make (plan/implicit.h) */
};

/* Nodes of one shape have the same topology.  Borrowed. */
struct tb_replay_cluster {
	const struct tb_topology *const *topologies; /* by node */
	unsigned nnodes;
};

#define TB_REPLAY_NEVER INT64_MIN

struct tb_replay_start {
	int64_t start;	       /* TB_REPLAY_NEVER: no empty cluster holds it */
	uint32_t cores;	       /* of all its nodes */
	struct tb_locality l3; /* likewise, without strangers */
};

struct tb_replay_totals {
	int64_t first, last; /* submission and end */
	double core_seconds; /* of jobs */
	/* Containers that are broken, each as long as it is so. */
	double broken_seconds;
	uint64_t cores, containers; /* of the cluster */
};

/* What a job that does start has waited for: seconds of each. */
struct tb_replay_why {
	unsigned job;
	int64_t cores;	/* others needed them, bound or not */
	int64_t spare;	/* others had them only as parts of whole units */
	int64_t broken; /* enough were free, but not as whole units */
	int64_t order;	/* it had room, but would have delayed others */
};

/* A grant, when a job gets it, and when it gives it back. */
typedef void tb_replay_watch(void *arg, unsigned job, unsigned node,
			     const struct tb_bitset *threads, int64_t now,
			     bool begins);

enum tb_backfill {
	TB_BACKFILL_EASY, /* the first that waits has one: when so much is free */
	/*
	 * The first ones have one: where and when the same cores are free for all of
	 * their time limits.  It only ever moves to an earlier time.
	 */
	TB_BACKFILL_CONSERVATIVE,
	TB_BACKFILL_NONE,
	/* As Slurm's sched/backfill does (slurm.c): of the first ones, with whole nodes. */
	TB_BACKFILL_SLURM,
};

/*
 * Which nodes jobs get.  Memory, of nodes and of jobs, is in proportion to CPUs.  None has
 * reservations, and no load, preference or priority is known: with CPULOAD, PRIORITY and
 * plugins all nodes are alike.
 */
struct tb_replay_policy {
	enum tb_allocation nodes;
	const double
		*speeds; /* by node, 0 where it is not known; NULL: of none */
};

struct tb_replay_options {
	enum tb_backfill backfill;
	const struct tb_replay_policy *policy; /* NULL: DEFAULT */
	/*
	 * Of plain tasks of several CPUs: the last free cores of a node that are too
	 * few for one more do not count, as with Slurm 23.11 and later.
	 */
	bool whole_tasks;
	/* A plain job of one task gets the first node, as with Slurm 26.05 and later. */
	bool first_node;
	/*
	 * Of TB_BACKFILL_SLURM: plain jobs are asked for in a span of time, and promises
	 * end at whole minutes behind the time limit, not before it, as with Slurm 24.11
	 * and later.
	 */
	bool bounded_looks;
	/*
	 * As many waiting jobs are looked at behind the first one, or have a
	 * reservation.
	 */
	unsigned depth;
	tb_replay_watch *watch; /* NULL: none */
	/* The reservation of a job whenever it gets one, not as Slurm; NULL: none. */
	void (*reserved)(void *arg, unsigned job, int64_t at);
	/* At the end of each percent of the history; NULL: none. */
	void (*progress)(void *arg, unsigned percent);
	void *arg;
	/*
	 * What these wait for.  When all of them have started, time ends: starts and
	 * totals are then not those of the whole history.
	 */
	struct tb_replay_why *whys;
	unsigned nwhys;
};

/*
 * jobs are sorted by submit.  Fills in a start for each.  -1 when out of memory.
 */
int tb_replay(const struct tb_replay_cluster *cluster,
	      const struct tb_replay_job *jobs, unsigned njobs,
	      const struct tb_replay_options *options,
	      struct tb_replay_start *starts, struct tb_replay_totals *totals);

#endif

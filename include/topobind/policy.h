/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topobind/policy.h - a node allocation policy of the site's own, in C
 *
 * NodeAllocationPolicy=plugin:NAME in topobind.conf: slurmctld loads
 * topobind_policy_NAME.so from PluginDir and asks it for the score of each node that
 * could run a job.  The nodes with the highest scores are the first to be tried.
 * topobind_policy(7) says what a plugin may do.
 *
 * The file has one symbol for topobind:
 *
 *	const struct topobind_policy topobind_policy = {
 *		.version = TOPOBIND_POLICY_VERSION,
 *		.score = score,
 *	};
 *
 * Structures only grow at their ends; a plugin that was built with an older header of
 * the same version goes on.  This header needs C11 and nothing else.
 */
#ifndef TOPOBIND_POLICY_H
#define TOPOBIND_POLICY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TOPOBIND_POLICY_VERSION 1

/* A job.  Texts are never NULL; all is valid during a call only. */
struct topobind_policy_job {
	size_t size; /* of this structure, as topobind knows it */
	uint32_t id; /* 0: there is none yet */
	uint32_t user;
	const char *name, *partition, *account;
	const char *binding; /* "bunit=X,bamount=1"; "": it has none */
	uint64_t amount;     /* tasks of a bound job, CPUs of another one */
	uint32_t min_nodes, max_nodes; /* max_nodes 0: any number */
	int64_t start, end;	       /* s since 1970, if it starts then */
};

/*
 * A node.  Numbers that are not known are NaN, as some always are to commands; all else
 * is in the units of topobind_policies(7).
 */
struct topobind_policy_node {
	size_t size;	      /* of this structure, as topobind knows it */
	uint32_t index;	      /* in Slurm's order */
	uint32_t is_required; /* 1: the job asks for it by name */
	const char *name;
	const char *features; /* those that are active: "fast,batch" */
	const char *gres;     /* as configured: "gpu:4" */
	const char *extra;    /* its Extra field */

	/* What it has, and what no running job has: CPUs and MB. */
	double cpus, free_cpus;
	double memory, free_memory;
	double swap_and_memory, free_swap_and_memory;
	double disk, free_disk;

	double load;
	double weight; /* Slurm's; the lowest are to be the first */
	double running_jobs, suspended_jobs;
	double is_on; /* 1 or 0 */

	/* topobind.conf: MHz, Cost=, Priority= */
	double speed, cost, priority;

	/* Reservations: s in the next 60 days, s from the job's end to the next one. */
	double free_time, gap;
	double reservation_affinity; /* 1: the job's own, -1: of others, 0: none */

	/* What was learned. */
	double usage; /* percent */
	double mtbf;  /* s */
	double application_affinity, application_failure_rate;

	/* 0 to 1: which part of --bprefer it meets; has it the system asked for? */
	double preferred, has_asked_os;
	double free_cpus_of_partition;

	/*
	 * The job there: how much of amount it holds, in units that are free; by how many
	 * more containers are broken up; CPUs (of bound jobs: threads) that are left free;
	 * how far its units are from each other.
	 */
	double holds, broken, left, diameter;
};

struct topobind_policy {
	uint32_t version; /* TOPOBIND_POLICY_VERSION */
	/*
	 * Called once before all others, and at the end; each may be NULL.  init returns
	 * 0, or writes why it cannot go on, a sentence of less than size bytes.
	 */
	int (*init)(char *why, size_t size);
	void (*fini)(void);
	/*
	 * What the node is worth to the job, a finite number: the higher the better.  It
	 * is called under slurmctld's locks: it must return at once, and neither wait,
	 * nor read files, nor call Slurm.
	 */
	double (*score)(const struct topobind_policy_job *job,
			const struct topobind_policy_node *node);
};

extern const struct topobind_policy topobind_policy;

#ifdef __cplusplus
}
#endif

#endif

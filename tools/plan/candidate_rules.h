/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_rules.h - what a job, its partition and its reservation ask of all nodes
 *
 * Made once for a job, before node after node is looked at.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_RULES_H
#define TB_TOOLS_PLAN_CANDIDATE_RULES_H

#include <time.h>

#include "cluster/cluster.h"
#include "compat/slurm_types.h"
#include "job_spec.h"

struct tb_candidate_rules {
	const struct tb_job_spec *spec;
	const struct tb_cluster *cluster;
	const char *partitions;			     /* a list */
	tb_hostlist_t partition, required, excluded; /* NULL: no such list */
	bool only_required;	/* there is room for no others */
	bool counts_memory;	/* jobs get theirs of what others leave */
	uint64_t memory;	/* as Slurm has it; 0: a node's, all of it */
	bool goes_with_devices; /* it has memory with each of these instead */
	uint32_t most_cpus;	/* MaxCPUsPerNode; UINT32_MAX: none */
	const reserve_info_t *own; /* the job's reservation */
	time_t now, end;	   /* of the job, should it start now */
};

/* clear() is right after it.  spec and cluster must outlive them. */
void tb_candidate_rules_make(struct tb_candidate_rules *rules,
			     const struct tb_job_spec *spec,
			     const struct tb_cluster *cluster);
void tb_candidate_rules_clear(struct tb_candidate_rules *rules);

/* Say why a node is closed, or what is short there.  The first sentence stands. */
__attribute__((format(printf, 2, 3))) void
tb_candidate_say(char **to, const char *format, ...);

bool tb_candidate_is_in(tb_hostlist_t list, const node_info_t *node);

/*
 * The partition that the job asks for, or that of jobs that name none.  NULL: there is
 * no such one, or it names several.
 */
const partition_info_t *
tb_candidate_partition(const struct tb_job_spec *spec,
		       const struct tb_cluster *cluster);

/* What jobs of the partition (NULL: unknown) consume: CR_CORE and so on. */
uint32_t tb_consumed_resources(const struct tb_cluster *cluster,
			       const partition_info_t *partition);

/* Does a job of the partition (NULL: unknown) get memory of what others leave? */
bool tb_candidates_count_memory(const struct tb_cluster *cluster,
				const partition_info_t *partition);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_view.h - a job: what it asked for, and what it has, by node and by task
 *
 * For topobind job: of a number all tasks of an array and all parts of a
 * heterogeneous job.  Its nodes are those of its SystemComment; of a job without
 * a binding, and where a large one has no room there, those of Slurm's books.
 */
#ifndef TB_TOOLS_JOBS_JOB_VIEW_H
#define TB_TOOLS_JOBS_JOB_VIEW_H

#include "common/job/job_comment.h"
#include "common/job/job_hostfile.h"
#include "core/topology/topology.h"

struct tb_conf;

/* What a job has on a node. */
struct tb_job_node {
	char *name;
	struct tb_topology *topology; /* NULL: none is known */
	struct tb_bitset *threads;    /* that the job has; NULL likewise */
	unsigned first_task, tasks;
	struct tb_bitset **slots;  /* of each task: its slot's threads */
	unsigned nslots;	   /* task i of the node has slot i % nslots */
	struct tb_bitset *blocked; /* job_blocked.h; NULL: not known */
};

struct tb_job_view {
	const job_info_t *info;
	char *id; /* "12", "12_3", "12_[4-9]", "12+1" */
	char *user;
	struct tb_comment comment;
	struct tb_request request; /* binds, if comment.request is there */
	struct tb_job_node *nodes; /* none: it waits or is over */
	unsigned nnodes;
};

struct tb_job_views {
	job_info_msg_t *records;
	struct tb_conf *conf; /* topobind.conf of this host; NULL: none */
	struct tb_job_view *jobs;
	unsigned njobs;
};

/*
 * What id names, at least one job; NULL: the jobs that wait of the user who asks, be
 * it none.  NULL with a sentence.
 */
struct tb_job_views *tb_job_views_load(const struct tb_job_id *id,
				       struct tb_error *err);
void tb_job_views_destroy(struct tb_job_views *views); /* NULL is fine */

/* Units of the job's request that have these threads; 0 without a binding. */
unsigned tb_job_view_units(const struct tb_job_view *job,
			   const struct tb_job_node *node,
			   const struct tb_bitset *threads);

#endif

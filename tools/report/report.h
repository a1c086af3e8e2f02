/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - how near to each other the cores of running jobs are, on any cluster
 *
 * Of Slurm's records alone: topobind need not be in use there.  What is measured is
 * core/topology/locality.h.
 */
#ifndef TB_TOOLS_REPORT_REPORT_H
#define TB_TOOLS_REPORT_REPORT_H

#include <jansson.h>
#include <stdint.h>

#include "core/topology/locality.h"
#include "known_topologies.h"
#include "nodes/node_view.h"

/* The kinds of containers, in this order everywhere. */
enum {
	TB_REPORT_X,
	TB_REPORT_N,
	TB_REPORT_S,
	TB_REPORT_KINDS,
};
struct tb_report_kind {
	char letter;
	const char *name;	/* in JSON and in columns */
	const char *one, *many; /* for people */
};
extern const struct tb_report_kind tb_report_kinds[TB_REPORT_KINDS];

/* What a job has of one node, or of all. */
struct tb_report_share {
	unsigned cores;
	struct tb_locality of[TB_REPORT_KINDS];
};

struct tb_report_job {
	const job_info_t *info;
	unsigned nnodes; /* whose topology is known */
	/*
	 * Of no node without a known topology, and Slurm says which cores it has; else
	 * it counts nowhere.
	 */
	bool scored;
	struct tb_report_share all;
};

struct tb_report_node {
	const struct tb_node_view *view;
	char *topology;	     /* NULL: none is known, and no more */
	uint32_t containers; /* with the node itself */
	uint32_t broken;     /* of them */
};

/* What a job has of a node. */
struct tb_report_part {
	unsigned job, node; /* indexes */
	struct tb_report_share has;
};

struct tb_report_total {
	unsigned spanning; /* jobs that touch more than they need */
	unsigned sharing;  /* jobs with strangers in what they touch */
	uint64_t touched, fewest;
	double scores; /* the sum of all jobs' */
	int worst;     /* the job with the lowest; -1: none spans more */
};

struct tb_report {
	struct tb_node_views *views;
	int64_t time;
	struct tb_report_job *jobs; /* that have cores, in Slurm's order */
	unsigned njobs, scored;
	struct tb_report_node *nodes; /* those with a name, in Slurm's order */
	unsigned nnodes, known;
	struct tb_report_part *parts; /* by job, then by node */
	unsigned nparts;
	uint64_t containers, broken; /* of all known nodes */
	struct tb_report_total totals[TB_REPORT_KINDS];
};

/*
 * Of now.  slurm_init() comes before.  warn is told which topologies cannot be right.
 * NULL with a sentence.
 */
struct tb_report *tb_report_load(struct tb_known_topologies *known,
				 void (*warn)(const char *sentence),
				 struct tb_error *err);
void tb_report_destroy(struct tb_report *report); /* NULL is fine */

/* The mean of all scored jobs: 1 is perfect.  1 also where there is none. */
double tb_report_locality(const struct tb_report *report, unsigned kind);

/* "n[3-4]": the nodes without a known topology; malloc()ed, NULL: no memory. */
char *tb_report_unknown_nodes(const struct tb_report *report);

/* report_json.c: the totals, and with rows each job and each node. */
json_t *tb_report_to_json(const struct tb_report *report, bool with_rows);

/* report_text.c: the same for people, on one screen. */
void tb_report_print(const struct tb_report *report, FILE *out);

#endif

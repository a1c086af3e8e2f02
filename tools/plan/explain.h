/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.h - why a job waits, for people and programs: what is missing, node by
 * node, and which jobs would have to end
 */
#ifndef TB_TOOLS_PLAN_EXPLAIN_H
#define TB_TOOLS_PLAN_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

#include "candidates.h"

/* Nodes of which the same is to be said. */
struct tb_explain_row {
	char *nodes;			      /* a node list */
	const struct tb_candidate_node *node; /* the first of them */
};

struct tb_explanation {
	struct tb_candidates *candidates;
	struct tb_explain_row *rows;
	unsigned nrows;
	bool fits;	 /* there are units, and devices, for it now */
	bool has_units;	 /* or would be, were there devices with them */
	bool has_memory; /* if it fits: and memory with them */
	/* Whether there are devices for it then only slurmctld knows; NULL: they are. */
	const char *unknown;
	/* When those in ended have ended, there are, and there is memory with them. */
	bool found;
	int64_t when;
	struct tb_bitset *ended; /* their holders */
};

/* Of candidates, which must outlive it.  -1 when out of memory. */
int tb_explanation_make(struct tb_explanation *explanation,
			struct tb_candidates *candidates);
void tb_explanation_clear(struct tb_explanation *explanation);

/* "2 slots of 1 X unit each": what the job asks for; malloc()ed. */
char *tb_explain_spec(const struct tb_job_spec *spec);
/* Who would have to end, and when that is; one sentence, malloc()ed. */
char *tb_explain_end(const struct tb_explanation *explanation);
/* The table of nodes.  -1 when out of memory. */
int tb_explain_table(const struct tb_explanation *explanation, FILE *out);

/* "2026-11-21T14:05:00", as Slurm prints times; size is TB_TIME_SIZE. */
#define TB_TIME_SIZE 32
void tb_explain_time(int64_t time, char text[TB_TIME_SIZE]);

/* explain_json.c: the same; new references, NULL when out of memory. */
json_t *tb_explain_rows_json(const struct tb_explanation *explanation);
json_t *tb_explain_ended_json(const struct tb_explanation *explanation);
json_t *tb_explain_when_json(int64_t when);
/* Does it fit now, and would it when those in ended have ended?  null: not known. */
json_t *tb_explain_fits_json(const struct tb_explanation *explanation);
json_t *tb_explain_found_json(const struct tb_explanation *explanation);

#endif

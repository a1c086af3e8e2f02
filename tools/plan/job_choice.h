/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_choice.h - a job with alternatives (bunit=X:1|N:1), each with the nodes that it
 * may use and why it waits; any other job is a choice of one
 */
#ifndef TB_TOOLS_PLAN_JOB_CHOICE_H
#define TB_TOOLS_PLAN_JOB_CHOICE_H

#include "explain.h"

struct tb_job_choice {
	unsigned count;
	struct tb_job_spec specs[TB_ALTERNATIVES_MAX]; /* with a plain request */
	char *partitions[TB_ALTERNATIVES_MAX]; /* that of several, or NULL */
	struct tb_candidates *candidates[TB_ALTERNATIVES_MAX];
	/* Of tb_job_choice_explain(). */
	struct tb_explanation explanations[TB_ALTERNATIVES_MAX];
	unsigned nexplained;
};

/*
 * cluster (of tb_candidates_load_cluster()) and spec must outlive it.  -1 with a sentence;
 * tb_job_choice_clear() is right after both.
 */
int tb_job_choice_make(struct tb_job_choice *choice,
		       const struct tb_cluster *cluster,
		       const struct tb_job_spec *spec, struct tb_error *err);
void tb_job_choice_clear(struct tb_job_choice *choice);

/* "X:1"; malloc()ed, NULL also when there is nothing to choose. */
char *tb_job_choice_name(const struct tb_job_choice *choice, unsigned index);

/*
 * "no node has 9 N units (power1 has most: 8)", of alternatives one after the other:
 * what no node has, were it idle; if units are not to blame for one of them, "no node has
 * the 40 CPUs ..." of --ntasks-per-node.  malloc()ed; NULL: nor are these, or out of
 * memory.
 */
char *tb_job_choice_never(const struct tb_job_choice *choice);
/*
 * Where units of a slot are not to blame: "no node holds 12 tasks on CPUs 0-7 ...".  NULL
 * likewise, and of alternatives.
 */
char *tb_job_choice_never_tasks(const struct tb_job_choice *choice);

/*
 * Likewise why all nodes that it may use, did nobody else use them, cannot hold it
 * together; NULL also where nobody knows.
 */
char *tb_job_choice_never_together(const struct tb_job_choice *choice);

/* Why each of them waits.  -1 when out of memory. */
int tb_job_choice_explain(struct tb_job_choice *choice);
/* The one that starts first, by its units, and the first of equal ones. */
const struct tb_explanation *
tb_job_choice_soonest(const struct tb_job_choice *choice);

/* For people: what is asked for, a table and an end for each; note, or NULL, behind it. */
int tb_job_choice_print(const struct tb_job_choice *choice, const char *note);
/*
 * For programs: a list with what is said of each.  NULL also when there is nothing to
 * choose.
 */
json_t *tb_job_choice_json(const struct tb_job_choice *choice);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * learning.h - records the history of the nodes (core/policy/history.h)
 *
 * Called under slurmctld's locks, where nothing else is said.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_LEARNING_H
#define TB_SELECT_TOPOBIND_ORDER_LEARNING_H

#include "compat/select_compat.h"
#include "core/policy/history.h"

/* The node table is new, and the consumption of its nodes. */
void tb_learning_reset(void);
void tb_learning_fini(void);

/* Nodes of the job have other jobs than before. */
void tb_learning_nodes_changed(const job_record_t *job);
/* Its run has ended. */
void tb_learning_job_ended(const job_record_t *job);
/* Note nodes that went down since the last look. */
void tb_learning_look_at_nodes(void);

/* By node: percent of the time; seconds, of those observed, for each failure
   and the one that is to come. */
double tb_learning_usage(uint32_t node);
double tb_learning_mtbf(uint32_t node);
/* By application and node, as in core/policy/history.h. */
struct tb_application tb_learning_application(const job_record_t *job);
double tb_learning_affinity(const struct tb_application *application,
			    uint32_t node);
double tb_learning_failure_rate(const struct tb_application *application,
				uint32_t node);

/* For learning_file.h, without locks. */

/*
 * All that is known, with the time until now of jobs that run; tb_history_parse()
 * reads it.  The caller frees; NULL: nothing is known.
 */
char *tb_learning_print(void);
/* When the first thing was learned that was not printed; 0: there is none. */
time_t tb_learning_news_since(void);
/* What was known before all that is known now; it is owned from now on. */
void tb_learning_add_earlier(struct tb_history *earlier);
void tb_learning_forget(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * learning.h - records the history of the nodes (core/policy/history.h) and saves
 * it in StateSaveLocation
 *
 * Called under slurmctld's locks, but for tb_learning_save(), which has none.
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

/*
 * Write the file in this directory, and read it.  It is read only when nothing is
 * known yet, as what is known is newer.  The log says when it cannot be read.
 */
void tb_learning_save(const char *directory);
void tb_learning_restore(const char *directory);

#endif

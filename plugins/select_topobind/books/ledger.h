/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - which cores are held, by how many jobs
 *
 * It is updated when jobs start, change and end, so that a test never scans the
 * job list.  The entry of a job says what was added for it, so that exactly this
 * is subtracted, even when the job's record has changed since.  The ledger can
 * be rebuilt from the job list at any time.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_LEDGER_H
#define TB_SELECT_TOPOBIND_BOOKS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/select_compat.h"
#include "compat/select_gres.h"
#include "core/base/bitset.h"

/* Forget everything; sized for the present node table. */
void tb_ledger_reset(void);
void tb_ledger_fini(void);

/*
 * Update the entry of a job from its allocation, or remove it.  bound: its cores
 * are granted units; turns: tb_sharing_turns().  Returns whether anything changed.
 */
bool tb_ledger_put(job_record_t *job, bool bound, const void *turns);
bool tb_ledger_remove(const job_record_t *job);
/* How many jobs have left the node, or changed what they hold of it. */
uint32_t tb_ledger_drops(uint32_t node);
bool tb_ledger_has(const job_record_t *job);
/* Does it hold granted units?  Not a job that holds nothing. */
bool tb_ledger_is_bound(const job_record_t *job);

/*
 * Does another job hold a core of this job's allocation, while one of the two
 * is bound, and they take no turns?  Looks at all entries.
 */
bool tb_ledger_clashes(const job_record_t *job, bool bound, const void *turns);

/*
 * Does another job run on a core of this one with which it takes turns, and one of the
 * two is bound?  Looks at all entries.
 */
bool tb_ledger_runs_beside(const job_record_t *job);

/*
 * A view of the ledger, in which jobs can be ended and restored; the ledger itself
 * stays as it is.  A view without ended jobs costs nothing; a copy is made when
 * the first job ends.  The memory of a job ends with it (memory_books.h), also of one
 * that the ledger does not have.  To end or restore a job twice is the same as once.  Jobs
 * may have ended in one view at a time only.
 */
struct tb_view;
struct tb_view *tb_view_now(void);
struct tb_view *tb_view_idle(void); /* as if no job ran */
void tb_view_end_job(struct tb_view *view, const job_record_t *job);
void tb_view_restore_job(struct tb_view *view, const job_record_t *job);
bool tb_view_has_ended(const struct tb_view *view, const job_record_t *job);
void tb_view_destroy(struct tb_view *view); /* NULL is fine */
/* No other view has or had it; 0: it is as if no job ran. */
uint64_t tb_view_number(const struct tb_view *view);

/* The cores of a node that jobs hold; the set has as many as the node. */
void tb_view_taken(const struct tb_view *view, uint32_t node,
		   struct tb_bitset *cores);
/* How many jobs hold this core (logical, of the node)?  Is no core held? */
uint16_t tb_view_core_holders(const struct tb_view *view, uint32_t node,
			      uint32_t core);
bool tb_view_node_idle(const struct tb_view *view, uint32_t node);
/* Which devices jobs of the view have given back; valid as long as the view. */
struct tb_gres_view tb_view_gres(const struct tb_view *view);

/* Call visit for each core that the job holds, or with many of them. */
typedef void (*tb_core_visitor)(uint32_t node, uint32_t core, void *arg);
void tb_ledger_visit(const job_record_t *job, tb_core_visitor visit, void *arg);
/* A bit for each core, from the core 64 * word of the node on; never none. */
typedef void (*tb_cores_visitor)(uint32_t node, uint32_t word, uint64_t cores,
				 void *arg);
void tb_ledger_visit_words(const job_record_t *job, tb_cores_visitor visit,
			   void *arg);

/*
 * Must topobind keep a plain job from the cores of this one?  Those of bound jobs, but
 * not of those that take turns with jobs of the partition turns, nor of those that
 * select/cons_tres itself keeps apart in the partition row (one_row.h); either can be NULL.
 */
bool tb_ledger_is_apart(const job_record_t *job, const void *turns,
			const void *row);
/* All of these, but for jobs in except (may be NULL) and their components. */
void tb_ledger_visit_bound(list_t *except, const void *turns, const void *row,
			   tb_cores_visitor visit, void *arg);
/* And those of all jobs in the row, bound or not: nobody else gets these. */
void tb_ledger_visit_kept(list_t *except, const void *turns, const void *row,
			  tb_cores_visitor visit, void *arg);
/* Of no turns: could there be one? */
bool tb_ledger_has_bound(const void *row);

#endif

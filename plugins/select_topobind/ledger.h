/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ledger.h - which cores are held, by how many jobs
 *
 * Kept up to date as jobs start, change and end, so that a test never scans
 * the job list.  An entry remembers what was added for a job, so that exactly
 * this is taken back, whatever has become of the job since.  All of it can be
 * rebuilt from the job list at any time.
 */
#ifndef TB_SELECT_LEDGER_H
#define TB_SELECT_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/select_compat.h"
#include "compat/select_gres.h"
#include "core/bitset.h"

/* Forget everything; sized for the present node table. */
void tb_ledger_reset(void);
void tb_ledger_fini(void);

/*
 * Make the entry of a job say what its allocation says, or remove it.  bound:
 * its cores are granted units, which no other job may share.  Returns whether
 * anything changed.
 */
bool tb_ledger_put(job_record_t *job, bool bound);
bool tb_ledger_remove(const job_record_t *job);
bool tb_ledger_has(const job_record_t *job);

/*
 * Does another job hold a core of this job's allocation, while one of the two
 * is bound?  Looks at all entries.
 */
bool tb_ledger_clashes(const job_record_t *job, bool bound);

/*
 * A picture of the ledger in which some jobs can be made to have ended, and be
 * put back.  The present state costs nothing; a copy is made when the first job
 * is taken out.  Doing either twice is doing it once; jobs may have ended in one
 * view at a time.
 */
struct tb_view;
struct tb_view *tb_view_now(void);
struct tb_view *tb_view_idle(void); /* as if no job ran */
void tb_view_end_job(struct tb_view *view, const job_record_t *job);
void tb_view_restore_job(struct tb_view *view, const job_record_t *job);
bool tb_view_has_ended(const struct tb_view *view, const job_record_t *job);
void tb_view_destroy(struct tb_view *view); /* NULL is fine */

/* The cores that jobs hold, of a node; the set has the node's cores. */
void tb_view_taken(const struct tb_view *view, uint32_t node,
		   struct tb_bitset *cores);
/* How many jobs hold this core (logical, of the node)?  None any of them? */
uint16_t tb_view_core_holders(const struct tb_view *view, uint32_t node,
			      uint32_t core);
bool tb_view_node_idle(const struct tb_view *view, uint32_t node);
/* Whose devices are free; valid as long as the view. */
struct tb_gres_view tb_view_gres(const struct tb_view *view);

/*
 * Call visit for each core that a job holds, by node and core; for each core of
 * bound jobs, but those in except (may be NULL) and their components.
 */
typedef void (*tb_core_visitor)(uint32_t node, uint32_t core, void *arg);
void tb_ledger_visit(const job_record_t *job, tb_core_visitor visit, void *arg);
void tb_ledger_visit_bound(list_t *except, tb_core_visitor visit, void *arg);
bool tb_ledger_has_bound(void);

#endif

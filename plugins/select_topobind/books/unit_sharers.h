/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_sharers.h - how many of some jobs share the units of the nodes
 *
 * To free a unit, all jobs that hold a core of it must end.  So preemption prefers
 * a job with a unit that few share: where only one holds it, the end of that job
 * frees it; where two hold it, both must end.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_UNIT_SHARERS_H
#define TB_SELECT_TOPOBIND_BOOKS_UNIT_SHARERS_H

#include "compat/select_compat.h"
#include "core/request/request.h"

/* Units of this kind on all nodes.  It has numbers for each core: destroy it soon. */
struct tb_unit_sharers;
struct tb_unit_sharers *tb_unit_sharers_create(struct tb_unit unit);
void tb_unit_sharers_destroy(struct tb_unit_sharers *units); /* NULL is fine */

/* Call it once for each job that counts, for a heterogeneous job by its leader. */
void tb_unit_sharers_add_job(struct tb_unit_sharers *units, job_record_t *job);
/*
 * Of the job's units the one with the fewest sharers: how many these are.
 * UINT32_MAX for a job that holds none of these units.
 */
uint32_t tb_unit_sharers_fewest(struct tb_unit_sharers *units,
				job_record_t *job);

#endif

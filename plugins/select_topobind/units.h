/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units.h - how many of some jobs share the units of the nodes
 *
 * To free a unit all who hold a core of it have to go.  A job's company is how
 * many that are for the unit of its that the fewest share: to preempt a job
 * whose company is 1 frees a unit, or two jobs of 2 have to go.
 */
#ifndef TB_SELECT_UNITS_H
#define TB_SELECT_UNITS_H

#include "compat/select_compat.h"
#include "core/request.h"

/* Units of this kind on all nodes.  Has numbers for each core; destroy soon. */
struct tb_units;
struct tb_units *tb_units_create(struct tb_unit unit);
void tb_units_destroy(struct tb_units *units); /* NULL is fine */

/* Once for each job that counts; a heterogeneous job by its leader. */
void tb_units_add_job(struct tb_units *units, job_record_t *job);
/* UINT32_MAX for a job that holds none of these units. */
uint32_t tb_units_company(struct tb_units *units, job_record_t *job);

#endif

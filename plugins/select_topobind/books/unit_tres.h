/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_tres.h - the whole units of bound jobs in Slurm's books (UnitTRES=yes)
 *
 * The units that a job is granted are counted (core/topology/whole_units.h) when its
 * cores are selected, before slurmctld asks whether limits allow it, and once more when
 * it starts; compat/unit_gres.h puts them where Slurm finds them.  The planner never
 * looks at these counts, and they are never more than what nodes have left in Slurm's
 * books: a count can be too low, or a limit refuse a job, and nothing else.
 *
 * Jobs that get whole nodes (--exclusive) have all GRES of the nodes from Slurm itself.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_UNIT_TRES_H
#define TB_SELECT_TOPOBIND_BOOKS_UNIT_TRES_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"
#include "core/request/request.h"

/* As topobind.conf says, from now on. */
void tb_unit_tres_set(const struct tb_conf *site);

/*
 * A job that waits is asked about: what was counted for it before is forgotten.  -1 with
 * a sentence: it asks for units as if they were devices.
 */
int tb_unit_tres_forget(job_record_t *job, struct tb_error *err);

/*
 * It has been selected cores, or it starts: count them.  The request is the one that
 * it is bound by.
 */
void tb_unit_tres_count(job_record_t *job, const struct tb_request *request);

/*
 * A job that waits is asked about: what it asks for is among its requested TRES, of the
 * unit it names and as far as it is known before its start.  request is NULL for one
 * that is not bound, and for one that the site binds.  anew: its nodes may have
 * changed.
 */
void tb_unit_tres_ask(job_record_t *job, const struct tb_request *request,
		      bool anew);

/*
 * A job with GRES of its own does not start now: slurmctld counts what it asks for anew
 * by its list of these, units too, before it looks whether limits keep it waiting.
 */
void tb_unit_tres_wait(job_record_t *job, const struct tb_request *request);

/*
 * It could start later on these nodes, and backfill looks at limits before it keeps them
 * for it: count what it asks for.  That are not all kinds of unit, and never too many.
 */
void tb_unit_tres_expect(job_record_t *job, const struct tb_request *request,
			 const bitstr_t *nodes);

/* A node was taken from it. */
void tb_unit_tres_resized(job_record_t *job);

/* Around a merge of two jobs; the first loses all its nodes to the other. */
void tb_unit_tres_before_merge(job_record_t *from, job_record_t *to);
void tb_unit_tres_after_merge(job_record_t *to);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit_gres.h - whole units of a job as count-only GRES in Slurm's books
 *
 * gres/socket, gres/numa, gres/l3 and gres/l2 are in a job's list of requested GRES from
 * the selection of its cores on, with what it has of each node; all that follows (TRES,
 * limits, accounting, the end of the job, restarts) is Slurm's own.  Nobody may look for
 * such GRES on nodes: they are off the job while select/cons_tres is asked about it.
 *
 * A unit that no node declares as count-only GRES without types is not counted.
 */
#ifndef TB_COMPAT_UNIT_GRES_H
#define TB_COMPAT_UNIT_GRES_H

#include "core/topology/whole_units.h"
#include "select_compat.h"

/* Does the job itself ask for such GRES, as with --gres=l3:1? */
bool tb_unit_gres_is_asked(const job_record_t *job);

/*
 * A job that waits: off its list of requested GRES.  all: whatever put them there;
 * otherwise only what tb_unit_gres_put() did.
 */
void tb_unit_gres_drop(job_record_t *job, bool all);

/*
 * TRES that a job that waits asks for (ReqTRES), of which slurmctld makes no GRES: so
 * many of each kind.  Of kinds that Slurm does not track nothing is said.
 */
bool tb_unit_gres_is_requested(const job_record_t *job, const uint64_t *counts);
void tb_unit_gres_request(job_record_t *job, const uint64_t *counts);

/* Does the node declare this kind of unit? */
bool tb_unit_gres_is_declared(uint32_t node, unsigned kind);
/* How many of a kind of unit the node has that no job has, as Slurm counts them. */
uint64_t tb_unit_gres_free(uint32_t node, unsigned kind);

/*
 * On to the list: so many of a kind, by node of the job's allocation, of which this one
 * declares them.  The sum is not 0.
 */
void tb_unit_gres_put(job_record_t *job, unsigned kind, uint32_t declaring,
		      const uint64_t *counts, uint32_t nodes);

/* A node was taken from a running job: what is requested is what it still has. */
void tb_unit_gres_follow(job_record_t *job);

/*
 * Jobs that are about to be merged, which Slurm refuses to those with GRES: off their
 * lists, and given back by the nodes.  And for the result after tb_unit_gres_put(): its
 * nodes count them, and it has them.
 */
void tb_unit_gres_give_back(job_record_t *job);
void tb_unit_gres_take(job_record_t *job);

#endif

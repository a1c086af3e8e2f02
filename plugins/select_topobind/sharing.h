/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing.h - who may have a unit that others have (DESIGN.md, section 5)
 *
 * In a partition with OverSubscribe=FORCE:n, or YES:n and --oversubscribe, up
 * to n jobs of this partition may have a unit, as a whole: lib/core/share.h.
 * With PreemptMode=GANG slurmctld lets them take turns.  It does so for each
 * partition alone and not for heterogeneous jobs, and plain jobs may have
 * parts of units: with none of these is a unit ever shared.
 *
 * What is kept here beside the ledger's counts is as which unit a core is
 * held, for nodes on which units can be shared.  It can be rebuilt from the
 * job list at any time.
 */
#ifndef TB_SELECT_SHARING_H
#define TB_SELECT_SHARING_H

#include "compat/select_compat.h"
#include "core/near.h"
#include "core/request.h"

#include "nodes.h"

/* Forget everything; sized for the present node table. */
void tb_sharing_reset(void);
void tb_sharing_fini(void);

/* The ledger has counted the job's cores, or counted them anew. */
void tb_sharing_note(const job_record_t *job);

/* How many jobs may have a unit that this job gets; 1: itself. */
uint16_t tb_sharing_limit(const job_record_t *job);

/*
 * May a job that lost its cores when it was suspended have them again, with
 * those who have them now: as the same units, and no more than the limit?
 */
bool tb_sharing_may_return(const job_record_t *job);

/*
 * What the test's job cannot have of a node, into shape->used; for a test that
 * may share (test->share), shape->held has it for each thread.
 */
void tb_sharing_used(uint32_t node, struct tb_shape *shape,
		     const struct tb_view *view, const struct tb_test *test,
		     const struct tb_request *request);

/* After that: would a larger test->share leave more of the node? */
bool tb_sharing_could_be_more(const struct tb_shape *shape,
			      const struct tb_test *test);

/*
 * After that: tb_place() or tb_place_shared(), as the test may; near devices
 * where near is not NULL.
 */
int tb_sharing_place(struct tb_shape *shape, const struct tb_test *test,
		     const struct tb_request *request, struct tb_near *near,
		     uint32_t slots);

#endif

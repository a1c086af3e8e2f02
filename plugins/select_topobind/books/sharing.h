/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing.h - which units several jobs may hold (doc/design.md, "Sharing")
 *
 * In a partition with OverSubscribe=FORCE:n, or YES:n and --oversubscribe, up
 * to n jobs of this partition may have a unit, as a whole: lib/core/place/share.h.
 * With PreemptMode=GANG slurmctld lets them take turns, and then plain jobs, and jobs
 * with a node for themselves, share with all of them.  It does so for each
 * partition alone and not for heterogeneous jobs: a unit is never shared with jobs of
 * another partition or with heterogeneous jobs.
 *
 * The ledger counts who holds a core.  Here is as part of which unit a core is
 * held, for nodes on which units can be shared.  It can be rebuilt from the job
 * list at any time.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_SHARING_H
#define TB_SELECT_TOPOBIND_BOOKS_SHARING_H

#include "compat/select_compat.h"
#include "core/place/device_affinity.h"
#include "core/request/request.h"

#include "select_topobind/nodes/nodes.h"

#include "ledger.h"

/* Forget everything; sized for the present node table. */
void tb_sharing_reset(void);
void tb_sharing_fini(void);

/* The ledger has counted the job's cores, or counted them anew. */
void tb_sharing_note(const job_record_t *job);

/* Only units, or nodes, that fewer jobs than this have; 0: none is shared. */
void tb_sharing_set_level(struct tb_test *test, uint16_t level);

/*
 * The partition in which the job, which has started or asks, takes turns with all others
 * that do: they never run at the same time on a core.  NULL: it takes none.
 */
const void *tb_sharing_turns(const job_record_t *job);

/*
 * A job lost its cores when it was suspended.  May it have them again, beside the
 * jobs that have them now?  Only as the same units, and within the limit.
 */
bool tb_sharing_may_return(const job_record_t *job);

/*
 * The threads of a node that the test's job cannot have, into scratch->used, and what
 * the site masks for it, into scratch->masked.  For a test that may share
 * (test->share), who holds each thread, into scratch->holders.  Changes scratch->cores.
 */
void tb_sharing_used(uint32_t node, const struct tb_shape *shape,
		     const struct tb_view *view, const struct tb_test *test,
		     const struct tb_request *request,
		     struct tb_scratch *scratch);

/*
 * All of that, but for what a filter masks, as words in scratch->state: two nodes of
 * one shape that have the same are the same to the test.  Changes scratch->cores.
 */
const struct tb_bitset *tb_sharing_state(uint32_t node,
					 const struct tb_shape *shape,
					 const struct tb_view *view,
					 const struct tb_test *test,
					 struct tb_scratch *scratch);

/*
 * For a job that wants all of the node: do fewer jobs have it than test->share_nodes,
 * and share it?  *more is set where only their number is in the way.  Changes scratch.
 */
bool tb_sharing_has_node(uint32_t node, const struct tb_shape *shape,
			 const struct tb_view *view, const struct tb_test *test,
			 bool *more);

/* With these holders: would a larger test->share leave more of the node to the job? */
bool tb_sharing_could_be_more(const struct tb_scratch *scratch,
			      const struct tb_test *test);

/*
 * With these used and masked threads and holders: tb_place_together(), or
 * tb_place_shared() for a test that may share; near devices where affinity is not NULL.
 */
int tb_sharing_place(struct tb_shape *shape, const struct tb_test *test,
		     const struct tb_request *request,
		     struct tb_affinity *affinity, uint32_t slots,
		     const struct tb_scratch *scratch);

#endif

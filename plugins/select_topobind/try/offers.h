/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offers.h - what each candidate node can offer to a bound job
 *
 * lib/core/plan/classes.h says what an offer is, and which are tried together.
 * offer_placement.h places them, offer_sets.h asks several of them.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_OFFERS_H
#define TB_SELECT_TOPOBIND_TRY_OFFERS_H

#include "compat/select_compat.h"
#include "core/base/memo.h"
#include "core/plan/classes.h"
#include "core/request/request.h"

#include "devices.h"
#include "node_memory.h"
#include "partition_limit.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/nodes/nodes.h"

/* The result of a placement on a node; the same for all nodes that are alike. */
struct tb_placed {
	uint32_t slots; /* TB_HOST: 1; 0: nothing fits */
	uint32_t equal; /* of them, from the first on, as large as it */
	uint32_t cpus;	/* of each of these; TB_HOST: of the host's units */
	/* Of all slots, CPUs of the smallest and of the largest; only TB_UNEQUAL. */
	uint32_t least, largest;
	uint32_t runs;		/* struct tb_room */
	struct tb_bitset cores; /* Slurm's */
	uint32_t *taken;    /* of each pool of devices (devices.h), or NULL */
	bool could_be_more; /* with a larger test->share */
	bool lacks_memory;  /* with more on its NUMA nodes more would fit */
	/* Where tb_policy_looks_at_fit(), see core/topology/fragmentation.h. */
	uint64_t diameter;
	int32_t broken;
	uint32_t left; /* threads that nobody has then */
};

struct tb_offers {
	const struct tb_request *request;
	const struct tb_view *view; /* what is taken */
	/* Cores of it are not the job's; NULL: it has nodes as if they were idle. */
	const struct tb_view *held;
	struct tb_offer *list; /* by class, then by node */
	uint32_t count, room;
	bool could_be_more; /* some node, with a larger test->share */
	struct tb_partition_limit *limit; /* NULL: none */
	uint32_t limited; /* offers with fewer slots, or none, for this */
	struct tb_devices *devices;    /* that the job asks for; or NULL */
	struct tb_node_memory *memory; /* that it needs near its units; or NULL */
	uint32_t without_memory; /* nodes with units for it, but not the memory */
	/* The test's: a struct tb_placed by what is taken of a node; or NULL. */
	struct tb_memo *memo;
	const struct tb_filter *filter; /* of the job's partition */
	struct tb_placed last;		/* when it is not remembered */
};

/* The offers of the test's candidate nodes.  The caller destroys. */
struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view);
void tb_offers_destroy(struct tb_offers *offers); /* NULL is fine */

#endif

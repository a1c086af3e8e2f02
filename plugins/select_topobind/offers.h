/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offers.h - what each candidate node can offer to a bound job
 *
 * An offer is a number of slots that a placement on the node found free, all
 * of one size in CPUs.  select/cons_tres can only be asked for one size of task
 * at a time, so offers are taken class by class: those of one size.  A node whose
 * own units differ has more than one: of the first slots that are equally large,
 * and of each size of unit alone, in classes of their own at the end.  Units of
 * hosts may differ in size, as tasks do not come into it: one class.
 */
#ifndef TB_SELECT_OFFERS_H
#define TB_SELECT_OFFERS_H

#include "compat/select_compat.h"
#include "core/memo.h"
#include "core/request.h"

#include "devices.h"
#include "ledger.h"
#include "nodes.h"

/* What a placement on a node came to; the same for all that are alike. */
struct tb_placed {
	uint32_t slots; /* TB_HOST: 1; 0: nothing fits */
	uint32_t equal; /* of them, from the first on, as large as it */
	uint32_t cpus;  /* of each of these; TB_HOST: of the host's units */
	struct tb_bitset cores; /* Slurm's */
	/* For BESTFIT and BESTTOPOLOGY only: core/fit.h, broken containers more. */
	uint32_t diameter;
	int32_t broken;
};

struct tb_offer {
	uint32_t node;
	uint32_t slots; /* TB_HOST: 1 */
	uint32_t cpus;  /* per slot; TB_HOST: of the host's units */
	uint32_t unit_size; /* only these units, see unit_sizes.h; 0: any */
	uint32_t class_rank; /* see offer_order.h */
	const struct tb_placed *placed; /* just these slots; NULL: place again */
};

struct tb_offers {
	const struct tb_request *request;
	const struct tb_view *view; /* what is taken */
	struct tb_offer *list;      /* by class, then by node */
	uint32_t count, room;
	bool could_be_more; /* if units could have more jobs: test->share */
	struct tb_devices *devices; /* near which units are; or NULL */
	/*
	 * The test's, of struct tb_placed, by what is taken of a node; NULL where
	 * more counts: who shares units, which devices are free.
	 */
	struct tb_memo *memo;
	const struct tb_filter *filter; /* of the job's partition */
	struct tb_placed last; /* of a node that is not remembered */
};

/* The offers of the test's candidate nodes.  The caller destroys. */
struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view);
void tb_offers_destroy(struct tb_offers *offers); /* NULL is fine */

/*
 * The class that begins at *next: its offers are [*next, returned); 0 when
 * there is none left.  Call with *next = 0 first, then with what it returned.
 */
uint32_t tb_offers_class(const struct tb_offers *offers, uint32_t next);

/* What to ask for per slot (TB_HOST: per node, at least) in a class. */
uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end);

/* How many tasks an offer holds, when each needs its CPUs. */
uint32_t tb_offer_holds(const struct tb_offers *offers,
			const struct tb_test *test,
			const struct tb_offer *offer);

/*
 * How many tasks the offers [first, end) hold on as many nodes as the job may
 * have, the required ones among them; where these are not all there, on those
 * that are.
 */
uint32_t tb_offers_hold(const struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end);

/* Let the mask allow the cores of those of the offers [first, end) on nodes. */
void tb_offers_allow(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, const bitstr_t *nodes,
		     struct tb_mask *mask);

/*
 * Place slots (TB_HOST: once) on the offer's node, of its unit_size.  The result
 * is valid until the next call.
 */
const struct tb_placed *tb_offers_place(struct tb_offers *offers,
					const struct tb_test *test,
					const struct tb_offer *offer,
					struct tb_shape *shape, uint32_t slots);

/* Let the mask allow these cores of the node. */
void tb_allow_cores(uint32_t node, const struct tb_bitset *cores,
		    struct tb_mask *mask);

#endif

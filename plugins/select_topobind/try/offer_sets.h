/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offer_sets.h - what several offers hold together, and the cores that they allow
 *
 * Offers of a class are neighbours in the list: [first, end).
 */
#ifndef TB_SELECT_TOPOBIND_TRY_OFFER_SETS_H
#define TB_SELECT_TOPOBIND_TRY_OFFER_SETS_H

#include "offers.h"

/*
 * The class that begins at *next: its offers are [*next, returned); 0 when
 * there is none left.  Call with *next = 0 first, then with what it returned.
 */
uint32_t tb_offers_class(const struct tb_offers *offers, uint32_t next);

/* What to ask for per slot (TB_HOST: per node, at least) in a class. */
uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end);

/* How many tasks an offer holds when each gets the CPUs that it asks for. */
uint32_t tb_offer_holds(const struct tb_offers *offers,
			const struct tb_test *test,
			const struct tb_offer *offer);

/*
 * Does a slot (TB_HOST: the host) of the offer need more memory than its node has beside
 * so many MB?  Only where Slurm counts memory, and not by device.
 */
bool tb_offer_lacks_memory(const struct tb_test *test,
			   const struct tb_offer *offer, uint64_t in_use);

/*
 * How many tasks the offers [first, end) hold on as many nodes as the job may
 * have, its required nodes among them.  When some of these offer nothing: on the
 * other required nodes alone.
 */
uint32_t tb_offers_hold(const struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end);

/*
 * Keep of nodes just so many as the job may have, those that hold most, and all that
 * it requires.  False, and nothing changes: there are no more, or they are alike.
 */
bool tb_offers_keep_largest(const struct tb_offers *offers,
			    const struct tb_test *test, uint32_t first,
			    uint32_t end, bitstr_t *nodes);

/* Let the mask allow the cores of those of the offers [first, end) on nodes. */
void tb_offers_allow(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, const bitstr_t *nodes,
		     struct tb_mask *mask);

/* Let the mask allow these cores of the node. */
void tb_allow_cores(uint32_t node, const struct tb_bitset *cores,
		    struct tb_mask *mask);

#endif

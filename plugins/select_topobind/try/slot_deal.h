/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slot_deal.h - how many slots on which nodes, once the nodes are chosen
 *
 * select/cons_tres picks the nodes; on them the tasks of a step are dealt out
 * one by one, round by round, as Slurm lays out a step that does not say how
 * many CPUs a task has.  Slots are dealt out the same way (core/plan/deal.h), so
 * that each task of such a step finds its slot.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_SLOT_DEAL_H
#define TB_SELECT_TOPOBIND_TRY_SLOT_DEAL_H

#include "core/plan/deal.h"

#include "offers.h"

struct tb_slot_deal_part {
	uint32_t node;
	uint32_t unit_size, unequal; /* of the offer */
	bool whole;		     /* likewise */
	uint32_t devices; /* 0: as many as select/cons_tres selects */
};

struct tb_slot_deal {
	uint32_t cpus;	/* of all cores; set by tb_slot_deal_allow() */
	uint32_t least; /* of a node; likewise */
	bool odd;	/* some node's are no multiple of a task's; likewise */
	uint32_t per_slot; /* CPUs; 0 where these differ; likewise */
	bool with_devices; /* dealt out, too, see device_reach.h */
	uint32_t count;
	struct tb_slot_deal_part *parts; /* by node */
	struct tb_dealt *dealt;		 /* to each part; TB_HOST: 1 */
};

/*
 * From the allocation that the job was given out of the offers [first, end).
 * The caller destroys.
 */
struct tb_slot_deal *tb_slot_deal_of_allocation(struct tb_offers *offers,
						const struct tb_test *test,
						uint32_t first, uint32_t end);
void tb_slot_deal_destroy(struct tb_slot_deal *deal); /* NULL is fine */

/* An empty one for up to so many nodes; and a node of it, after those before it. */
struct tb_slot_deal *tb_slot_deal_create(uint32_t nodes);
void tb_slot_deal_add(struct tb_slot_deal *deal, const struct tb_offer *offer,
		      uint32_t slots, uint32_t devices);

/* From now on placements go by the numbers of devices of the deal. */
void tb_slot_deal_begin_devices(const struct tb_slot_deal *deal,
				struct tb_devices *devices);

/* How many devices the node with fewest has. */
uint32_t tb_slot_deal_fewest_devices(const struct tb_slot_deal *deal);

/* Deal the slots out evenly, as far as the offers go; no more than most, 0: all. */
void tb_slot_deal_even_out(struct tb_slot_deal *deal, uint32_t most);

/* Let the mask allow exactly the cores of the deal.  False: it does not fit. */
bool tb_slot_deal_allow(struct tb_slot_deal *deal, struct tb_offers *offers,
			const struct tb_test *test, struct tb_mask *mask);

/* Are the cores of the job's allocation exactly those of the deal? */
bool tb_slot_deal_is_granted(const struct tb_slot_deal *deal,
			     struct tb_offers *offers,
			     const struct tb_test *test);

/*
 * The job has the cores of the deal.  Give it on each node the devices that its
 * units are near.  False: select/cons_tres selected other numbers of devices than
 * the deal was made for, and with these numbers the cores would be others.  The
 * job then keeps the devices that select/cons_tres selected.
 */
bool tb_slot_deal_select_devices(const struct tb_slot_deal *deal,
				 struct tb_offers *offers,
				 const struct tb_test *test);

/*
 * The same, with the numbers of devices that the deal was made for, whatever
 * select/cons_tres has selected.  False: these cannot be had.
 */
bool tb_slot_deal_select_dealt(const struct tb_slot_deal *deal,
			       struct tb_offers *offers,
			       const struct tb_test *test);

/*
 * The cores of the deal: a bit for each core of all nodes.  NULL when they do not fit.
 * The caller frees.
 */
bitstr_t *tb_slot_deal_bits(const struct tb_slot_deal *deal,
			    struct tb_offers *offers,
			    const struct tb_test *test);

/*
 * The cores that the job would get on exactly these nodes, its slots dealt out
 * evenly: a bit for each core of all nodes.  NULL when they do not fit so.  The
 * caller frees.
 */
bitstr_t *tb_slot_deal_cores(const struct tb_test *test,
			     const struct tb_request *request,
			     const struct tb_view *view, bitstr_t *nodes);

#endif

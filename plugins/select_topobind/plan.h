/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - how many slots on which nodes, once the nodes are chosen
 *
 * select/cons_tres picks the nodes; on them the tasks of a step are dealt out
 * one by one, round by round, as Slurm lays out a step that does not say how
 * many CPUs a task has.  Slots are planned the same way, so that each task of
 * such a step finds its slot.
 */
#ifndef TB_SELECT_PLAN_H
#define TB_SELECT_PLAN_H

#include "offers.h"

struct tb_plan {
	uint32_t cpus; /* of all cores; set by tb_plan_allow() */
	bool odd;      /* some node's are no multiple of a task's; likewise */
	uint32_t per_slot; /* CPUs; 0 where these differ; likewise */
	uint32_t count;
	struct tb_plan_part {
		uint32_t node;
		uint32_t unit_size; /* of the offer */
		uint32_t slots; /* TB_HOST: 1 */
		uint32_t most;  /* slots that the node offers */
	} *parts; /* by node */
};

/*
 * From the allocation that the job was given out of the offers [first, end).
 * The caller destroys.
 */
struct tb_plan *tb_plan_of_allocation(struct tb_offers *offers,
				      const struct tb_test *test,
				      uint32_t first, uint32_t end);
void tb_plan_destroy(struct tb_plan *plan); /* NULL is fine */

/* Deal the slots out evenly, as far as the offers go. */
void tb_plan_even_out(struct tb_plan *plan);

/* Let the mask allow exactly the cores of the plan.  False: it does not fit. */
bool tb_plan_allow(struct tb_plan *plan, struct tb_offers *offers,
		   const struct tb_test *test, struct tb_mask *mask);

/* Are the cores of the job's allocation exactly those of the plan? */
bool tb_plan_is_granted(const struct tb_plan *plan,
			struct tb_offers *offers,
			const struct tb_test *test);

/*
 * Of an allocation of the plan: let the job's devices on each node be those that
 * its units are near.  False: with other numbers of devices than were planned
 * with the plan would be another; those stay that select/cons_tres selected.
 */
bool tb_plan_select_devices(const struct tb_plan *plan,
			    struct tb_offers *offers,
			    const struct tb_test *test);

/*
 * The cores that the job would get on exactly these nodes, its slots dealt out
 * evenly: a bit for each core of all nodes.  NULL when they do not fit so.  The
 * caller frees.
 */
bitstr_t *tb_plan_cores(const struct tb_test *test,
			const struct tb_request *request,
			const struct tb_view *view, bitstr_t *nodes);

#endif

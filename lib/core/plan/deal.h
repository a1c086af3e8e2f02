/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deal.h - how many slots, or tasks, each of some nodes gets
 *
 * The controller deals out the slots of a job when its nodes are chosen, and the
 * tasks of a step that do not fit where Slurm put them; "topobind plan" says
 * beforehand what the controller would do, and a host file for MPI has the ranks of
 * Slurm's default layout.  All of them deal as this says, so a task finds its slot
 * on the node where it starts.
 */
#ifndef TB_CORE_PLAN_DEAL_H
#define TB_CORE_PLAN_DEAL_H

#include <stdbool.h>
#include <stdint.h>

struct tb_dealt {
	uint32_t slots; /* that the node has got */
	uint32_t most;	/* that it can have */
	uint32_t least; /* that it must have, for tb_deal_between() */
};

/*
 * One more slot for each node that can have another, in the order of the nodes,
 * again and again, beside what they have.  Returns how many are left over when no
 * node can have more.
 */
uint32_t tb_deal(struct tb_dealt *nodes, uint32_t count, uint32_t slots);

/*
 * Leave each node no more than it can have, and deal out the others.  Returns how
 * many are left over.
 */
uint32_t tb_deal_again(struct tb_dealt *nodes, uint32_t count);

/*
 * Deal out all slots anew: first what each node must have, then one more for each
 * node that has fewest and can have another.  False: there are too few or too many.
 */
bool tb_deal_between(struct tb_dealt *nodes, uint32_t count, uint32_t slots);

/* So many slots, but no more than --ntasks-per-node says; 0: any number. */
uint32_t tb_deal_limit(uint32_t slots, uint32_t per_node);

#endif

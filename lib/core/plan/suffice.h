/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suffice.h - how many slots do nodes hold together?
 *
 * Of nodes that a job can have together, which slurmctld (try/offer_sets.h) and the
 * command (class_search.h) both ask: those that it requires, and of the others those
 * that hold most, up to as many nodes as it may have.
 */
#ifndef TB_CORE_PLAN_SUFFICE_H
#define TB_CORE_PLAN_SUFFICE_H

#include <stdbool.h>
#include <stdint.h>

struct tb_node_slots {
	uint32_t slots;
	bool required;
};

/*
 * required: how many nodes the job requires.  Where some of them are not in the list,
 * the slots of the others of them alone.  Changes the order of the list.
 */
uint64_t tb_most_slots(struct tb_node_slots *list, uint32_t count,
		       uint32_t required, uint32_t max_nodes);

#endif

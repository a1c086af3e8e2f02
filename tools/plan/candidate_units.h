/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_units.h - has a node the units of a job, whatever others have there?
 *
 * Nodes have their topology and what reservations keep of it.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_UNITS_H
#define TB_TOOLS_PLAN_CANDIDATE_UNITS_H

#include "candidate_nodes.h"
#include "candidate_rules.h"

/*
 * Units of the request on a node with a topology that are wholly outside of
 * used; NULL: all that run tasks.
 */
unsigned tb_candidate_node_units(const struct tb_candidate_node *node,
				 const struct tb_request *request,
				 const struct tb_bitset *used);

/* As many as one slot, or the host, needs. */
unsigned tb_needed_units(const struct tb_request *request);

/*
 * Say which threads nobody has, or only the system, or which jobs lost; a node that has
 * another shape than --btopology or a filter of the job's is closed.  -1 with a sentence.
 */
int tb_candidate_mask_units(const struct tb_candidate_rules *rules,
			    struct tb_candidate_node *node,
			    struct tb_error *err);

/*
 * Close the node if it can never have the units of a slot, or a task does not fit into
 * them.  cpus: those of its largest slot; 0: not known, or it has none.  -1 with a
 * sentence when out of memory.
 */
int tb_candidate_check_units(const struct tb_candidate_rules *rules,
			     struct tb_candidate_node *node, unsigned *cpus,
			     struct tb_error *err);

#endif

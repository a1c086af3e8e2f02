/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reach_groups.h - nodes that hold all tasks and devices of a job and lie together
 *
 * A network has nodes in groups: those of a switch, or of a block.  A job can want
 * nodes of few of them.
 */
#ifndef TB_CORE_PLAN_REACH_GROUPS_H
#define TB_CORE_PLAN_REACH_GROUPS_H

#include "reach.h"

/*
 * As tb_reach(), on nodes of the fewest groups, and no more than most.  Of as many
 * groups those with the least numbers, which are below ngroups.
 */
enum tb_reached tb_reach_in_groups(struct tb_reach_node *nodes, uint32_t count,
				   const struct tb_reach_job *job,
				   uint32_t ngroups, uint32_t most);

/*
 * The same of slots alone, which are counted without devices, of any number of nodes:
 * which groups suffice?  All nodes of these have the most slots that they can have.
 */
enum tb_reached tb_reach_few_groups(struct tb_reach_node *nodes, uint32_t count,
				    const struct tb_reach_job *job,
				    uint32_t ngroups, uint32_t most);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * network_groups.h - which nodes lie together: those of a switch, or of a block
 */
#ifndef TB_SELECT_TOPOBIND_TRY_NETWORK_GROUPS_H
#define TB_SELECT_TOPOBIND_TRY_NETWORK_GROUPS_H

#include <stdint.h>

#include "compat/select_compat.h"

/* Begin with zeros; end with tb_network_groups_clear(). */
struct tb_network_groups {
	char **places; /* each group's place in the network */
	uint32_t count;
	uint32_t last; /* that was found: neighbours are mostly of one group */
};

/* The node's group; it is added if it is new. */
uint32_t tb_network_group(struct tb_network_groups *groups, uint32_t node);

void tb_network_groups_clear(struct tb_network_groups *groups);

/*
 * Of so many groups can the job's nodes be: of several blocks Slurm gives it none, of
 * more switches than it says not at once.  0: of any number.
 */
uint32_t tb_job_most_groups(const job_record_t *job);

#endif

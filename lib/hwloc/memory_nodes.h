/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_nodes.h - the memory of NUMA nodes, and of which kind it is
 *
 * Private to lib/hwloc.
 */
#ifndef TB_HWLOC_MEMORY_NODES_H
#define TB_HWLOC_MEMORY_NODES_H

#include "machine_private.h"
#include "survey.h"

/*
 * Tell the machine about the memory of each NUMA node that has some, those without
 * threads included.  -1 with a sentence.
 */
int tb_memory_nodes_add(struct tb_machine *machine,
			const struct tb_survey *survey, struct tb_error *err);

#endif

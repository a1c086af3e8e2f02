/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_memory.h - the memory of a node's NUMA nodes, by its Extra field
 *
 * m_memory=, m_hugepages= and m_memory_inuse= (common/node/node_extra.h); together jobs
 * can have no more than RealMemory less MemSpecLimit, of which each NUMA node has its
 * part (core/place/local_memory.h).
 */
#ifndef TB_TOOLS_CLUSTER_NODE_MEMORY_H
#define TB_TOOLS_CLUSTER_NODE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>
#include <slurm/slurm.h>

/* In MB, for each N object in string order. */
struct tb_node_memory {
	unsigned count;
	uint64_t *sizes;     /* what jobs can have */
	uint64_t *available; /* what of it is free */
	/* Free huge pages, when its slurmd started; NULL: it tells of none. */
	uint64_t *hugepages;
};

/*
 * False, and count is 0: the node says nothing of it, or it makes no sense, or it is not
 * counted.  The caller clears.
 */
bool tb_node_memory_load(const node_info_t *node,
			 struct tb_node_memory *memory);
void tb_node_memory_clear(struct tb_node_memory *memory);

/*
 * "1096/4096,2048/4096": free and all of each; "1096/4096 (512 huge)": and free huge
 * pages.
 */
void tb_node_memory_print(const struct tb_node_memory *memory, FILE *out);

/* An array of objects with total and free, and hugepages where it tells. */
json_t *tb_node_memory_to_json(const struct tb_node_memory *memory);

/* What that printed; false, and count is 0: it is something else. */
bool tb_node_memory_of_json(const json_t *json, struct tb_node_memory *memory);

#endif

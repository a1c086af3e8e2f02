/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_nodes.h"

#include "src/common/macros.h"

bool tb_allocated_node_next(const job_resources_t *granted,
			    struct tb_allocated_node *at)
{
	bitstr_t *nodes = granted ? granted->node_bitmap : NULL;
	uint32_t count = nodes ? MIN(bit_size(nodes), tb_node_count()) : 0;
	const node_record_t *record;

	while (at->next_node < count && !bit_test(nodes, at->next_node))
		at->next_node++;
	if (at->next_node >= count)
		return false;
	at->node = at->next_node++;
	at->index = at->next_index++;
	at->first_core = at->next_core;
	record = node_record_table_ptr[at->node];
	at->next_core += record ? record->tot_cores : 0;
	return true;
}

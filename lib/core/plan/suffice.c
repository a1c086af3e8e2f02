/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suffice.h"

#include <stdlib.h>

/* Required nodes first, then those with most slots. */
static int compare_slots(const void *left, const void *right)
{
	const struct tb_node_slots *a = left, *b = right;

	if (a->required != b->required)
		return a->required ? -1 : 1;
	return a->slots < b->slots ? 1 : a->slots > b->slots ? -1 : 0;
}

/* Mostly they are alike. */
static bool is_in_order(const struct tb_node_slots *list, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (compare_slots(&list[i - 1], &list[i]) > 0)
			return false;
	return true;
}

uint64_t tb_most_slots(struct tb_node_slots *list, uint32_t count,
		       uint32_t required, uint32_t max_nodes)
{
	uint32_t found = 0, end = count < max_nodes ? count : max_nodes;
	uint64_t sum = 0;

	if (!is_in_order(list, count))
		qsort(list, count, sizeof(*list), compare_slots);
	while (found < count && list[found].required)
		found++;
	if (found < required || end < found)
		end = found;
	for (uint32_t i = 0; i < end; i++)
		sum += list[i].slots;
	return sum;
}

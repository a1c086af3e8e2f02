/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Printing topology strings.
 */
#include "topology.h"

#include <stdlib.h>

#include "core/base/text.h"
#include "tree.h"

static bool thread_is_lower(const struct tb_bitset *lower, uint32_t thread)
{
	return lower && tb_bitset_test(lower, thread);
}

static bool threads_are_lower(const struct tb_bitset *lower,
			      struct tb_run threads)
{
	return thread_is_lower(lower, threads.first) &&
	       (threads.count == 1 ||
		tb_bitset_count_range(lower, threads.first, threads.count) ==
			threads.count);
}

/* Of an object with these threads. */
static char node_letter(const struct tb_topology *topology, uint32_t node,
			struct tb_run threads, const struct tb_bitset *lower)
{
	char letter = topology->nodes[node].letter;

	return threads_are_lower(lower, threads) ? tb_lower(letter) : letter;
}

/* Containers are never empty. */
static bool node_is_core(const struct tb_topology *topology, uint32_t node)
{
	return topology->nodes[node].end == node + 1;
}

/* With a letter for each object and thread at most, there is room from the start. */
char *tb_topology_print_compact(const struct tb_topology *topology,
				const struct tb_bitset *lower)
{
	char *text = malloc((size_t)topology->nnodes + topology->nthreads);
	char *at = text;

	if (!text)
		return NULL;
	for (uint32_t i = 1; i < topology->nnodes; i++) {
		struct tb_run run = tb_run_below(topology, i, TB_CLASS_THREAD);

		*at++ = node_letter(topology, i, run, lower);
		if (!node_is_core(topology, i) || run.count == 1)
			continue;
		for (uint32_t t = run.first; t < run.first + run.count; t++)
			*at++ = thread_is_lower(lower, t) ? 't' : 'T';
	}
	*at = '\0';
	return text;
}

char *tb_topology_print_structured(const struct tb_topology *topology,
				   const struct tb_bitset *lower)
{
	struct tb_text text = TB_TEXT_EMPTY;
	uint32_t ends[TB_DEPTH_MAX]; /* of the objects that are open */
	unsigned depth = 0;

	for (uint32_t i = 1; i < topology->nnodes; i++) {
		struct tb_run run = tb_run_below(topology, i, TB_CLASS_THREAD);

		tb_text_add(&text, "(");
		tb_text_add_char(&text, node_letter(topology, i, run, lower));
		ends[depth++] = topology->nodes[i].end;
		for (uint32_t t = run.first;
		     node_is_core(topology, i) && t < run.first + run.count;
		     t++)
			tb_text_add(&text,
				    thread_is_lower(lower, t) ? "(t)" : "(T)");
		for (; depth && ends[depth - 1] == i + 1; depth--)
			tb_text_add(&text, ")");
	}
	return tb_text_take(&text);
}

char *tb_topology_print(const struct tb_topology *topology,
			const struct tb_bitset *lower)
{
	return topology->compact
		       ? tb_topology_print_compact(topology, lower)
		       : tb_topology_print_structured(topology, lower);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reader.h"

#include <string.h>

#include "core/base/text.h"
#include "tree_build.h"

char tb_reader_letter(const struct tb_reader *reader)
{
	return reader->topology->nodes[reader->open[reader->depth]].letter;
}

int tb_reader_open(struct tb_reader *reader, char letter, size_t column,
		   struct tb_error *err)
{
	struct tb_topology *topology = reader->topology;
	struct tb_tree_node *node = &topology->nodes[topology->nnodes];
	bool lower = reader->open_lower[reader->depth] || tb_is_lower(letter);

	if (reader->depth == TB_DEPTH_MAX)
		return tb_fail(
			err,
			"topology string, column %zu: '%c' is nested deeper than %d objects",
			column, letter, TB_DEPTH_MAX);
	memcpy(node->before, reader->begun, sizeof(node->before));
	node->letter = tb_upper(letter);
	node->parent = reader->open[reader->depth];
	reader->begun[tb_class_of_letter(node->letter)]++;
	reader->depth++;
	reader->open[reader->depth] = topology->nnodes++;
	reader->open_lower[reader->depth] = lower;
	return 0;
}

void tb_reader_add_thread(struct tb_reader *reader, bool lower)
{
	uint32_t thread = reader->begun[TB_CLASS_THREAD]++;

	reader->topology->thread_core[thread] = reader->begun[TB_CLASS_CORE] -
						1;
	if (lower || reader->open_lower[reader->depth])
		tb_bitset_set(reader->lower, thread);
}

void tb_reader_close(struct tb_reader *reader)
{
	struct tb_topology *topology = reader->topology;

	topology->nodes[reader->open[reader->depth]].end = topology->nnodes;
	reader->depth--;
}

bool tb_reader_has_thread(const struct tb_reader *reader)
{
	const struct tb_tree_node *core =
		&reader->topology->nodes[reader->open[reader->depth]];

	return reader->begun[TB_CLASS_THREAD] > core->before[TB_CLASS_THREAD];
}

int tb_reader_finish(struct tb_reader *reader, struct tb_error *err)
{
	struct tb_topology *topology = reader->topology;
	struct tb_tree_node *end = &topology->nodes[topology->nnodes];

	/* The totals: as if one more object began after all. */
	memcpy(end->before, reader->begun, sizeof(end->before));
	end->end = topology->nnodes;
	topology->nodes[0].end = topology->nnodes;
	topology->ncores = reader->begun[TB_CLASS_CORE];
	topology->nthreads = reader->begun[TB_CLASS_THREAD];
	if (tb_tree_finish(topology))
		return tb_fail(err, "out of memory");
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numa_memory.h"

#include <stdbool.h>
#include <stddef.h>

#include "number_rows.h"

static struct tb_number_rows make_row(unsigned count)
{
	return (struct tb_number_rows){ 1, count, TB_NUMA_MEMORY_MAX,
					TB_NUMA_MEMORY_TEXT_MAX };
}

uint64_t *tb_numa_memory_parse(const char *text, unsigned count,
			       struct tb_error *err)
{
	const struct tb_number_rows row = make_row(count);
	uint64_t *memory;
	bool failed;

	if (!count) {
		tb_fail(err,
			"the node has no NUMA nodes, so they have no memory; leave this out");
		return NULL;
	}
	memory = tb_number_rows_parse(text, &row, &failed, err);
	if (!memory && !failed)
		tb_fail(err,
			"for the node's %u NUMA nodes this must be %u numbers of MB with a comma between them, such as 64000,64000 for two",
			count, count);
	return memory;
}

char *tb_numa_memory_print(const uint64_t *memory, unsigned count,
			   struct tb_error *err)
{
	const struct tb_number_rows row = make_row(count);
	bool failed;
	char *printed = tb_number_rows_print(memory, &row, &failed, err);

	if (!printed && !failed)
		tb_fail(err,
			"the memory of %u NUMA nodes needs more than %d bytes, or one has too much",
			count, TB_NUMA_MEMORY_TEXT_MAX);
	return printed;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numa_memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* Read a number and move *at behind it; -1: there is none up to the limit. */
static int read_size(const char **at, uint64_t *number)
{
	const char *digit = *at;

	*number = 0;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		*number = *number * 10 + (uint64_t)(*digit - '0');
		if (*number > TB_NUMA_MEMORY_MAX)
			return -1;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	return 0;
}

static int read_sizes(const char *text, unsigned count, uint64_t *memory)
{
	const char *at = text;

	for (unsigned i = 0; i < count; i++)
		if (read_size(&at, &memory[i]) < 0 ||
		    *at++ != (i + 1 == count ? '\0' : ','))
			return -1;
	return 0;
}

uint64_t *tb_numa_memory_parse(const char *text, unsigned count,
			       struct tb_error *err)
{
	uint64_t *memory;

	if (!count) {
		tb_fail(err,
			"the node has no NUMA nodes, so they have no memory; leave this out");
		return NULL;
	}
	/* Each number needs a digit and a separator: allocate no more than that. */
	if ((strlen(text) + 1) / 2 < count)
		goto wrong;
	memory = calloc(count, sizeof(*memory));
	if (!memory) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (read_sizes(text, count, memory) == 0)
		return memory;
	free(memory);
wrong:
	tb_fail(err,
		"for the node's %u NUMA nodes this must be %u numbers of MB with a comma between them, such as 64000,64000 for two",
		count, count);
	return NULL;
}

/* tb_text_add_number() takes smaller ones. */
static void add_size(struct tb_text *text, uint64_t size)
{
	char digits[24];
	char *first = digits + sizeof(digits) - 1;

	*first = '\0';
	do {
		*--first = (char)('0' + size % 10);
		size /= 10;
	} while (size);
	tb_text_add(text, first);
}

char *tb_numa_memory_print(const uint64_t *memory, unsigned count,
			   struct tb_error *err)
{
	struct tb_text text = TB_TEXT_EMPTY;
	bool fits = true;
	char *printed;

	tb_text_add(&text, "");
	for (unsigned i = 0; i < count && fits; i++) {
		if (i)
			tb_text_add_char(&text, ',');
		add_size(&text, memory[i]);
		fits = text.length <= TB_NUMA_MEMORY_TEXT_MAX &&
		       memory[i] <= TB_NUMA_MEMORY_MAX;
	}
	printed = tb_text_take(&text);
	if (!printed) {
		tb_fail(err, "out of memory");
	} else if (!fits) {
		free(printed);
		printed = NULL;
		tb_fail(err,
			"the memory of %u NUMA nodes needs more than %d bytes, or one has too much",
			count, TB_NUMA_MEMORY_TEXT_MAX);
	}
	return printed;
}

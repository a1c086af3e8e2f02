/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_memory.c - see node_memory.h */
#include <stdlib.h>
#include <string.h>

#include "common/node/node_extra.h"
#include "core/place/local_memory.h"
#include "core/topology/numa_memory.h"
#include "node_memory.h"

/* The numbers of a token, *count of them, or of as many as there are; NULL: none. */
static uint64_t *read_token(const node_info_t *node, const char *name,
			    unsigned *count)
{
	size_t length;
	const char *at = tb_extra_find(node->extra, name, &length);
	char *text = at ? strndup(at, length) : NULL;
	uint64_t *numbers;
	unsigned there = 1;

	if (!text)
		return NULL;
	for (const char *c = text; *c; c++)
		there += *c == ',';
	numbers = *count && *count != there
			  ? NULL
			  : tb_numa_memory_parse(text, there, NULL);
	*count = there;
	free(text);
	return numbers;
}

static void subtract_inuse(struct tb_node_memory *memory)
{
	for (unsigned i = 0; i < memory->count; i++) {
		uint64_t size = memory->sizes[i];
		uint64_t used = memory->available[i];

		memory->available[i] = used < size ? size - used : 0;
	}
}

bool tb_node_memory_load(const node_info_t *node, struct tb_node_memory *memory)
{
	uint64_t all = node->real_memory, reserved = node->mem_spec_limit;

	*memory = (struct tb_node_memory){ 0 };
	memory->sizes = read_token(node, TB_EXTRA_MEMORY, &memory->count);
	if (memory->sizes)
		memory->available = read_token(node, TB_EXTRA_MEMORY_INUSE,
					       &memory->count);
	if (!memory->available) {
		tb_node_memory_clear(memory);
		return false;
	}
	tb_numa_memory_limit(memory->sizes, memory->count,
			     all > reserved ? all - reserved : 0);
	subtract_inuse(memory);
	return true;
}

void tb_node_memory_clear(struct tb_node_memory *memory)
{
	free(memory->sizes);
	free(memory->available);
	*memory = (struct tb_node_memory){ 0 };
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_memory.c - see node_memory.h */
#include <inttypes.h>
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
	unsigned count;

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
	count = memory->count;
	memory->hugepages = read_token(node, TB_EXTRA_HUGEPAGES, &count);
	return true;
}

void tb_node_memory_clear(struct tb_node_memory *memory)
{
	free(memory->sizes);
	free(memory->available);
	free(memory->hugepages);
	*memory = (struct tb_node_memory){ 0 };
}

void tb_node_memory_print(const struct tb_node_memory *memory, FILE *out)
{
	for (unsigned i = 0; i < memory->count; i++) {
		fprintf(out, "%s%" PRIu64 "/%" PRIu64, i ? "," : "",
			memory->available[i], memory->sizes[i]);
		if (memory->hugepages)
			fprintf(out, " (%" PRIu64 " huge)",
				memory->hugepages[i]);
	}
}

json_t *tb_node_memory_to_json(const struct tb_node_memory *memory)
{
	json_t *list = json_array();

	for (unsigned i = 0; list && i < memory->count; i++) {
		json_t *json = json_pack("{s:I, s:I}", "total",
					 (json_int_t)memory->sizes[i], "free",
					 (json_int_t)memory->available[i]);

		if (json && memory->hugepages)
			json_object_set_new(json, "free_hugepages",
					    json_integer(
						    (json_int_t)memory
							    ->hugepages[i]));
		json_array_append_new(list, json);
	}
	return list;
}

static bool read_sizes(const json_t *json, struct tb_node_memory *memory)
{
	json_int_t total, available;

	for (unsigned i = 0; i < memory->count; i++) {
		if (json_unpack(json_array_get(json, i), "{s:I, s:I}", "total",
				&total, "free", &available) ||
		    available < 0 || available > total)
			return false;
		memory->sizes[i] = total;
		memory->available[i] = available;
	}
	return true;
}

/* A number for each of them, or for none. */
static bool read_hugepages(const json_t *json, struct tb_node_memory *memory)
{
	if (!json_object_get(json_array_get(json, 0), "free_hugepages"))
		return true;
	memory->hugepages = calloc(memory->count + 1,
				   sizeof(*memory->hugepages));
	for (unsigned i = 0; memory->hugepages && i < memory->count; i++) {
		json_int_t size;

		if (json_unpack(json_array_get(json, i), "{s:I}",
				"free_hugepages", &size) ||
		    size < 0)
			return false;
		memory->hugepages[i] = size;
	}
	return memory->hugepages;
}

bool tb_node_memory_of_json(const json_t *json, struct tb_node_memory *memory)
{
	*memory = (struct tb_node_memory){ .count = json_array_size(json) };
	memory->sizes = calloc(memory->count + 1, sizeof(*memory->sizes));
	memory->available = calloc(memory->count + 1,
				   sizeof(*memory->available));
	if (memory->count && memory->sizes && memory->available &&
	    read_sizes(json, memory) && read_hugepages(json, memory))
		return true;
	tb_node_memory_clear(memory);
	return false;
}

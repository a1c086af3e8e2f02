/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason_memory.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/base/text.h"
#include "core/request/parts.h"
#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/try/offer_placement.h"

/* So many different sizes are told; the rest is "less". */
#define SIZES_TOLD 4

/* Nodes by the most memory that is free on one of their NUMA nodes. */
struct sizes {
	uint64_t *list; /* MiB, one for each node */
	uint32_t count;
	uint64_t needed; /* the most that one slot needs */
};

/* Full gigabytes, or megabytes where there are fewer than two. */
static uint64_t round_down(uint64_t size)
{
	return size >= 2048 ? size / 1024 * 1024 : size;
}

static char *print_size(uint64_t size)
{
	return size && size % 1024 == 0
		       ? xstrdup_printf("%" PRIu64 " GB", size / 1024)
		       : xstrdup_printf("%" PRIu64 " MB", size);
}

/* Of the NUMA nodes that have a core which nobody has. */
static uint64_t find_most_free(const struct tb_local_memory *memory,
			       const struct tb_bitset *taken)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < memory->numa->count; i++) {
		const struct tb_bitset *cores = memory->numa->cores[i];

		if (!tb_bitset_contains(taken, cores) &&
		    memory->available[i] != TB_MEMORY_PLENTY)
			most = MAX(most, memory->available[i]);
	}
	return most;
}

/* The memory of one slot there, if there was enough. */
static uint64_t find_needed(struct tb_offers *offers,
			    const struct tb_test *test, uint32_t node,
			    struct tb_shape *shape,
			    const struct tb_memory_need *need)
{
	struct tb_node_memory *memory = offers->memory;
	struct tb_memo *memo = offers->memo;
	const struct tb_offer offer = { .node = node };
	const struct tb_placed *placed;
	uint64_t needed = 0;

	offers->memory = NULL;
	offers->memo = NULL;
	placed = tb_offers_place(offers, test, &offer, shape, 1);
	if (placed->slots)
		needed = need->per_node + need->per_slot +
			 need->per_core * tb_bitset_count(&placed->cores);
	offers->memory = memory;
	offers->memo = memo;
	return needed;
}

static void look_at_node(struct tb_offers *offers, const struct tb_test *test,
			 uint32_t node, struct sizes *sizes)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job,
						   offers->request);
	struct tb_local_memory memory;
	uint64_t needed, most;

	if (!shape || !tb_node_memory_find(offers->memory, node, shape,
					   shape->scratch, &memory))
		return;
	tb_node_taken(node, offers->view, test, shape->scratch->cores);
	most = find_most_free(&memory, shape->scratch->cores);
	needed = find_needed(offers, test, node, shape, &memory.need);
	if (!needed)
		return;
	sizes->needed = MAX(sizes->needed, needed);
	sizes->list[sizes->count++] = round_down(most);
}

static int compare_descending(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

static void add_nodes(char **text, uint32_t nodes, const char *what, bool first)
{
	xstrfmtcat(*text, "%s %u %s %s", first ? ":" : ",", nodes,
		   tb_count_word(nodes, "node has", "nodes have"), what);
}

static void add_sizes(char **text, const struct sizes *sizes)
{
	uint32_t told = 0;

	for (uint32_t i = 0, end; i < sizes->count; i = end) {
		char *what;

		for (end = i + 1; end < sizes->count; end++)
			if (sizes->list[end] != sizes->list[i])
				break;
		if (told == SIZES_TOLD)
			end = sizes->count;
		what = told < SIZES_TOLD ? print_size(sizes->list[i])
					 : xstrdup("less");
		add_nodes(text, end - i, what, !told++);
		xfree(what);
	}
}

char *tb_explain_memory(struct tb_offers *offers, const struct tb_test *test,
			bool required)
{
	const struct tb_request *request = offers->request;
	bitstr_t *nodes = required ? test->job->details->req_node_bitmap
				   : test->nodes;
	struct sizes sizes = { .list = xcalloc(tb_node_count() + 1,
					       sizeof(*sizes.list)) };
	const char *who = required ? "required node" : "node";
	char *text = NULL, *needed, *units;

	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(nodes, node))
			look_at_node(offers, test, node, &sizes);
	qsort(sizes.list, sizes.count, sizeof(*sizes.list), compare_descending);
	needed = print_size(sizes.needed);
	units = tb_request_print_units(request, "free");
	if (request->cpus)
		xstrfmtcat(text,
			   "no %s has the CPUs free with %s on their NUMA nodes",
			   who, needed);
	else
		xstrfmtcat(text, "no %s has %s with %s on %s", who, units,
			   needed,
			   request->amount == 1 && !request->nparts
				   ? "its NUMA node"
				   : "their NUMA nodes");
	free(units);
	add_sizes(&text, &sizes);
	xfree(needed);
	xfree(sizes.list);
	return text;
}

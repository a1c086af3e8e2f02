/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_why.c - see place_why.h */
#include "place_why.h"

#include <stdio.h>
#include <string.h>

#include "core/place/why.h"
#include "terminal/wrap.h"

/* "X0", or "the node". */
static const char *make_name(const struct tb_why_container *container,
			     char name[16])
{
	if (container->letter)
		snprintf(name, 16, "%c%u", container->letter,
			 container->number);
	else
		strcpy(name, "the node");
	return name;
}

/* The containers inside the place, or those that are not. */
static void print_containers(const struct tb_why *why, bool inside)
{
	char name[16];

	for (unsigned i = 0; i < why->ncontainers; i++) {
		const struct tb_why_container *container = &why->containers[i];

		if (container->inside != inside)
			continue;
		printf("  %-5s %u of %u free", make_name(container, name),
		       container->free, container->units);
		if (container->taken)
			printf(", %u taken", container->taken);
		putchar('\n');
	}
}

static const char *get_rule(const struct tb_request *request)
{
	if (request->cpus)
		return "these CPUs were asked for";
	if (request->nparts)
		return "parts: the innermost container with room for both; there the larger units first, then the others near them";
	switch (request->strategy) {
	case TB_LINEAR:
		return "linear: the first free units in order";
	case TB_SCATTER:
		return "scatter: the least loaded of the outermost containers, and packed in it";
	case TB_PACKED:
		break;
	}
	if (request->amount == 1)
		return "packed: a single unit is the first free one in order";
	return "packed: the innermost container with enough free units";
}

/* Does the rule of the fewest containers say which units are taken? */
static bool takes_fewest(const struct tb_request *request)
{
	return request->amount > 1 && request->strategy != TB_LINEAR;
}

/* Not where the units are of one list, or of two kinds. */
static bool has_containers(const struct tb_request *request)
{
	return !request->cpus && !request->nparts;
}

static int find_why(const struct tb_offline_node *node,
		    const struct tb_request *request, struct tb_why *why)
{
	memset(why, 0, sizeof(*why));
	if (!has_containers(request))
		return 0;
	tb_place(node->placer, request, node->used, 1);
	return tb_why_placed(node->placer, why);
}

int tb_print_why(const struct tb_offline_node *node,
		 const struct tb_request *request)
{
	struct tb_why why;
	char name[16];

	if (find_why(node, request, &why))
		return -1;
	tb_print_cell(stdout, get_rule(request), (unsigned)printf("why      "));
	if (!has_containers(request))
		return 0;
	print_containers(&why, false);
	tb_print_sentence(stdout, "inside   %s%s", make_name(&why.place, name),
			  takes_fewest(request)
				  ? ", in as few containers as possible"
				  : "");
	print_containers(&why, true);
	tb_why_clear(&why);
	return 0;
}

json_t *tb_why_json(const struct tb_offline_node *node,
		    const struct tb_request *request)
{
	json_t *containers = json_array();
	struct tb_why why;
	char name[16];
	json_t *json;

	if (find_why(node, request, &why)) {
		json_decref(containers);
		return NULL;
	}
	for (unsigned i = 0; i < why.ncontainers; i++) {
		const struct tb_why_container *container = &why.containers[i];

		json_array_append_new(containers,
				      json_pack("{s:s, s:i, s:i, s:i, s:b}",
						"container",
						make_name(container, name),
						"units", (int)container->units,
						"free", (int)container->free,
						"taken", (int)container->taken,
						"inside",
						(int)container->inside));
	}
	json = json_pack("{s:s, s:s, s:o}", "rule", get_rule(request), "place",
			 make_name(&why.place, name), "containers", containers);
	tb_why_clear(&why);
	return json;
}

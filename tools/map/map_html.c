/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_html.c - a map as a page; see map_markup.h
 *
 * The page is page/map.html with its style and script, put into a string by the
 * build.  What it shows comes as JSON in the place of a mark:
 *
 *	{ "time": 1700000000,
 *	  "shapes": [ "(S(C(T)(T)))" ],
 *	  "nodes": [ { "name": "n1", "shape": 0, "filtered": "0", "hidden": "5",
 *	               "trouble": "drained", "reason": "fan" } ],
 *	  "jobs": [ { "id": "7", "user": "u", "name": "cfd", "kind": "bound",
 *	              "request": "bunit=X,bamount=1", "symbol": "A",
 *	              "color": "#00afff", "end": 1700003600, "left": "1:00:00",
 *	              "holds": [ [ 0, "0-3" ] ] } ],
 *	  "waiting": [ { "id": "9", "user": "u", "name": "cfd", "request": "",
 *	                 "why": "Resources" } ] }
 *
 * Numbers of nodes and shapes are places in their arrays.
 */
#define _GNU_SOURCE /* asprintf */
#include <stdlib.h>
#include <string.h>

#include "map_legend.h"
#include "map_markup.h"

static const char page[] =
#include "tools/map/map_page.inc"
	;

#define MARK "@data@\n"

/* ---- nodes ---- */

/* Threads with this holder, as a list; NULL: none, or no memory. */
static json_t *json_of_holder(const struct tb_map_node *node, int holder)
{
	unsigned threads = tb_topology_threads(node->topology);
	struct tb_bitset *set = tb_bitset_create(threads);
	json_t *json = NULL;
	char *list;

	for (unsigned i = 0; set && i < threads; i++)
		if (node->holders[i] == holder)
			tb_bitset_set(set, i);
	list = set ? tb_bitset_print_list(set) : NULL;
	if (list && *list)
		json = json_string(list);
	free(list);
	tb_bitset_destroy(set);
	return json;
}

/* The place of a shape among all; numbers has those by their strings. */
static json_t *find_shape_number(json_t *shapes, json_t *numbers,
				 const struct tb_topology *topology)
{
	char *text = tb_topology_print_structured(topology, NULL);
	json_t *number = text ? json_object_get(numbers, text) : NULL;

	if (text && !number) {
		number = json_integer(json_array_size(shapes));
		json_array_append_new(shapes, json_string(text));
		json_object_set_new(numbers, text, number);
	}
	free(text);
	return number;
}

static json_t *json_of_node(const struct tb_map_node *node, json_t *shapes,
			    json_t *numbers)
{
	const char *trouble = tb_map_node_trouble(node);
	const char *reason = trouble ? node->reason : NULL;

	if (!node->topology)
		return json_pack("{s:s, s:s*, s:s*}", "name", node->name,
				 "trouble", trouble, "reason", reason);
	return json_pack("{s:s, s:s*, s:s*, s:O, s:o*, s:o*, s:o*}", "name",
			 node->name, "trouble", trouble, "reason", reason,
			 "shape",
			 find_shape_number(shapes, numbers, node->topology),
			 "filtered", json_of_holder(node, TB_HOLDER_FILTERED),
			 "reserved", json_of_holder(node, TB_HOLDER_RESERVED),
			 "hidden", json_of_holder(node, TB_HOLDER_PLAIN));
}

/* ---- jobs ---- */

static json_t *json_of_color(unsigned job)
{
	char *text;
	json_t *json;

	if (asprintf(&text, "#%06x", tb_color_rgb(tb_holder_color(job))) < 0)
		return NULL;
	json = json_string(text);
	free(text);
	return json;
}

static json_t *json_of_left(const struct tb_map *map,
			    const struct tb_map_job *job)
{
	int64_t left = tb_map_time_left(map, job);
	char *text = left < 0 ? NULL : tb_duration_print(left);
	json_t *json = text ? json_string(text) : NULL;

	free(text);
	return json;
}

static json_t *json_of_job(const struct tb_map *map, unsigned index)
{
	const struct tb_map_job *job = &map->jobs[index];
	const char symbol[2] = { tb_holder_symbol(map, index), '\0' };

	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:o*, s:[]}",
			 "id", job->id, "user", job->user, "name", job->name,
			 "kind", tb_map_kind_name(job->kind), "request",
			 job->request, "symbol", symbol, "color",
			 json_of_color(index), "end", (json_int_t)job->end,
			 "left", json_of_left(map, job), "holds");
}

static json_t *json_of_waiting(const struct tb_map_waiting *job)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", job->id, "user",
			 job->user, "name", job->name, "request", job->request,
			 "why", job->why);
}

static void add_holds(json_t *jobs, const struct tb_map *map, unsigned node)
{
	for (unsigned i = 0; i < map->nodes[node].njobs; i++) {
		const struct tb_map_job_threads *has = &map->nodes[node].jobs[i];
		json_t *job = json_array_get(jobs, has->job);
		char *list = tb_bitset_print_list(has->threads);

		json_array_append_new(json_object_get(job, "holds"),
				      json_pack("[i, s]", (int)node, list));
		free(list);
	}
}

/* ---- the page ---- */

/* NULL when out of memory. */
static json_t *json_of_map(const struct tb_map *map)
{
	json_t *nodes = json_array(), *jobs = json_array();
	json_t *shapes = json_array(), *numbers = json_object();
	json_t *waiting = json_array();
	int rc = 0;

	for (unsigned i = 0; i < map->nnodes; i++)
		rc |= json_array_append_new(nodes,
					    json_of_node(&map->nodes[i], shapes,
							 numbers));
	for (unsigned i = 0; i < map->njobs; i++)
		rc |= json_array_append_new(jobs, json_of_job(map, i));
	for (unsigned i = 0; i < map->nnodes; i++)
		add_holds(jobs, map, i);
	for (unsigned i = 0; i < map->nwaiting; i++)
		rc |= json_array_append_new(waiting,
					    json_of_waiting(&map->waiting[i]));
	json_decref(numbers);
	if (!rc)
		return json_pack("{s:I, s:o, s:o, s:o, s:o}", "time",
				 (json_int_t)map->time, "shapes", shapes,
				 "nodes", nodes, "jobs", jobs, "waiting",
				 waiting);
	json_decref(nodes);
	json_decref(jobs);
	json_decref(shapes);
	json_decref(waiting);
	return NULL;
}

/*
 * Inside a script element: there "<" could end it or begin a comment, so it is
 * written as an escape.  It is in strings only.
 */
static int print_json(const json_t *json, FILE *out)
{
	char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);

	for (const char *c = text; c && *c; c++)
		if (*c == '<')
			fputs("\\u003c", out);
		else
			fputc(*c, out);
	fputc('\n', out);
	free(text);
	return text ? 0 : -1;
}

int tb_map_html(const struct tb_map *map, FILE *out)
{
	const char *mark = strstr(page, MARK);
	json_t *json = json_of_map(map);
	int rc = -1;

	if (json && mark) {
		fwrite(page, 1, mark - page, out);
		rc = print_json(json, out);
		fputs(mark + strlen(MARK), out);
	}
	json_decref(json);
	return rc;
}

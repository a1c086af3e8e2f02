/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_lstopo.c - see map_lstopo.h */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwloc/lstopo.h"
#include "map_legend.h"
#include "map_lstopo.h"

/* What lstopo is told in arrays. */
struct painting {
	int *rgb;
	char *signs;
	struct tb_lstopo_note *notes;
	unsigned nnotes;
};

static void clear_painting(struct painting *painting)
{
	for (unsigned i = 0; painting->notes && i < painting->nnotes; i++)
		free((char *)painting->notes[i].text);
	free(painting->notes);
	free(painting->rgb);
	free(painting->signs);
}

static int get_rgb(int holder)
{
	int color = tb_holder_color(holder);

	return color < 0 ? -1 : (int)tb_color_rgb(color);
}

/* "A: job 12 cfd of alice"; lstopo would take some characters for markup. */
static char *note_of(const struct tb_map *map, unsigned index)
{
	const struct tb_map_job *job = &map->jobs[index];
	char *text;

	if (asprintf(&text, "%c: job %s %s of %s", tb_holder_symbol(map, index),
		     job->id, job->name, job->user) < 0)
		return NULL;
	for (char *c = text; *c; c++)
		if ((unsigned char)*c > 126 ||
		    (!isalnum((unsigned char)*c) && !strchr(" _-+.,:#*", *c)))
			*c = '?';
	return text;
}

static int paint_node(struct painting *painting, const struct tb_map *map,
		      const struct tb_map_node *node, struct tb_error *err)
{
	unsigned threads = tb_topology_threads(node->topology);

	painting->rgb = calloc(threads, sizeof(*painting->rgb));
	painting->signs = calloc(threads, sizeof(*painting->signs));
	painting->notes = calloc(node->njobs + 1, sizeof(*painting->notes));
	if (!painting->rgb || !painting->signs || !painting->notes)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < threads; i++) {
		painting->rgb[i] = get_rgb(node->holders[i]);
		if (node->holders[i] != TB_HOLDER_NONE)
			painting->signs[i] = tb_holder_symbol(map,
							      node->holders[i]);
	}
	for (unsigned i = 0; i < node->njobs; i++) {
		const struct tb_map_job_threads *has = &node->jobs[i];
		char *text = note_of(map, has->job);

		if (!text)
			return tb_fail(err, "out of memory");
		painting->notes[painting->nnotes++] = (struct tb_lstopo_note){
			text, has->threads, get_rgb(has->job)
		};
	}
	return 0;
}

static int check_shape(const struct tb_map_node *node,
		       const struct tb_machine *machine, struct tb_error *err)
{
	if (tb_topology_same_shape(node->topology,
				   tb_machine_topology(machine)))
		return 0;
	return tb_fail(
		err,
		"this machine is %.150s, which is not the topology of node %.60s; give what lstopo --of xml writes there as --xml FILE",
		tb_machine_string(machine), node->name);
}

static int write_node(const struct tb_map *map, const struct tb_map_node *node,
		      const char *xml, struct tb_error *err)
{
	struct tb_machine *machine = xml ? tb_machine_load_xml(xml, err)
					 : tb_machine_load_live(err);
	struct painting painting = { NULL, NULL, NULL, 0 };
	int rc = -1;

	if (machine && !check_shape(node, machine, err) &&
	    !paint_node(&painting, map, node, err)) {
		const struct tb_lstopo picture = {
			.xml = xml,
			.machine = machine,
			.rgb = painting.rgb,
			.signs = painting.signs,
			.notes = painting.notes,
			.nnotes = painting.nnotes,
		};

		rc = tb_lstopo_write(&picture, err);
	}
	clear_painting(&painting);
	tb_machine_destroy(machine);
	return rc;
}

int tb_map_lstopo(const struct tb_map *map, const char *xml,
		  struct tb_error *err)
{
	if (map->nnodes != 1)
		return tb_fail(err,
			       "--lstopo is for one node, and here are %u; name one",
			       map->nnodes);
	if (!map->nodes[0].topology)
		return tb_fail(err, "no topology of node %.100s is known",
			       map->nodes[0].name);
	return write_node(map, &map->nodes[0], xml, err);
}

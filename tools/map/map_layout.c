/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map_layout.c - see map_layout.h */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "map_layout.h"

/* ---- the objects ---- */

/* An object but a thread, in the order of the string. */
struct object {
	char letter;
	unsigned index; /* among those of the letter */
	unsigned end;	/* index after the last object in it */
};

static bool is_core(char letter)
{
	return letter == 'C' || letter == 'E';
}

/*
 * The structured string is the tree in writing.  Objects that are open are on a
 * stack; threads are passed over.
 */
static unsigned read_objects(const char *text, struct object *objects,
			     unsigned *open)
{
	unsigned counts['Z' + 1] = { 0 };
	unsigned count = 0, depth = 0;

	for (; *text; text++) {
		if (*text == 'T') {
			text++; /* its bracket */
		} else if (*text == ')') {
			objects[open[--depth]].end = count;
		} else if (*text != '(') {
			open[depth++] = count;
			objects[count++] = (struct object){
				*text, counts[(unsigned char)*text]++, 0
			};
		}
	}
	return count;
}

/* An L2 cache of one core shows nothing that the core does not. */
static bool is_hidden(const struct object *objects, unsigned i)
{
	return objects[i].letter == 'Y' && objects[i].end == i + 2;
}

/* Does the object have one thing in it, which is a frame around others? */
static bool shares_frame(const struct object *objects, unsigned i)
{
	return objects[i + 1].end == objects[i].end &&
	       !is_core(objects[i + 1].letter) && !is_hidden(objects, i + 1);
}

/* ---- the frames ---- */

/* The label grows by one object more; -1: no memory. */
static int add_label(struct tb_frame *frame, const struct object *object)
{
	char *before = frame->label;
	int length = asprintf(&frame->label, "%s%s%c%u", before ? before : "",
			      before ? " " : "", object->letter, object->index);

	if (length < 0)
		frame->label = NULL;
	free(before);
	return length < 0 ? -1 : 0;
}

/*
 * Frames for the objects from first to before end.  Recursion is as deep as
 * topologies are nested, which is bounded (core/topology/topology.h).
 */
static int add_frames(struct tb_layout *layout, const struct object *objects,
		      unsigned first, unsigned end, unsigned *cores)
{
	for (unsigned i = first; i < end; i = objects[i].end) {
		unsigned object = i, index;
		struct tb_frame *frame;

		if (is_hidden(objects, object))
			object++;
		index = layout->nframes++;
		frame = &layout->frames[index];
		frame->is_core = is_core(objects[object].letter);
		if (add_label(frame, &objects[object]))
			return -1;
		if (frame->is_core) {
			frame->core = (*cores)++;
			frame->end = layout->nframes;
			continue;
		}
		for (; shares_frame(objects, object); object++)
			if (add_label(frame, &objects[object + 1]))
				return -1;
		if (add_frames(layout, objects, object + 1, objects[object].end,
			       cores))
			return -1;
		frame->end = layout->nframes;
	}
	return 0;
}

static int make_frames(struct tb_layout *layout,
		       const struct tb_topology *topology)
{
	char *text = tb_topology_print_structured(topology, NULL);
	size_t length = text ? strlen(text) : 0;
	struct object *objects = calloc(length + 1, sizeof(*objects));
	unsigned *open = calloc(length + 1, sizeof(*open));
	unsigned cores = 0, count;
	int rc = -1;

	if (text && objects && open) {
		count = read_objects(text, objects, open);
		layout->frames = calloc(count + 1, sizeof(*layout->frames));
		if (layout->frames)
			rc = add_frames(layout, objects, 0, count, &cores);
	}
	free(text);
	free(objects);
	free(open);
	return rc;
}

/* ---- their places ---- */

/* A frame and all in it; by a negative number as it is in unsigned ones. */
static void move_frame(struct tb_layout *layout, unsigned index, unsigned x,
		       unsigned y)
{
	for (unsigned i = index; i < layout->frames[index].end; i++) {
		layout->frames[i].x += x;
		layout->frames[i].y += y;
	}
}

/* How far the frames of a row have got, and the rows before it. */
struct flow {
	unsigned x, y, row_height;
	unsigned in_row, rows; /* frames in this row; rows with it */
	unsigned width;	       /* of the widest row */
};

/* Is there no room for one more frame, of this width, or enough of them? */
static bool row_is_full(const struct flow *flow, unsigned w, unsigned width,
			unsigned per_row)
{
	return flow->in_row && (flow->x + w > width || flow->in_row == per_row);
}

/* Put a frame that is measured beside the one before it, or below. */
static void put_frame(struct flow *flow, struct tb_layout *layout,
		      unsigned index, unsigned width, unsigned per_row,
		      const struct tb_layout_sizes *sizes)
{
	struct tb_frame *frame = &layout->frames[index];
	bool core = frame->is_core;
	unsigned gap_x = core ? sizes->core_gap_x : sizes->gap_x;
	unsigned gap_y = core ? sizes->core_gap_y : sizes->gap_y;

	if (row_is_full(flow, gap_x + frame->w, width, per_row)) {
		flow->y += flow->row_height + gap_y;
		flow->x = flow->row_height = flow->in_row = 0;
		flow->rows++;
	}
	if (flow->in_row++)
		flow->x += gap_x;
	move_frame(layout, index, flow->x, flow->y);
	flow->x += frame->w;
	if (frame->h > flow->row_height)
		flow->row_height = frame->h;
	if (flow->x > flow->width)
		flow->width = flow->x;
}

/* All frames from first to before end at their places; at most so many a row. */
static struct flow put_frames(struct tb_layout *layout, unsigned first,
			      unsigned end, unsigned width, unsigned per_row,
			      const struct tb_layout_sizes *sizes)
{
	struct flow flow = { .rows = 1 };

	for (unsigned i = first; i < end; i = layout->frames[i].end) {
		move_frame(layout, i, -layout->frames[i].x,
			   -layout->frames[i].y);
		put_frame(&flow, layout, i, width, per_row, sizes);
	}
	return flow;
}

static void measure_frame(struct tb_layout *layout, unsigned index,
			  unsigned width, const struct tb_topology *topology,
			  const struct tb_layout_sizes *sizes);

/*
 * The frames from first to before end, from the corner on, in as few rows as
 * can be, and in all rows as many.
 */
static struct flow flow_frames(struct tb_layout *layout, unsigned first,
			       unsigned end, unsigned width,
			       const struct tb_topology *topology,
			       const struct tb_layout_sizes *sizes)
{
	unsigned count = 0;
	struct flow flow;

	for (unsigned i = first; i < end; i = layout->frames[i].end, count++)
		measure_frame(layout, i, width, topology, sizes);
	flow = put_frames(layout, first, end, width, count, sizes);
	if (flow.rows == 1)
		return flow;
	return put_frames(layout, first, end, width,
			  (count + flow.rows - 1) / flow.rows, sizes);
}

static void measure_core(struct tb_frame *frame,
			 const struct tb_topology *topology,
			 const struct tb_layout_sizes *sizes)
{
	frame->w = sizes->core_margin +
		   tb_core_threads(topology, frame->core) * sizes->thread_width;
	if (tb_core_kind(topology, frame->core) == TB_EFFICIENCY)
		frame->w += sizes->efficiency_width;
	frame->h = sizes->core_height;
}

/* Size of a frame, and the places of those in it as if it began at 0, 0. */
static void measure_frame(struct tb_layout *layout, unsigned index,
			  unsigned width, const struct tb_topology *topology,
			  const struct tb_layout_sizes *sizes)
{
	struct tb_frame *frame = &layout->frames[index];
	unsigned border = sizes->left + sizes->right;
	unsigned label = strlen(frame->label) * sizes->letter_width +
			 sizes->label_margin;
	struct flow flow;

	if (frame->is_core) {
		measure_core(frame, topology, sizes);
		return;
	}
	flow = flow_frames(layout, index + 1, frame->end,
			   width > border ? width - border : 1, topology,
			   sizes);
	for (unsigned i = index + 1; i < frame->end; i = layout->frames[i].end)
		move_frame(layout, i, sizes->left, sizes->top);
	frame->w = flow.width + border;
	if (frame->w < label)
		frame->w = label;
	frame->h = sizes->top + flow.y + flow.row_height + sizes->bottom;
}

struct tb_layout *tb_layout_create(const struct tb_topology *topology,
				   const struct tb_layout_sizes *sizes)
{
	struct tb_layout *layout = calloc(1, sizeof(*layout));
	struct flow flow;

	if (!layout || make_frames(layout, topology)) {
		tb_layout_destroy(layout);
		return NULL;
	}
	flow = flow_frames(layout, 0, layout->nframes, sizes->width, topology,
			   sizes);
	layout->w = flow.width;
	layout->h = flow.y + flow.row_height;
	return layout;
}

void tb_layout_destroy(struct tb_layout *layout)
{
	if (!layout)
		return;
	for (unsigned i = 0; layout->frames && i < layout->nframes; i++)
		free(layout->frames[i].label);
	free(layout->frames);
	free(layout);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_layout.h - where the boxes of a node are drawn
 *
 * A topology becomes nested frames, a core is the innermost.  Objects that have
 * just one frame in them share it ("S0 N0"), and an L2 cache of one core has
 * none.  Frames are put side by side as long as there is room, then below.
 * Lengths are columns and lines of a terminal, or pixels: whatever the sizes are
 * in.
 */
#ifndef TB_TOOLS_MAP_MAP_LAYOUT_H
#define TB_TOOLS_MAP_MAP_LAYOUT_H

#include "core/topology/topology.h"

/* How large what is drawn is, and the space around it. */
struct tb_layout_sizes {
	unsigned width;	       /* what there is, for a node */
	unsigned thread_width; /* in a core */
	unsigned core_margin;  /* left and right of all threads */
	unsigned core_height;
	unsigned efficiency_width;	   /* more of an efficiency core */
	unsigned left, right, top, bottom; /* of a frame around others */
	unsigned core_gap_x, core_gap_y;   /* between cores */
	unsigned gap_x, gap_y;		   /* between other frames */
	unsigned letter_width;		   /* of a label */
	unsigned label_margin;		   /* left and right of it, together */
};

struct tb_frame {
	char *label; /* "S0 N0"; of a core "C3", "E0" */
	bool is_core;
	unsigned core; /* its logical number, if it is one */
	unsigned end;  /* index after the last frame in it */
	unsigned x, y, w, h;
};

/* Frames are in the order of the string; the outermost ones are many, too. */
struct tb_layout {
	struct tb_frame *frames;
	unsigned nframes;
	unsigned w, h;
};

/* NULL when out of memory. */
struct tb_layout *tb_layout_create(const struct tb_topology *topology,
				   const struct tb_layout_sizes *sizes);
void tb_layout_destroy(struct tb_layout *layout); /* NULL is fine */

#endif

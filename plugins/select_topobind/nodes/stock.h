/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stock.h - the texts and shapes that nodes share
 *
 * Each is there once, a few for thousands of nodes.  What no node uses any more goes
 * when the stock has doubled: nodes may publish other strings as often as they like.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_STOCK_H
#define TB_SELECT_TOPOBIND_NODES_STOCK_H

#include "shape.h"

/* A part of a text; begin is NULL for none. */
struct tb_text_part {
	const char *begin;
	size_t length;
};

bool tb_text_part_is(const char *text, struct tb_text_part part);

/* The text that is the same as the part; NULL for none. */
const char *tb_stock_text(struct tb_text_part part);

/* As tb_shape_create(), but the same for all nodes. */
struct tb_shape *tb_stock_shape(const struct tb_shape_text *text,
				uint32_t cores, struct tb_error *err);

/*
 * Has so much come that what nobody uses should go?  Then mark all that is used, and
 * sweep.  Nobody may have another text or shape in his hands.
 */
bool tb_stock_is_full(void);
void tb_stock_mark_text(const char *text);	  /* NULL is fine */
void tb_stock_mark_shape(struct tb_shape *shape); /* likewise */
void tb_stock_sweep(void);

void tb_stock_fini(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stock.h"

#include <stddef.h>
#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

/* So many, and twice as many as there were in use, are kept. */
#define FEW 64

struct text {
	bool used;
	char text[];
};

static struct text **texts;
static uint32_t text_count;
static struct tb_shape **shapes;
static uint32_t shape_count;
static uint32_t most = FEW; /* of both together, before some go */

bool tb_text_part_is(const char *text, struct tb_text_part part)
{
	if (!text || !part.begin)
		return !text && !part.begin;
	return !strncmp(text, part.begin, part.length) && !text[part.length];
}

const char *tb_stock_text(struct tb_text_part part)
{
	if (!part.begin)
		return NULL;
	for (uint32_t i = 0; i < text_count; i++)
		if (tb_text_part_is(texts[i]->text, part))
			return texts[i]->text;
	xrecalloc(texts, text_count + 1, sizeof(*texts));
	texts[text_count] = xmalloc(sizeof(struct text) + part.length + 1);
	memcpy(texts[text_count]->text, part.begin, part.length);
	return texts[text_count++]->text;
}

struct tb_shape *tb_stock_shape(const struct tb_shape_text *text,
				uint32_t cores, struct tb_error *err)
{
	struct tb_shape *shape;

	for (uint32_t i = 0; i < shape_count; i++)
		if (shapes[i]->ncores == cores &&
		    !xstrcmp(shapes[i]->distances, text->distances) &&
		    !xstrcmp(shapes[i]->os_cpus, text->os_cpus) &&
		    !strcmp(shapes[i]->text, text->topology))
			return shapes[i];
	shape = tb_shape_create(text, cores, err);
	if (!shape)
		return NULL;
	xrecalloc(shapes, shape_count + 1, sizeof(*shapes));
	shapes[shape_count++] = shape;
	return shape;
}

bool tb_stock_is_full(void)
{
	return text_count + shape_count > most;
}

void tb_stock_mark_text(const char *text)
{
	if (text)
		((struct text *)(text - offsetof(struct text, text)))->used =
			true;
}

void tb_stock_mark_shape(struct tb_shape *shape)
{
	if (shape)
		shape->used = true;
}

static void sweep_texts(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < text_count; i++) {
		if (!texts[i]->used) {
			xfree(texts[i]);
			continue;
		}
		texts[i]->used = false;
		texts[kept++] = texts[i];
	}
	text_count = kept;
}

static void sweep_shapes(void)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < shape_count; i++) {
		if (!shapes[i]->used) {
			tb_shape_destroy(shapes[i]);
			continue;
		}
		shapes[i]->used = false;
		shapes[kept++] = shapes[i];
	}
	shape_count = kept;
}

void tb_stock_sweep(void)
{
	sweep_texts();
	sweep_shapes();
	most = MAX(2 * (text_count + shape_count), FEW);
}

/* None is marked, so all go. */
void tb_stock_fini(void)
{
	tb_stock_sweep();
	xfree(texts);
	xfree(shapes);
}

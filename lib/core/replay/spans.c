/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spans.c - see spans.h */
#include <stdlib.h>

#include "core/base/array.h"
#include "spans.h"

void tb_spans_clear(struct tb_spans *spans)
{
	for (unsigned i = 0; i < spans->made; i++)
		tb_bitset_destroy(spans->list[i].free);
	free(spans->list);
	spans->list = NULL;
	spans->count = spans->made = 0;
}

int64_t tb_spans_end_of(const struct tb_spans *spans, unsigned index)
{
	return index + 1 < spans->count ? spans->list[index + 1].from
					: spans->end;
}

/* Sets are kept for the next ones: list[count] has one then. */
static int make_room(struct tb_spans *spans)
{
	struct tb_span *list;

	if (spans->count < spans->made)
		return 0;
	list = tb_array_make_room(spans->list, spans->made, sizeof(*list));
	if (!list)
		return -1;
	spans->list = list;
	list[spans->made].free = tb_bitset_create(spans->nnodes);
	if (!list[spans->made].free)
		return -1;
	spans->made++;
	return 0;
}

int tb_spans_restart(struct tb_spans *spans, int64_t from, int64_t end)
{
	spans->count = 0;
	if (make_room(spans))
		return -1;
	spans->count = 1;
	spans->end = end;
	spans->list[0].from = from;
	tb_bitset_set_range(spans->list[0].free, 0, spans->nnodes);
	return 0;
}

/* One that begins then, if that is in the time of any.  -1: no memory. */
static int split(struct tb_spans *spans, int64_t at)
{
	struct tb_span spare;
	unsigned index = 0;

	if (at >= spans->end)
		return 0;
	while (index < spans->count && spans->list[index].from < at)
		index++;
	if (!index || (index < spans->count && spans->list[index].from == at))
		return 0;
	if (make_room(spans))
		return -1;
	spare = spans->list[spans->count++];
	for (unsigned i = spans->count - 1; i > index; i--)
		spans->list[i] = spans->list[i - 1];
	spare.from = at;
	tb_bitset_assign(spare.free, spans->list[index - 1].free);
	spans->list[index] = spare;
	return 0;
}

/* With the one before. */
static void join(struct tb_spans *spans, unsigned index)
{
	struct tb_span spare = spans->list[index];

	for (unsigned i = index; i + 1 < spans->count; i++)
		spans->list[i] = spans->list[i + 1];
	spans->list[--spans->count] = spare;
}

int tb_spans_promise(struct tb_spans *spans, int64_t from, int64_t to,
		     const struct tb_bitset *nodes)
{
	if (split(spans, from) || split(spans, to))
		return -1;
	for (unsigned i = 0; i < spans->count; i++)
		if (spans->list[i].from >= from && spans->list[i].from < to)
			tb_bitset_andnot(spans->list[i].free, nodes);
	for (unsigned i = spans->count - 1; i; i--)
		if (tb_bitset_equal(spans->list[i].free,
				    spans->list[i - 1].free))
			join(spans, i);
	return 0;
}

bool tb_spans_have_promised(const struct tb_spans *spans, int64_t from,
			    int64_t to, const struct tb_bitset *nodes)
{
	for (unsigned i = 0; i < spans->count; i++)
		if (spans->list[i].from < to &&
		    tb_spans_end_of(spans, i) > from &&
		    !tb_bitset_contains(spans->list[i].free, nodes))
			return true;
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moments.c - see moments.h */
#include <stdbool.h>
#include <string.h>

#include "moments.h"

static bool is_before(const struct tb_moment *a, const struct tb_moment *b)
{
	return a->at != b->at ? a->at < b->at : a->job < b->job;
}

void tb_heap_push(struct tb_moments *heap, struct tb_moment moment)
{
	unsigned at = heap->count++;

	while (at && is_before(&moment, &heap->list[(at - 1) / 2])) {
		heap->list[at] = heap->list[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	heap->list[at] = moment;
}

struct tb_moment tb_heap_pop(struct tb_moments *heap)
{
	struct tb_moment first = heap->list[0];
	struct tb_moment last = heap->list[--heap->count];
	unsigned at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count &&
		    is_before(&heap->list[child + 1], &heap->list[child]))
			child++;
		if (!is_before(&heap->list[child], &last))
			break;
		heap->list[at] = heap->list[child];
		at = child;
	}
	heap->list[at] = last;
	return first;
}

/* The first that is not before it. */
static unsigned find_moment(const struct tb_moments *moments,
			    const struct tb_moment *moment)
{
	unsigned low = 0, high = moments->count;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (is_before(&moments->list[middle], moment))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void tb_moments_add(struct tb_moments *moments, struct tb_moment moment)
{
	unsigned at = find_moment(moments, &moment);
	size_t behind = moments->count++ - at;

	memmove(&moments->list[at + 1], &moments->list[at],
		behind * sizeof(moment));
	moments->list[at] = moment;
}

void tb_moments_drop(struct tb_moments *moments, struct tb_moment moment)
{
	unsigned at = find_moment(moments, &moment);
	size_t behind = --moments->count - at;

	memmove(&moments->list[at], &moments->list[at + 1],
		behind * sizeof(moment));
}

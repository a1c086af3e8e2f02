/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "distances.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

/* Read a number and move *at behind it; -1: there is none up to the limit. */
static int read_distance(const char **at, unsigned *number)
{
	const char *digit = *at;

	*number = 0;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		*number = *number * 10 + (unsigned)(*digit - '0');
		if (*number > TB_DISTANCE_MAX)
			return -1;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	return 0;
}

/* What follows the i-th number of a matrix. */
static char get_separator(size_t i, unsigned count)
{
	if (i + 1 == (size_t)count * count)
		return '\0';
	return (i + 1) % count != 0 ? ',' : ';';
}

static int read_matrix(const char *text, unsigned count, unsigned *distances)
{
	const char *at = text;

	for (size_t i = 0; i < (size_t)count * count; i++) {
		if (read_distance(&at, &distances[i]) < 0 ||
		    *at++ != get_separator(i, count))
			return -1;
	}
	return 0;
}

unsigned *tb_distances_parse(const char *text, unsigned count,
			     struct tb_error *err)
{
	size_t total = (size_t)count * count;
	unsigned *distances;

	if (count == 0) {
		tb_fail(err,
			"the node has no NUMA nodes, so there are no distances between them; leave these out");
		return NULL;
	}
	/* Each number needs a digit and a separator: allocate no more than that. */
	if ((strlen(text) + 1) / 2 < total)
		goto wrong;
	distances = calloc(total, sizeof(*distances));
	if (!distances) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	if (read_matrix(text, count, distances) == 0)
		return distances;
	free(distances);
wrong:
	tb_fail(err,
		"for the node's %u NUMA nodes this must be %u rows of %u numbers up to %d, such as 10,21;21,10",
		count, count, count, TB_DISTANCE_MAX);
	return NULL;
}

char *tb_distances_print(const unsigned *distances, unsigned count,
			 struct tb_error *err)
{
	struct tb_text text = TB_TEXT_EMPTY;
	size_t total = (size_t)count * count;
	bool fits = true;
	char *printed;

	tb_text_add(&text, "");
	for (size_t i = 0; i < total && fits; i++) {
		tb_text_add_number(&text, distances[i]);
		if (i + 1 < total)
			tb_text_add_char(&text, get_separator(i, count));
		fits = text.length <= TB_DISTANCES_TEXT_MAX &&
		       distances[i] <= TB_DISTANCE_MAX;
	}
	printed = tb_text_take(&text);
	if (!printed) {
		tb_fail(err, "out of memory");
	} else if (!fits) {
		free(printed);
		printed = NULL;
		tb_fail(err,
			"the distances of %u NUMA nodes need more than %d bytes, or one is larger than %d",
			count, TB_DISTANCES_TEXT_MAX, TB_DISTANCE_MAX);
	}
	return printed;
}

bool tb_distances_differ(const unsigned *distances, unsigned count)
{
	/* The numbers of the diagonal are how far a node is from itself. */
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < count; j++)
			if (i != j &&
			    distances[(size_t)i * count + j] != distances[1])
				return true;
	return false;
}

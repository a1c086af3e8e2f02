/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "distances.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "number_rows.h"

static struct tb_number_rows make_matrix(unsigned count)
{
	return (struct tb_number_rows){ count, count, TB_DISTANCE_MAX,
					TB_DISTANCES_TEXT_MAX };
}

static unsigned *copy_small(const uint64_t *numbers, size_t total)
{
	unsigned *copy = calloc(total, sizeof(*copy));

	for (size_t i = 0; copy && i < total; i++)
		copy[i] = (unsigned)numbers[i];
	return copy;
}

unsigned *tb_distances_parse(const char *text, unsigned count,
			     struct tb_error *err)
{
	const struct tb_number_rows matrix = make_matrix(count);
	unsigned *distances;
	uint64_t *numbers;
	bool failed;

	if (count == 0) {
		tb_fail(err,
			"the node has no NUMA nodes, so there are no distances between them; leave these out");
		return NULL;
	}
	numbers = tb_number_rows_parse(text, &matrix, &failed, err);
	if (!numbers) {
		if (!failed)
			tb_fail(err,
				"for the node's %u NUMA nodes this must be %u rows of %u numbers up to %d, such as 10,21;21,10",
				count, count, count, TB_DISTANCE_MAX);
		return NULL;
	}
	distances = copy_small(numbers, (size_t)count * count);
	if (!distances)
		tb_fail(err, "out of memory");
	free(numbers);
	return distances;
}

static uint64_t *copy_large(const unsigned *numbers, size_t total)
{
	uint64_t *copy = tb_array_create(total, sizeof(*copy));

	for (size_t i = 0; copy && i < total; i++)
		copy[i] = numbers[i];
	return copy;
}

char *tb_distances_print(const unsigned *distances, unsigned count,
			 struct tb_error *err)
{
	const struct tb_number_rows matrix = make_matrix(count);
	uint64_t *numbers = copy_large(distances, (size_t)count * count);
	char *printed = NULL;
	bool failed = true;

	if (!numbers)
		tb_fail(err, "out of memory");
	else
		printed = tb_number_rows_print(numbers, &matrix, &failed, err);
	free(numbers);
	if (!printed && !failed)
		tb_fail(err,
			"the distances of %u NUMA nodes need more than %d bytes, or one is larger than %d",
			count, TB_DISTANCES_TEXT_MAX, TB_DISTANCE_MAX);
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

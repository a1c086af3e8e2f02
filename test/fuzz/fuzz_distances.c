/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as NUMA distances; its first byte is how many NUMA nodes there
 * are.
 */
#include "fuzz.h"

#include "core/topology/distances.h"

static void check_again(const unsigned *distances, unsigned count)
{
	char *printed = tb_distances_print(distances, count, NULL);
	unsigned *again;

	/* None: it can be read, but is too long to be made. */
	if (!printed)
		return;
	again = tb_distances_parse(printed, count, NULL);
	FUZZ_CHECK(again);
	FUZZ_CHECK(!memcmp(again, distances,
			   (size_t)count * count * sizeof(*again)));
	free(again);
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned count = size ? data[0] : 0;
	char *text = fuzz_string(data + (size > 0), size - (size > 0));
	struct tb_error err = { "" };
	unsigned *distances = tb_distances_parse(text, count, &err);

	if (distances) {
		tb_distances_differ(distances, count);
		check_again(distances, count);
		free(distances);
	} else {
		FUZZ_CHECK(*err.text);
	}
	free(text);
	return 0;
}

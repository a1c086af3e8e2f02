/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as the memory of NUMA nodes; its first byte is how many NUMA nodes
 * there are.
 */
#include "fuzz.h"

#include "core/topology/numa_memory.h"

static void check_again(const uint64_t *memory, unsigned count)
{
	char *printed = tb_numa_memory_print(memory, count, NULL);
	uint64_t *again;

	/* 255 numbers of twelve digits are never too long. */
	FUZZ_CHECK(printed);
	again = tb_numa_memory_parse(printed, count, NULL);
	FUZZ_CHECK(again);
	FUZZ_CHECK(!memcmp(again, memory, count * sizeof(*again)));
	free(again);
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned count = size ? data[0] : 0;
	char *text = fuzz_string(data + (size > 0), size - (size > 0));
	struct tb_error err = { "" };
	uint64_t *memory = tb_numa_memory_parse(text, count, &err);

	if (memory) {
		check_again(memory, count);
		free(memory);
	} else {
		FUZZ_CHECK(*err.text);
	}
	free(text);
	return 0;
}

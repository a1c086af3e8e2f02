/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string: a clear error, or a tree that survives printing and reading.
 */
#include "fuzz.h"

#include "core/topology/topology.h"

static void check_again(const struct tb_topology *topology,
			const struct tb_bitset *lower, char *printed)
{
	struct tb_bitset *lower_again;
	struct tb_topology *again;

	FUZZ_CHECK(printed);
	/* Brackets make a string longer, perhaps longer than is read. */
	if (strlen(printed) <= TB_TOPOLOGY_TEXT_MAX) {
		again = tb_topology_parse(printed, &lower_again, NULL);
		FUZZ_CHECK(again);
		FUZZ_CHECK(tb_topology_same_shape(topology, again));
		FUZZ_CHECK(tb_bitset_equal(lower, lower_again));
		tb_topology_destroy(again);
		tb_bitset_destroy(lower_again);
	}
	free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_bitset *lower;
	struct tb_topology *topology = tb_topology_parse(text, &lower, &err);

	if (topology) {
		FUZZ_CHECK(tb_topology_threads(topology) >=
			   tb_topology_cores(topology));
		check_again(topology, lower,
			    tb_topology_print(topology, lower));
		check_again(topology, lower,
			    tb_topology_print_structured(topology, lower));
		tb_topology_destroy(topology);
		tb_bitset_destroy(lower);
	} else {
		FUZZ_CHECK(*err.text);
	}
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as a filter, and what it does to a node.
 */
#include "fuzz.h"

#include "core/request/filter.h"

static void check_on(const struct tb_filter *filter, const char *node)
{
	struct tb_topology *topology = tb_topology_parse(node, NULL, NULL);
	struct tb_bitset *used;

	FUZZ_CHECK(topology);
	used = tb_bitset_create(tb_topology_threads(topology));
	FUZZ_CHECK(used);
	if (tb_filter_matches(filter, topology))
		tb_filter_add(filter, topology, used);
	FUZZ_CHECK(tb_bitset_count(used) <= used->nbits);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_filter *filter = tb_filter_parse(text, &err);

	if (filter) {
		char *printed = tb_filter_print(filter);
		struct tb_filter *again = tb_filter_parse(printed, NULL);
		const char *plus = strchr(printed, '+');

		FUZZ_CHECK(again);
		check_on(filter, "SCCCC");
		check_on(filter, "NSXYCTTYCTTXYCTTYCTT");
		if (plus || printed[0] != 'f')
			check_on(filter, plus ? plus + 1 : printed);
		tb_filter_destroy(again);
		tb_filter_destroy(filter);
		free(printed);
	} else {
		FUZZ_CHECK(*err.text);
	}
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A topology, a request and a number of slots, each on a line of its own:
 * placements stay within what is free and give nothing twice.
 */
#include "fuzz.h"

#include "core/place/place.h"

#define SLOTS_MAX 4096

static void check_groups(const struct tb_topology *topology,
			 const struct tb_placer *placer,
			 const struct tb_bitset *used)
{
	struct tb_bitset *seen = tb_bitset_copy(used);
	struct tb_bitset *group = tb_bitset_create(used->nbits);

	FUZZ_CHECK(seen && group);
	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		tb_placed_group(placer, i, group);
		FUZZ_CHECK(!tb_bitset_is_empty(group));
		FUZZ_CHECK(!tb_bitset_intersects(group, seen));
		tb_bitset_or(seen, group);
	}
	tb_bitset_andnot(seen, used);
	FUZZ_CHECK(tb_bitset_equal(seen, tb_placed_threads(placer)));
	FUZZ_CHECK(tb_bitset_count(seen) <= tb_topology_threads(topology));
	tb_bitset_destroy(seen);
	tb_bitset_destroy(group);
}

static void check_slots(const struct tb_topology *topology,
			const struct tb_request *request,
			const struct tb_bitset *granted)
{
	struct tb_placer *placer = tb_placer_create(topology);
	unsigned slots;

	FUZZ_CHECK(placer);
	slots = tb_place_again(placer, request, granted);
	FUZZ_CHECK(slots == tb_placed_groups(placer));
	FUZZ_CHECK(tb_bitset_contains(granted, tb_placed_threads(placer)));
	tb_placer_destroy(placer);
}

static void place(const struct tb_topology *topology,
		  const struct tb_bitset *used,
		  const struct tb_request *request, unsigned nslots)
{
	struct tb_placer *placer = tb_placer_create(topology);
	int slots;

	FUZZ_CHECK(placer);
	slots = tb_place(placer, request, used, nslots);
	FUZZ_CHECK(slots >= TB_PLACE_TOPOLOGY_MISMATCH && slots <= (int)nslots);
	FUZZ_CHECK(tb_units_available(topology, request->unit, used, NULL) <=
		   tb_topology_threads(topology));
	if (slots > 0) {
		check_groups(topology, placer, used);
		check_slots(topology, request, tb_placed_threads(placer));
	}
	tb_placer_destroy(placer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	char *rest = text;
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(fuzz_line(&rest),
							 &used, NULL);
	struct tb_request request;

	tb_request_init(&request);
	if (topology) {
		if (!tb_request_parse(&request, fuzz_line(&rest), NULL))
			place(topology, used, &request,
			      (unsigned)strtoul(fuzz_line(&rest), NULL, 10) %
				      SLOTS_MAX);
		tb_bitset_destroy(used);
		tb_topology_destroy(topology);
	}
	tb_request_clear(&request);
	free(text);
	return 0;
}

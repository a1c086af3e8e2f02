/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"

#include "placed_slots.h"

char *print_slots(const struct tb_placer *placer)
{
	struct tb_bitset *slot = tb_bitset_create(
		tb_placed_threads(placer)->nbits);
	char *text = calloc(1, 1024);

	assert_non_null(text);
	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		char *list;

		tb_placed_group(placer, i, slot);
		list = tb_bitset_print_list(slot);
		snprintf(text + strlen(text), 1024 - strlen(text), "%s%s",
			 i ? ";" : "", list);
		free(list);
	}
	tb_bitset_destroy(slot);
	return text;
}

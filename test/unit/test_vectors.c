/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of placements, which decide what doc/design.md, "Placement", means.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "tsv.h"

/* One row, run. */
struct outcome {
	char slots[16];
	char *granted, *inuse_after, *slot_threads;
};

static char *copy_of(const char *text)
{
	char *copy = malloc(strlen(text) + 1);

	assert_non_null(copy);
	strcpy(copy, text);
	return copy;
}

static struct tb_request read_request(const struct tsv *table, size_t row)
{
	static const char *const keys[] = { "bunit",	 "bamount", "btype",
					    "bstrategy", "bsort",   "bstart",
					    "bstop",	 "bfilter" };
	struct tb_request request;
	struct tb_error err;

	tb_request_init(&request);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = tsv_get(table, row, keys[i]);

		if (strcmp(value, "-") != 0 &&
		    tb_request_set(&request, keys[i], value, &err))
			fail_msg("row %zu: %s", row, err.text);
	}
	if (tb_request_complete(&request, &err))
		fail_msg("row %zu: %s", row, err.text);
	return request;
}

/* "0-1;4" */
static char *print_groups(const struct tb_placer *placer, unsigned nthreads)
{
	struct tb_bitset *threads = tb_bitset_create(nthreads);
	char *text = copy_of("");

	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		char *list;

		tb_placed_group(placer, i, threads);
		list = tb_bitset_print_list(threads);
		text = realloc(text, strlen(text) + strlen(list) + 2);
		assert_non_null(text);
		if (i)
			strcat(text, ";");
		strcat(text, list);
		free(list);
	}
	tb_bitset_destroy(threads);
	return text;
}

static struct outcome run(const struct tb_topology *topology,
			  const struct tb_request *request,
			  const struct tb_bitset *used, unsigned nslots)
{
	struct tb_placer *placer = tb_placer_create(topology);
	int slots = tb_place(placer, request, used, nslots);
	struct outcome outcome;
	struct tb_bitset *after;

	snprintf(outcome.slots, sizeof(outcome.slots), "%d",
		 slots < 0 ? 0 : slots);
	if (slots <= 0) {
		outcome.granted = copy_of(slots == TB_PLACE_FILTER_MISMATCH
						  ? "FAIL:FILTER_MISMATCH"
						  : "FAIL");
		outcome.inuse_after = copy_of("-");
		outcome.slot_threads = copy_of("-");
	} else {
		after = tb_bitset_copy(used);
		assert_false(
			tb_bitset_intersects(used, tb_placed_threads(placer)));
		tb_bitset_or(after, tb_placed_threads(placer));
		outcome.granted = tb_topology_print_compact(topology,
							    tb_placed_threads(
								    placer));
		outcome.inuse_after = tb_topology_print_compact(topology,
								after);
		outcome.slot_threads = print_groups(placer, used->nbits);
		tb_bitset_destroy(after);
	}
	tb_placer_destroy(placer);
	return outcome;
}

/* A table need not have each column of the result. */
static unsigned differs(const struct tsv *table, size_t row, const char *column,
			const char *got)
{
	const char *expected = tsv_get(table, row, column);

	if (!expected || strcmp(expected, got) == 0)
		return 0;
	print_error("row %zu (%s), %s:\n  expected %s\n  got      %s\n", row,
		    tsv_field(table, row, 0), column, expected, got);
	return 1;
}

static unsigned run_row(const struct tsv *table, size_t row)
{
	struct tb_bitset *used;
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(tsv_get(table, row,
								 "topology"),
							 &used, &err);
	struct tb_request request;
	struct outcome got;
	unsigned wrong = 0;

	if (!topology)
		fail_msg("row %zu: %s", row, err.text);
	request = read_request(table, row);
	got = run(topology, &request, used,
		  (unsigned)atoi(tsv_get(table, row, "nslots")));
	wrong += differs(table, row, "slots", got.slots);
	wrong += differs(table, row, "granted", got.granted);
	wrong += differs(table, row, "inuse_after", got.inuse_after);
	wrong += differs(table, row, "slot_threads", got.slot_threads);
	free(got.granted);
	free(got.inuse_after);
	free(got.slot_threads);
	tb_request_clear(&request);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
	return wrong;
}

static void run_table(const char *name, size_t rows)
{
	struct tsv *table = tsv_open(name);
	unsigned wrong = 0;

	assert_int_equal(tsv_rows(table), rows);
	for (size_t row = 0; row < rows; row++)
		wrong += run_row(table, row);
	tsv_close(table);
	assert_int_equal(wrong, 0);
}

static void test_binding_vectors(void **state)
{
	(void)state;
	run_table("data/binding_vectors.tsv", 1193);
}

static void test_seed_examples(void **state)
{
	(void)state;
	run_table("data/seed_examples.tsv", 47);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_binding_vectors),
		cmocka_unit_test(test_seed_examples),
	};

	return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}

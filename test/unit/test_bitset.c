/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets: ranges are compared with single bits, lists and masks with tables.
 */
#include "unit_test.h"

#include "core/base/bitset.h"
#include "random_case.h"

#define MOST 200

/* The same set in the simplest form. */
struct model {
	unsigned nbits;
	bool bits[MOST];
};

static void check_same(const struct tb_bitset *set, const struct model *model)
{
	unsigned count = 0, next = model->nbits, clear = model->nbits;
	unsigned last = model->nbits, looped = 0;

	assert_int_equal(set->nbits, model->nbits);
	for (unsigned i = model->nbits; i-- > 0;) {
		assert_int_equal(tb_bitset_test(set, i), model->bits[i]);
		count += model->bits[i];
		if (model->bits[i])
			next = i;
		else
			clear = i;
		if (model->bits[i] && last == model->nbits)
			last = i;
		assert_int_equal(tb_bitset_next(set, i), next);
		assert_int_equal(tb_bitset_next_clear(set, i), clear);
	}
	assert_int_equal(tb_bitset_next(set, model->nbits), model->nbits);
	assert_int_equal(tb_bitset_count(set), count);
	assert_int_equal(tb_bitset_last(set), last);
	assert_int_equal(tb_bitset_is_empty(set), count == 0);
	TB_BITSET_EACH(bit, set) {
		assert_true(model->bits[bit]);
		looped++;
	}
	assert_int_equal(looped, count);
	/* Bits past the end stay zero. */
	if (set->nbits % 64)
		assert_int_equal(set->words[set->nbits / 64] >> set->nbits % 64,
				 0);
}

static void check_range_of_two(const struct tb_bitset *set,
			       const struct tb_bitset *other, unsigned first,
			       unsigned count)
{
	unsigned common = 0, missing = 0;

	for (unsigned i = first; i < first + count; i++) {
		bool in_set = tb_bitset_test(set, i);
		bool in_other = tb_bitset_test(other, i);

		common += in_set && in_other;
		missing += in_other && !in_set;
	}
	assert_int_equal(tb_bitset_intersects_range(set, other, first, count),
			 common > 0);
	assert_int_equal(tb_bitset_contains_range(set, other, first, count),
			 missing == 0);
}

static void change_range(struct random *random, struct tb_bitset *set,
			 const struct tb_bitset *other, struct model *model)
{
	unsigned first = random_below(random, model->nbits);
	unsigned count = random_below(random, model->nbits - first + 1);
	unsigned what = random_below(random, 4);

	assert_int_equal(tb_bitset_any_in_range(set, first, count),
			 tb_bitset_count_range(set, first, count) > 0);
	check_range_of_two(set, other, first, count);
	switch (what) {
	case 0:
		tb_bitset_set_range(set, first, count);
		break;
	case 1:
		tb_bitset_clear_range(set, first, count);
		break;
	case 2:
		tb_bitset_or_range(set, other, first, count);
		break;
	default:
		tb_bitset_andnot_range(set, other, first, count);
	}
	for (unsigned i = first; i < first + count; i++) {
		bool in_other = tb_bitset_test(other, i);

		model->bits[i] = what == 0   ? true
				 : what == 1 ? false
				 : what == 2 ? model->bits[i] || in_other
					     : model->bits[i] && !in_other;
	}
}

static void test_ranges(void **state)
{
	struct random random = { 5 };

	(void)state;
	for (unsigned nbits = 1; nbits < MOST; nbits++) {
		struct model model = { .nbits = nbits };
		struct tb_bitset *set = tb_bitset_create(nbits);
		struct tb_bitset *other = tb_bitset_create(nbits);

		for (unsigned i = 0; i < nbits; i += 3)
			tb_bitset_set(other, i);
		for (int i = 0; i < 50; i++) {
			change_range(&random, set, other, &model);
			check_same(set, &model);
		}
		tb_bitset_destroy(set);
		tb_bitset_destroy(other);
	}
}

static void test_two_sets(void **state)
{
	struct tb_bitset *a = tb_bitset_parse_list("0-3,70", 100, NULL);
	struct tb_bitset *b = tb_bitset_parse_list("2-5,99", 100, NULL);
	struct tb_bitset *c = tb_bitset_copy(a);
	char *list;

	(void)state;
	assert_true(tb_bitset_intersects(a, b));
	assert_true(tb_bitset_equal(a, c));
	tb_bitset_or(c, b);
	assert_true(tb_bitset_contains(c, a));
	assert_true(tb_bitset_contains(c, b));
	assert_false(tb_bitset_contains(a, c));
	list = tb_bitset_print_list(c);
	assert_string_equal(list, "0-5,70,99");
	free(list);
	tb_bitset_and(c, a);
	assert_true(tb_bitset_equal(a, c));
	tb_bitset_andnot(c, b);
	assert_false(tb_bitset_intersects(c, b));
	list = tb_bitset_print_list(c);
	assert_string_equal(list, "0-1,70");
	free(list);
	tb_bitset_clear_all(c);
	assert_true(tb_bitset_is_empty(c));
	tb_bitset_destroy(a);
	tb_bitset_destroy(b);
	tb_bitset_destroy(c);
	tb_bitset_destroy(NULL);
}

static void test_lists(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
		const char *says;
	} table[] = {
		{ "0", "0", NULL },
		{ "0-3,8", "0-3,8", NULL },
		{ "8,0-3", "0-3,8", NULL },
		{ "1,1,1", "1", NULL },
		{ "0-0", "0", NULL },
		{ "00-03", "0-3", NULL },
		{ "0-5,3-9", "0-9", NULL },
		{ "127", "127", NULL },
		{ "60-70", "60-70", NULL },
		{ "", NULL, "column 1: a number" },
		{ ",", NULL, "column 1: a number" },
		{ "1,", NULL, "column 3: a number" },
		{ "1,,2", NULL, "column 3: a number" },
		{ "1-", NULL, "column 3: a number" },
		{ "-1", NULL, "column 1: a number" },
		{ "1-2-3", NULL, "column 4: a comma" },
		{ "3-1", NULL, "ends before" },
		{ "128", NULL, "largest number allowed is 127" },
		{ "0-128", NULL, "largest number allowed is 127" },
		{ "4294967297", NULL, "largest number allowed is 127" },
		{ "99999999999999999999999", NULL, "largest number" },
		{ "1 2", NULL, "column 2: a comma" },
		{ "0x1", NULL, "column 2: a comma" },
		{ "a", NULL, "column 1: a number" },
	};
	struct tb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *set = tb_bitset_parse_list(table[i].in, 128,
							     &err);
		char *list;

		if (!table[i].out) {
			assert_null(set);
			if (!strstr(err.text, table[i].says))
				fail_msg("'%s': %s", table[i].in, err.text);
			continue;
		}
		assert_non_null(set);
		list = tb_bitset_print_list(set);
		assert_string_equal(list, table[i].out);
		free(list);
		tb_bitset_destroy(set);
	}
	assert_null(tb_bitset_parse_list("0", 0, &err));
}

static void test_empty(void **state)
{
	struct tb_bitset *set = tb_bitset_create(0);
	char *list = tb_bitset_print_list(set);
	char *mask = tb_bitset_print_mask(set);

	(void)state;
	assert_string_equal(list, "");
	assert_string_equal(mask, "0x0");
	assert_int_equal(tb_bitset_count(set), 0);
	assert_int_equal(tb_bitset_last(set), 0);
	TB_BITSET_EACH(bit, set)
		fail_msg("an empty set has bit %u", bit);
	free(list);
	free(mask);
	tb_bitset_destroy(set);
}

/* As hwloc_bitmap_asprintf() prints them. */
static void test_masks(void **state)
{
	static const struct {
		const char *list, *mask;
	} table[] = {
		{ "0", "0x00000001" },
		{ "0-3", "0x0000000f" },
		{ "31", "0x80000000" },
		{ "32", "0x00000001,0x0" },
		{ "0,32", "0x00000001,0x00000001" },
		{ "64", "0x00000001,,0x0" },
		{ "0,64", "0x00000001,,0x00000001" },
		{ "32,96", "0x00000001,,0x00000001,0x0" },
		{ "100", "0x00000010,,,0x0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *set = tb_bitset_parse_list(table[i].list, 101,
							     NULL);
		char *mask = tb_bitset_print_mask(set);

		assert_string_equal(mask, table[i].mask);
		free(mask);
		tb_bitset_destroy(set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges), cmocka_unit_test(test_two_sets),
		cmocka_unit_test(test_lists),  cmocka_unit_test(test_empty),
		cmocka_unit_test(test_masks),
	};

	return cmocka_run_group_tests_name("bitset", tests, NULL, NULL);
}

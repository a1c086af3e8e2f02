/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cores are near which devices: reading and printing it.
 */
#include "unit_test.h"

#include "core/topology/device_places.h"

#define CORES 16

static const char *const good[] = {
	"gpu:0@0-7",
	"gpu:a100:0-1@0-7;gpu:a100:2-3@8-15",
	"gpu:a100:0-1@0-7;gpu:1g.5gb:2@8,10;nic:0",
	"nic:0-1023",
	"gpu:0@15;nic:mlx_5-0:3,5-6",
	/* a type that looks like a number of devices */
	"gpu:0-1:0-1@0",
};

static const char *const bad[] = {
	"",
	"gpu",
	"gpu:",
	":0",
	"gpu:a100",
	"gpu::0",
	"gpu:0@",
	"gpu:0@16",
	"gpu:0@0-16",
	"gpu:1024@0",
	"gpu:1-0@0",
	"gpu:0@0;",
	";gpu:0@0",
	"gpu:0@0;;nic:0",
	"gpu:0@0@1",
	"gpu:0@0:1",
	"gpu:a:b:0@0",
	"gpu:0 @0",
	"@0",
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct tb_device_places places;
		struct tb_error err = { "" };
		char *text;

		if (tb_device_places_parse(&places, good[i], CORES, &err))
			fail_msg("%s: %s", good[i], err.text);
		text = tb_device_places_print(&places, &err);
		assert_non_null(text);
		assert_string_equal(text, good[i]);
		free(text);
		tb_device_places_clear(&places);
	}
}

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tb_device_places places;
		struct tb_error err = { "" };

		if (!tb_device_places_parse(&places, bad[i], CORES, &err))
			fail_msg("accepted: %s", bad[i]);
		assert_true(*err.text);
		tb_device_places_clear(&places);
	}
}

static void test_too_long(void **state)
{
	char *text = calloc(1, TB_DEVICE_PLACES_TEXT_MAX + 64);
	struct tb_device_places places;
	struct tb_error err = { "" };

	(void)state;
	while (strlen(text) <= TB_DEVICE_PLACES_TEXT_MAX)
		strcat(text, *text ? ";nic:0" : "nic:0");
	assert_int_equal(tb_device_places_parse(&places, text, CORES, &err),
			 -1);
	assert_non_null(strstr(err.text, "2048"));
	tb_device_places_clear(&places);
	free(text);
}

/* The set "3,5" of devices, or of cores. */
static struct tb_bitset *make_set(const char *list, unsigned nbits)
{
	struct tb_bitset *set = tb_bitset_parse_list(list, nbits, NULL);

	assert_non_null(set);
	return set;
}

static void add(struct tb_device_places *places, const char *name,
		const char *type, const char *devices, const char *cores)
{
	struct tb_bitset *numbers = make_set(devices, TB_DEVICES_OF_NAME);
	struct tb_bitset *near = cores ? make_set(cores, CORES) : NULL;

	assert_int_equal(tb_device_places_add(places, name, type, numbers,
					      near),
			 0);
	tb_bitset_destroy(numbers);
	tb_bitset_destroy(near);
}

/* Places that differ in nothing are one, where the first of them is. */
static void test_add(void **state)
{
	struct tb_device_places places = { 0 };
	char *text;

	(void)state;
	add(&places, "nic", NULL, "0", NULL);
	assert_false(tb_device_places_are_near(&places));
	add(&places, "gpu", "a", "0", "0-3");
	assert_true(tb_device_places_are_near(&places));
	add(&places, "gpu", "b", "2", "0-3");
	add(&places, "gpu", NULL, "7", "0-3");
	add(&places, "gpu", "a", "1", "0-3");
	add(&places, "gpu", "a", "3", "0-2");
	add(&places, "gpu", "a", "4", NULL);
	add(&places, "nic", NULL, "1", NULL);
	text = tb_device_places_print(&places, NULL);
	assert_string_equal(
		text,
		"nic:0-1;gpu:a:0-1@0-3;gpu:b:2@0-3;gpu:7@0-3;gpu:a:3@0-2;gpu:a:4");
	free(text);
	tb_device_places_clear(&places);
	assert_int_equal(places.count, 0);
}

/* Nobody could read these again. */
static void test_not_printed(void **state)
{
	static const char *const names[] = { "g:u", "g;u", "g@u", "g u", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tb_device_places places = { 0 };
		struct tb_error err = { "" };

		add(&places, "gpu", names[i], "0", "0");
		assert_null(tb_device_places_print(&places, &err));
		assert_true(*err.text);
		tb_device_places_clear(&places);
		add(&places, names[i], NULL, "0", "0");
		assert_null(tb_device_places_print(&places, NULL));
		tb_device_places_clear(&places);
	}
}

/* 400 places need more than 2048 bytes; no text is cut. */
static void test_too_many(void **state)
{
	struct tb_device_places places = { 0 };
	char *text = NULL;
	unsigned count = 0;

	(void)state;
	for (;; count++) {
		char type[16];

		snprintf(type, sizeof(type), "t%u", count);
		add(&places, "gpu", type, "0", "0");
		text = tb_device_places_print(&places, NULL);
		if (!text)
			break;
		assert_true(strlen(text) <= TB_DEVICE_PLACES_TEXT_MAX);
		free(text);
	}
	/* "gpu:t123:0@0;" */
	assert_in_range(count, 150, 180);
	tb_device_places_clear(&places);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_add),
		cmocka_unit_test(test_not_printed),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What people are told of a slot's placement.
 */
#include "unit_test.h"

#include "core/place/why.h"

/*
 * A container is its letter (* for the node) and number, its units, the free ones and
 * those of the slot; with a + it is inside the place, which comes first.
 */
static const struct {
	const char *topology; /* used threads in lower case */
	const char *request, *wanted;
} rows[] = {
	/* The other cache of the place's level has been looked at, too. */
	{ "NSXccCCXCCCC", "bamount=2", "X0:4/2/2 X0:4/2/2 X1:4/4/0" },
	/* Nothing is free in the first one. */
	{ "NSXccXCC", "bamount=1", "X1:2/2/1 X1:2/2/1" },
	{ "NSXCXCNSXCXC", "bunit=X,bamount=2", "S0:2/2/2 S0:2/2/2 S1:2/2/0" },
	{ "NSXCCXCCNSXCCXCC", "bamount=6",
	  "*0:8/8/6 +N0:4/4/4 +S0:4/4/4 +X0:2/2/2 +X1:2/2/2 "
	  "+N1:4/4/2 +S1:4/4/2 +X2:2/2/2 +X3:2/2/0" },
	{ "NSXCCXCC", "bamount=3", "S0:4/4/3 S0:4/4/3 +X0:2/2/2 +X1:2/2/1" },
	/* Of threads, cores are containers. */
	{ "NSXCTTCTtXcttCTT", "bunit=T,bamount=2",
	  "C0:2/2/2 C0:2/2/2 C1:2/1/0 C3:2/2/0" },
	{ "NSXCTTCTTNSXCTTCTT", "bunit=T,bamount=3",
	  "X0:4/4/3 X0:4/4/3 +C0:2/2/2 +C1:2/2/1 X1:4/4/0 C2:2/2/0 C3:2/2/0" },
};

static void print_container(char text[400],
			    const struct tb_why_container *container)
{
	sprintf(text + strlen(text), "%s%s%c%u:%u/%u/%u", *text ? " " : "",
		container->inside ? "+" : "",
		container->letter ? container->letter : '*', container->number,
		container->units, container->free, container->taken);
}

static void print_why(const struct tb_placer *placer, char text[400])
{
	struct tb_why why;

	*text = '\0';
	assert_int_equal(tb_why_placed(placer, &why), 0);
	print_container(text, &why.place);
	for (unsigned i = 0; i < why.ncontainers; i++)
		print_container(text, &why.containers[i]);
	tb_why_clear(&why);
	assert_null(why.containers);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_bitset *used;
		struct tb_topology *topology =
			tb_topology_parse(rows[i].topology, &used, NULL);
		struct tb_placer *placer = tb_placer_create(topology);
		struct tb_request request;
		char text[400];

		assert_non_null(placer);
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, rows[i].request,
						  NULL),
				 0);
		assert_int_equal(tb_place(placer, &request, used, 1), 1);
		print_why(placer, text);
		assert_string_equal(text, rows[i].wanted);
		tb_request_clear(&request);
		tb_placer_destroy(placer);
		tb_bitset_destroy(used);
		tb_topology_destroy(topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests_name("why", tests, NULL, NULL);
}

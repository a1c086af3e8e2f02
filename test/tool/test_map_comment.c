/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_map_comment.c - the line in a job's system_comment that the map reads
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "map/map.h"

#define SHAPE "NSXCCXCC"

static struct tb_map *map_of_nodes(void)
{
	struct tb_map *map = tb_map_create();

	assert_non_null(map);
	assert_int_equal(tb_map_add_node(map, "n1", SHAPE, NULL, NULL), 0);
	assert_int_equal(tb_map_add_node(map, "n2", SHAPE, "NSXcCXCC", NULL),
			 0);
	assert_int_equal(tb_map_add_node(map, "n3", NULL, NULL, NULL), 0);
	return map;
}

static int add(struct tb_map *map, const char *comment)
{
	struct tb_error err = { "" };
	int rc = tb_map_add_comment(map, "7", "alice", "cfd", comment, &err);

	assert_int_equal(rc != 0, *err.text != '\0');
	return rc;
}

static void check_holders(const struct tb_map *map, unsigned node, int first,
			  int second, int third, int fourth)
{
	const int *holders = map->nodes[node].holders;

	assert_int_equal(holders[0], first);
	assert_int_equal(holders[1], second);
	assert_int_equal(holders[2], third);
	assert_int_equal(holders[3], fourth);
}

static void test_grants(void **state)
{
	struct tb_map *map = map_of_nodes();

	(void)state;
	assert_int_equal(add(map, "somebody else's line\n"
				  "binding=bunit=X,bamount=1"
				  " grant=n[1,3],other:NSxccXCC"
				  " grant=n2:NSXCCxcc\n"
				  "another=line: with a colon"),
			 0);
	assert_int_equal(map->njobs, 1);
	assert_string_equal(map->jobs[0].id, "7");
	assert_string_equal(map->jobs[0].user, "alice");
	assert_string_equal(map->jobs[0].name, "cfd");
	assert_string_equal(map->jobs[0].request, "bunit=X,bamount=1");
	assert_int_equal(map->jobs[0].ngrants, 2);
	assert_string_equal(map->jobs[0].grants[0].nodes, "n[1,3],other");
	assert_string_equal(map->jobs[0].grants[1].string, "NSXCCxcc");
	check_holders(map, 0, 0, 0, TB_HOLDER_NONE, TB_HOLDER_NONE);
	check_holders(map, 1, TB_HOLDER_PLAIN, TB_HOLDER_NONE, 0, 0);

	/* A second job on some of the same units. */
	assert_int_equal(add(map, "binding=bamount=1 grant=n1:NSXCcXcC"), 0);
	check_holders(map, 0, 0, TB_HOLDER_MANY, 1, TB_HOLDER_NONE);
	tb_map_destroy(map);
}

/* A large job: positions of threads, and not of all nodes. */
static void test_lists(void **state)
{
	struct tb_map *map = map_of_nodes();

	(void)state;
	assert_int_equal(add(map, "binding=bamount=1 grant=n[1,3]:0-1,3"
				  " grant=n2:2 more=7"),
			 0);
	assert_int_equal(map->jobs[0].ngrants, 2);
	check_holders(map, 0, 0, 0, TB_HOLDER_NONE, 0);
	check_holders(map, 1, TB_HOLDER_PLAIN, TB_HOLDER_NONE, 0,
		      TB_HOLDER_NONE);
	tb_map_destroy(map);
}

static void test_no_binding(void **state)
{
	static const char *const comments[] = {
		"",
		"\n\n",
		"just a comment",
		"grant=n1:NSxccXCC",
		"waiting=no node has binding=bamount=1 grant=n1:NSxccXCC",
		" binding=bamount=1",
		"xbinding=bamount=1 grant=n1:NSxccXCC",
	};
	struct tb_map *map = map_of_nodes();

	(void)state;
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++)
		assert_int_equal(add(map, comments[i]), 0);
	assert_int_equal(map->njobs, 0);
	check_holders(map, 0, TB_HOLDER_NONE, TB_HOLDER_NONE, TB_HOLDER_NONE,
		      TB_HOLDER_NONE);
	tb_map_destroy(map);
}

static void test_bad_grants(void **state)
{
	static const char *const comments[] = {
		"binding=bamount=1 grant=",
		"binding=bamount=1 grant=n1",
		"binding=bamount=1 grant=n1:",
		"binding=bamount=1 grant=n1:Q",
		"binding=bamount=1 grant=n1:NSxcc",
		"binding=bamount=1 grant=n1:4",
		"binding=bamount=1 grant=n1:0-",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		struct tb_map *map = map_of_nodes();

		assert_int_equal(add(map, comments[i]), -1);
		check_holders(map, 0, TB_HOLDER_NONE, TB_HOLDER_NONE,
			      TB_HOLDER_NONE, TB_HOLDER_NONE);
		tb_map_destroy(map);
	}
}

static void test_bad_nodes(void **state)
{
	struct tb_map *map = tb_map_create();
	struct tb_error err;

	(void)state;
	assert_int_equal(tb_map_add_node(map, "a", "Q", NULL, &err), -1);
	assert_int_equal(tb_map_add_node(map, "a", SHAPE, "NSXCC", &err), -1);
	assert_int_equal(tb_map_add_node(map, "a", SHAPE, "(", &err), -1);
	assert_int_equal(map->nnodes, 0);
	tb_map_destroy(map);
	tb_map_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grants),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_no_binding),
		cmocka_unit_test(test_bad_grants),
		cmocka_unit_test(test_bad_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

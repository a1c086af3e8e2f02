/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placements that test/data/binding_vectors.tsv does not show, one by one.
 */
#include "unit_test.h"

#include "core/place/place.h"

/* The node's used threads in lower case; the grant as "0-1;2-3", or "". */
static void check_places(const char *node, const char *line, unsigned nslots,
			 const unsigned *distances, const char *expected)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(node, &used, NULL);
	struct tb_placer *placer;
	struct tb_request request;
	char got[256] = "";

	assert_non_null(topology);
	if (distances)
		assert_int_equal(tb_topology_set_distances(
					 topology, distances,
					 tb_topology_count(topology, 'N'),
					 NULL),
				 0);
	placer = tb_placer_create(topology);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	if (tb_place(placer, &request, used, nslots) > 0)
		for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
			char *list;

			tb_placed_group(placer, i, used);
			list = tb_bitset_print_list(used);
			snprintf(got + strlen(got), sizeof(got) - strlen(got),
				 "%s%s", i ? ";" : "", list);
			free(list);
		}
	if (strcmp(got, expected) != 0)
		fail_msg("%s %s: %s, expected %s", node, line, got, expected);
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

/* NUMA nodes in a square: N1-N2, N1-N3, N2-N4, N3-N4 near, diagonals far. */
static void test_distances(void **state)
{
	static const unsigned quadrants[16] = {
		10, 20, 20, 30, 20, 10, 30, 20, 20, 30, 10, 20, 30, 20, 20, 10,
	};
	static const char node[] = "NSxccXCCNSXCCXCCNSXcCXCCNSXCCXCC";

	(void)state;
	/* N2 N1 N4 N3, in them the least loaded X and C first */
	check_places(node, "bamount=1,bsort=NXC", 16, quadrants,
		     "4;5;6;7;2;3;12;13;14;15;10;11;9");
	/* By load alone N3 and N1 come last. */
	check_places(node, "bamount=1,bsort=NXC", 16, NULL,
		     "4;5;6;7;12;13;14;15;10;11;9;2;3");
	/* Most used first: N1, its neighbours N2 and N3, then N4. */
	check_places(node, "bamount=1,bsort=n", 16, quadrants,
		     "2;3;4;5;6;7;9;10;11;12;13;14;15");
	/* N1 N2 N3 N4, the window from the used one on. */
	check_places("NCCNcCNCCNCC", "bamount=1,bsort=N,bstart=n", 8, quadrants,
		     "3;4;5;6;7");
}

/* N1 and N3 are neighbours, and so are N2 and N4. */
static void test_near_numa_nodes(void **state)
{
	static const unsigned crosswise[16] = {
		10, 30, 12, 30, 30, 10, 30, 12, 12, 30, 10, 30, 30, 12, 30, 10,
	};

	(void)state;
	check_places("NSCCNSCCNSCCNSCC", "bunit=N,bamount=2", 2, crosswise,
		     "0-1,4-5;2-3,6-7");
	check_places("NSCCNSCCNSCCNSCC", "bamount=4,btype=host", 1, crosswise,
		     "0-1,4-5");
	check_places("NSCcNSCCNSCCNSCC", "bamount=4", 1, crosswise, "2-3,6-7");
	/* The sort says which come first. */
	check_places("NSCcNSCCNSCCNSCC", "bamount=4,bsort=n", 1, crosswise,
		     "0,2,4-5");
	check_places("NSCCNSCCNSCCNSCC", "bunit=N,bamount=2", 1, NULL, "0-3");
}

static void test_fewest_containers(void **state)
{
	static const char node[] = "NSXcccCXcccCXCCCCXCCCC";

	(void)state;
	check_places(node, "bamount=6", 1, NULL, "8-13");
	check_places(node, "bamount=6,bsort=X", 1, NULL, "8-13");
	/* The most used ones first, as the sort says. */
	check_places(node, "bamount=6,bsort=x", 1, NULL, "3,7-11");
	/* The second one is taken in part, but was not whole before. */
	check_places("SXCCCCXCCCCXcCCC", "bamount=6", 1, NULL, "0-3,9-10");
}

static void test_nested_letters(void **state)
{
	static const char nested[] =
		"(S(N(N(C(T))(C(T)))(N(C(T))(C(T))))(N(C(T))(C(T))))";

	(void)state;
	/* the outer one first, then what is not in it */
	check_places(nested, "bunit=N,bamount=1", 4, NULL, "0-3;4-5");
	/* the inner ones, when something in the outer one is in use */
	check_places("(S(N(N(C(t))(C(T)))(N(C(T))(C(T))))(N(C(T))(C(T))))",
		     "bunit=N,bamount=1", 4, NULL, "2-3;4-5");
	/* two cores fit into an inner N, four into the outer one */
	check_places(nested, "bamount=2,bstrategy=packed", 1, NULL, "0-1");
	check_places("(S(N(C(T))(N(C(T))(C(T)))))", "bamount=2", 1, NULL,
		     "1-2");
	check_places(nested, "bamount=4", 1, NULL, "0-3");
}

static void test_units_without_threads(void **state)
{
	(void)state;
	/* The first X has no power core: it is no X unit, and no place. */
	check_places("NSXEEXCC", "bunit=X,bamount=1", 2, NULL, "2-3");
	check_places("NSXEEXCC", "bunit=EX,bamount=1", 2, NULL, "0-1");
	check_places("NSXEEXEE", "bunit=X,bamount=1", 2, NULL, "");
	check_places("NSXEEXCCXCC", "bamount=1,bstrategy=scatter", 3, NULL,
		     "2;4;3");
	check_places("SEEEE", "bunit=T,bamount=1", 1, NULL, "");
}

static void test_mixed_kinds(void **state)
{
	(void)state;
	/* A unit is its threads of the kind; the other kind may be in use. */
	check_places("NSXCCeeXCCEE", "bunit=X,bamount=1", 2, NULL, "0-1;4-5");
	check_places("NSXCCeEXCCEE", "bunit=EX,bamount=1", 2, NULL, "6-7");
	check_places("NSXCTTEETTXCTTE", "bunit=T,bamount=2", 3, NULL,
		     "0-1;5-6");
	check_places("NSXCTTEETTXCTTE", "bunit=ET,bamount=2", 3, NULL,
		     "3-4;2,7");
	check_places("NSXCTTEETTXCTTE", "bunit=ET,bamount=1,bstrategy=linear",
		     9, NULL, "2;3;4;7");
}

static void test_many_threads_per_core(void **state)
{
	(void)state;
	/* a core each as long as one has three, then what is left */
	check_places("SCTTTTCTTTTCTTTT", "bunit=T,bamount=3", 4, NULL,
		     "0-2;4-6;8-10;3,7,11");
	check_places("SCTtTTCTTTTCTTTT", "bunit=T,bamount=3", 4, NULL,
		     "0,2-3;4-6;8-10");
	check_places("SCTtTTCTTTTCTTTT", "bamount=1", 4, NULL, "4-7;8-11");
}

/* Core 21 of 30 with three threads each is 63-65, in two words of a set. */
static void test_cores_across_words(void **state)
{
	static const char core[] = "CTTT";
	struct tb_bitset *used = tb_bitset_create(90);
	char node[4 * 30 + 1] = "";
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_request request;
	char *list;

	(void)state;
	for (int i = 0; i < 30; i++)
		strcat(node, core);
	topology = tb_topology_parse(node, NULL, NULL);
	placer = tb_placer_create(topology);
	tb_request_init(&request);
	request.amount = 1;
	for (unsigned thread = 63; thread <= 65; thread++) {
		tb_bitset_clear_all(used);
		tb_bitset_set(used, thread);
		assert_int_equal(tb_place(placer, &request, used, 30), 29);
		list = tb_bitset_print_list(tb_placed_threads(placer));
		assert_string_equal(list, "0-62,66-89");
		free(list);
	}
	assert_int_equal(tb_place(placer, &request, NULL, 30), 30);
	tb_bitset_destroy(used);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

static void test_listed_cpus(void **state)
{
	(void)state;
	check_places("SCTTCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "1,4-5");
	check_places("SCtTCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "1,4-5");
	check_places("SCTtCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "");
	check_places("SCTTCTTSCTTCTT", "bcpus=7", 1, NULL, "7");
	check_places("SCTTCTTSCTTCTT", "bcpus=7-8", 1, NULL, "");
	check_places("SCTTCTTSCTTCTT", "bcpus=65535", 1, NULL, "");
	check_places("SCTTEE", "bcpus=1-2", 1, NULL, "1-2");
	check_places("SCTTCTT", "bcpus=0,bamount=0", 1, NULL, "");
	check_places("SCTTCTT", "bcpus=0", 0, NULL, "");
	check_places("SCCC", "bcpus=0-1,btopology=SCCC", 1, NULL, "0-1");
}

static int result_of(const char *node, const char *line)
{
	struct tb_topology *topology = tb_topology_parse(node, NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request;
	int result;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	result = tb_place(placer, &request, NULL, 2);
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	return result;
}

static void test_asked_topology(void **state)
{
	(void)state;
	assert_int_equal(result_of("NSCC", "bamount=1,btopology=NSCC"), 2);
	assert_int_equal(result_of("nscC", "bamount=1,btopology=NSCC"), 2);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=(N(S(C(T))(C(T))))"),
			 2);
	assert_int_equal(result_of("NSCCC", "bamount=1,btopology=NSCC"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC", "bcpus=0,btopology=SNCC"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=NSC,bfilter=NSc"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=NSCC,bfilter=NSc"),
			 TB_PLACE_FILTER_MISMATCH);
}

static void test_nothing_asked(void **state)
{
	(void)state;
	check_places("SCCCC", "bamount=0", 4, NULL, "");
	check_places("SCCCC", "bamount=0,bstrategy=linear", 4, NULL, "");
	check_places("SCCCC", "bamount=1", 0, NULL, "");
	check_places("SCCCC", "bamount=1,btype=host", 0, NULL, "");
}

static void test_idle_without_a_set(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SCCCC", NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	request.amount = 2;
	assert_int_equal(tb_place(placer, &request, NULL, 9), 2);
	assert_int_equal(tb_place(placer, &request, NULL, 9), 2);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	tb_placer_destroy(NULL);
	tb_topology_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_near_numa_nodes),
		cmocka_unit_test(test_fewest_containers),
		cmocka_unit_test(test_nested_letters),
		cmocka_unit_test(test_units_without_threads),
		cmocka_unit_test(test_mixed_kinds),
		cmocka_unit_test(test_many_threads_per_core),
		cmocka_unit_test(test_cores_across_words),
		cmocka_unit_test(test_listed_cpus),
		cmocka_unit_test(test_asked_topology),
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_idle_without_a_set),
	};

	return cmocka_run_group_tests_name("place_examples", tests, NULL, NULL);
}

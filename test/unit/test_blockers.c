/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is missing for a request, and whose end would suffice.
 */
#include "unit_test.h"

#include "holder_cluster.h"

#define ONE \
	{ \
		"SXCCXCC" \
	}
#define TWO \
	{ \
		"SXCCXCC", "SXCCXCC" \
	}

static const struct row {
	const char *name;
	const char *topology[NODES_MAX];
	const char *holders[NODES_MAX]; /* '!' before them: required */
	int64_t ends[HOLDERS_MAX];
	const char *request;
	unsigned slots, per_node, min_nodes, max_nodes, task_threads;
	bool whole_nodes;
	const char *room; /* of each node */
	bool found;
	int64_t when;
	const char *ended;
	bool implicit;
} table[] = {
	/* clang-format off */
	{ "an idle node", ONE, { "...." }, { 0 }, "bunit=X,bamount=1", 2, 2, 1,
	  1, 1, false, "2", true, -1, "", false },
	{ "half of each cache", ONE, { "a.b." }, { 10, 20 },
	  "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "0", true, 10, "a",
	  false },
	{ "both caches", ONE, { "a.b." }, { 10, 20 }, "bunit=X,bamount=1", 2,
	  2, 1, 1, 1, false, "0", true, 20, "a b", false },
	{ "the later one frees it, the earlier one is spared", ONE, { "ab#c" },
	  { 10, 20, 5 }, "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "0", true,
	  20, "a b", false },
	{ "one whose units do not matter is spared", ONE, { "ab.c" },
	  { 30, 20, 40 }, "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "0",
	  true, 30, "a b", false },
	{ "what never ends", ONE, { "#.#." }, { 0 }, "bunit=X,bamount=1", 1, 1,
	  1, 1, 1, false, "0", false, -1, "", false },
	{ "one without an end", ONE, { "a.#." }, { NEVER },
	  "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "0", true, NEVER, "a",
	  false },
	{ "rather one with an end", ONE, { "a.b." }, { NEVER, 7 },
	  "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "0", true, 7, "b", false },
	{ "a window that begins at what is in use", ONE, { "abcc" },
	  { 10, 20, 30 }, "bunit=C,bamount=1,bstart=x", 1, 1, 1, 1, 1, false,
	  "0", true, 10, "a", false },
	{ "a node of its own, though a part is masked", ONE, { "#..." },
	  { 0 }, "bunit=X,bamount=1", 1, 1, 1, 1, 1, true, "1", true, -1, "",
	  false },
	{ "a node of its own that another has", ONE, { "a..." }, { 10 },
	  "bunit=X,bamount=1", 1, 1, 1, 1, 1, true, "0", true, 10, "a", false },
	{ "a job of a partition that shares", TWO, { ":.b.a", "b..." },
	  { 10, 8 }, "bunit=C,bamount=1", 4, 4, 1, 1, 1, false, "03", true, 8,
	  "b", false },
	{ "a job of a partition that shares, on the only node", ONE,
	  { ":.b.a" }, { 10, 8 }, "bunit=C,bamount=1", 3, 3, 1, 1, 1, false,
	  "0", true, 10, "a", false },
	{ "more than the node has", ONE, { "...." }, { 0 },
	  "bunit=X,bamount=3", 1, 1, 1, 1, 1, false, "0", false, -1, "",
	  false },
	{ "a node each", TWO, { "a.b.", "c..." }, { 10, 20, 30 },
	  "bunit=X,bamount=1", 2, 1, 2, 2, 1, false, "01", true, 10,
	  "a", false },
	{ "all on one node", TWO, { "a.b.", "c..." }, { 10, 20, 30 },
	  "bunit=X,bamount=1", 2, 2, 1, 1, 1, false, "01", true, 20, "a b",
	  false },
	{ "on one or two", TWO, { "a.b.", "c..." }, { 10, 20, 30 },
	  "bunit=X,bamount=1", 2, 2, 1, 2, 1, false, "01", true, 10, "a",
	  false },
	{ "a required node", TWO, { "!a.b.", "...." }, { 10, 20 },
	  "bunit=X,bamount=1", 1, 1, 1, 1, 1, false, "01", true, 10, "a",
	  false },
	{ "a required one and another", TWO, { "!a.b.", "...." }, { 10, 20 },
	  "bunit=X,bamount=1", 3, 2, 1, 2, 1, false, "02", true, 10, "a",
	  false },
	{ "once for the host", TWO, { "a...", "...." }, { 10 },
	  "bunit=X,bamount=2,btype=host", 2, 1, 2, 2, 1, false, "01", true, 10, "a",
	  false },
	{ "a host's tasks need threads", ONE, { "...." }, { 10 },
	  "bunit=C,bamount=3,btype=host", 2, 2, 1, 1, 2, false, "1", false,
	  -1, "", false },
	{ "a slot's task needs threads", ONE, { "...." }, { 10 },
	  "bunit=C,bamount=1", 1, 1, 1, 1, 2, false, "0", false, -1, "",
	  false },
	{ "a whole node", TWO, { "...a", "b..." }, { 10, 8 },
	  "bunit=C,bamount=1", 1, 1, 1, 1, 1, true, "00", true, 8, "b", false },
	{ "a list of threads", ONE, { "ab.." }, { 10, 20 }, "bcpus=1-2", 1, 1,
	  1, 1, 1, false, "0", true, 20, "b", false },
	{ "sizes are not mixed", { "SXCCXCC", "SXCXC" }, { "a...", ".." },
	  { 10 }, "bunit=X,bamount=1", 3, 3, 1, 2, 1, false, "12", false, -1,
	  "", false },
	{ "sizes are mixed when the job says so", { "SXCCXCC", "SXCXC" },
	  { "a...", ".." }, { 10 }, "bunit=X,bamount=1,bequal=no", 3, 3, 1, 2, 1,
	  false, "12", true, -1, "", false },
	{ "unequal slots need threads, too", { "SXCCCXC", "SXCCXC" },
	  { "...a", "b.." }, { 10, 20 }, "bunit=X,bamount=1,bequal=no", 2, 2, 1,
	  2, 2, false, "10", true, 20, "b", false },
	{ "one holder on two nodes", TWO, { "a#a.", "b#a." }, { 10, 20 },
	  "bunit=X,bamount=1", 2, 2, 2, 2, 1, false, "00", true, 10, "a",
	  false },
	{ "implicit: each node's units", { "SXCCXCC", "SXCCCC" },
	  { "....", "a..." }, { 10 }, "bunit=X,bamount=1", 2, 2, 1, 1, 4,
	  false, "10", false, -1, "", true },
	{ "implicit: as many units as a task needs", TWO, { "a.b.", "c..." },
	  { 10, 20, 30 }, "bunit=X,bamount=1", 1, 1, 1, 1, 3, false, "00",
	  true, 20, "a b", true },
	{ "implicit: a smaller unit behind those that hold a task",
	  { "SXCCXC" }, { "..." }, { 0 }, "bunit=X,bamount=1", 1, 1, 1, 1, 2,
	  false, "1", true, -1, "", true },
	{ "a smaller unit behind those that hold a task", { "SXCCXC" },
	  { "..." }, { 0 }, "bunit=X,bamount=1", 1, 1, 1, 1, 2, false, "1",
	  true, -1, "", false },
	{ "another shape", ONE, { "...." }, { 0 },
	  "bunit=C,bamount=1,btopology=SXCC", 1, 1, 1, 1, 1, false, "0",
	  false, -1, "", false },
	/* clang-format on */
};

static void make_cluster(struct cluster *cluster, const struct row *row)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->nholders = HOLDERS_MAX;
	memcpy(cluster->ends, row->ends, sizeof(cluster->ends));
	for (unsigned i = 0; i < NODES_MAX && row->topology[i]; i++) {
		bool required = row->holders[i][0] == '!';

		add_node(cluster, row->topology[i], row->holders[i] + required,
			 required);
	}
}

static void check_row(const struct row *row)
{
	struct tb_bitset *ended = tb_bitset_create(HOLDERS_MAX);
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need = {
		.request = &request,
		.asked = {
			.tasks = row->slots,
			.tasks_per_node = row->per_node < row->slots
						  ? row->per_node
						  : 0,
			.min_nodes = row->min_nodes,
			.max_nodes = row->max_nodes,
			.task_cpus = row->task_threads,
			.tasks_are_given = true,
			.may_be_fewer = true,
		},
		.whole_nodes = row->whole_nodes,
		.implicit = row->implicit,
	};
	struct tb_blockers *blockers;
	char rooms[NODES_MAX + 1] = "", who[32];
	int64_t when;
	bool found;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, row->request, NULL), 0);
	assert_int_equal(tb_request_complete(&request, NULL), 0);
	make_cluster(&cluster, row);
	blockers = tb_blockers_create(&need, cluster.nodes, cluster.nnodes,
				      cluster.ends, cluster.nholders);
	assert_non_null(blockers);
	for (unsigned i = 0; i < cluster.nnodes; i++)
		rooms[i] = (char)('0' + tb_blockers_room(blockers, i));
	found = tb_blockers_find(blockers, ended, &when);
	print_ended(ended, who);
	if (strcmp(rooms, row->room) != 0 || found != row->found ||
	    when != row->when || strcmp(who, row->ended) != 0)
		fail_msg("%s: room %s, found %d, when %lld, ended \"%s\"",
			 row->name, rooms, found, (long long)when, who);
	assert_int_equal(tb_blockers_fits(blockers), found && when == -1);
	tb_blockers_destroy(blockers);
	clear_cluster(&cluster);
	tb_request_clear(&request);
	tb_bitset_destroy(ended);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_row(&table[i]);
}

/* What is placed for the offers of the class that suffices, and its CPUs. */
static void check_choice(const struct cluster *cluster,
			 const struct tb_need *need, const char *wanted)
{
	struct tb_blockers *blockers = create_blockers(cluster, need);
	char text[100] = "";
	unsigned count;
	const struct tb_offer *offers = tb_blockers_choose(blockers, &count);

	assert_int_equal(!offers, !count);
	for (unsigned i = 0; i < count; i++) {
		unsigned slots = tb_blockers_place(blockers, offers[i].node,
						   &offers[i], 2);
		char *list = tb_bitset_print_list(tb_placed_threads(
			cluster->nodes[offers[i].node].placer));

		assert_int_equal(slots, offers[i].slots);
		sprintf(text + strlen(text), "%u: %u of %u on %s; ",
			offers[i].node, slots, offers[i].cpus, list);
		free(list);
	}
	assert_string_equal(text, wanted);
	tb_blockers_destroy(blockers);
}

static void test_choice(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCXCC", "....", false);
	add_node(&cluster, "SXCCXCC", "a...", false);
	begin_need(&need, &request, "bunit=X,bamount=1", 4);
	check_choice(&cluster, &need, "");
	need.asked.tasks = 3;
	check_choice(&cluster, &need, "0: 2 of 2 on 0-3; 1: 1 of 2 on 2-3; ");
	clear_cluster(&cluster);
	/* The first cache is too small, by cores and by threads. */
	begin_cluster(&cluster);
	add_node(&cluster, "SXCXCCXCC", ".....", false);
	need.asked.tasks = 2;
	check_choice(&cluster, &need, "0: 2 of 2 on 1-4; ");
	cluster.nodes[0].books.by_thread = false;
	check_choice(&cluster, &need, "0: 2 of 2 on 1-4; ");
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests_name("blockers", tests, NULL, NULL);
}

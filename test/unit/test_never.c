/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why no node has the units of one slot: the sentences, and that there is none
 * exactly where a slot fits, against placements on random idle nodes.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "core/plan/never.h"
#include "core/plan/never_cpus.h"
#include "core/plan/never_tasks.h"

struct never_case {
	const char *request;
	unsigned task_threads;
	const char *nodes[3]; /* "": no topology is known */
	const char *sentence; /* NULL: none */
};

static const struct never_case never_cases[] = {
	/* clang-format off */
	{ "bunit=N,bamount=3", 1, { "NSCC", "NSCCNSCC" },
	  "no node has 3 N units (b has most: 2)" },
	{ "bunit=N,bamount=2", 1, { "NSCC", "NSCCNSCC" }, NULL },
	{ "bunit=X,bamount=1", 8, { "NSXCCXCC" },
	  "no node has 1 X unit with 8 CPUs for each task" },
	{ "bunit=X,bamount=1", 2, { "NSXCCXCC" }, NULL },
	{ "bcpus=1000", 1, { "NSCC", "NSCCCC" },
	  "no node has CPUs 1000 (b has most: 4 CPUs)" },
	{ "bcpus=3", 1, { "NSCC", "NSCCCC" }, NULL },
	{ "bunit=E,bamount=1", 1, { "NSCC" }, "no node has 1 E unit" },
	{ "bunit=C,bamount=1,bfilter=nsccCC", 1, { "NSCC" },
	  "no node has the shape of --bfilter" },
	{ "bunit=C,bamount=3,bfilter=NSccCC", 1, { "NSCCCC" },
	  "no node has 3 C units beside what --bfilter leaves out (a has most: 2)" },
	{ "bunit=C,bamount=1,btopology=SCC", 1, { "NSCC" },
	  "no node has the topology of --btopology" },
	{ "bunit=C,bamount=3", 1, { "NSCC", "" },
	  "no node with a known topology has 3 C units (a has most: 2)" },
	{ "bunit=C,bamount=3", 1, { "" }, NULL },
	{ "bunit=C,bamount=2,bstart=x", 1, { "NSXCCXCC" },
	  "no node has 2 C units in the window of --bstart and --bstop" },
	/* clang-format on */
};

static struct tb_request parse_request(const char *line)
{
	struct tb_request request;
	struct tb_error err = { "" };

	tb_request_init(&request);
	if (tb_request_parse(&request, line, &err))
		fail_msg("%s: %s", line, err.text);
	return request;
}

static void look(struct tb_never *never, const struct tb_request *request,
		 unsigned task_threads, const char *name, const char *string)
{
	struct tb_topology *topology = *string ? tb_topology_parse(string, NULL,
								   NULL)
					       : NULL;

	tb_never_look(never, request, task_threads, name, topology, NULL, NULL);
	tb_topology_destroy(topology);
}

static void says_what_is_missing(void **state)
{
	static const char *const names[] = { "a", "b", "c" };

	(void)state;
	for (size_t i = 0; i < sizeof(never_cases) / sizeof(never_cases[0]);
	     i++) {
		const struct never_case *this = &never_cases[i];
		struct tb_request request = parse_request(this->request);
		struct tb_never never = { .nodes = 0 };
		char *sentence;

		for (int n = 0; n < 3 && this->nodes[n]; n++)
			look(&never, &request, this->task_threads, names[n],
			     this->nodes[n]);
		sentence = tb_never_print(&never, &request, this->task_threads,
					  "node");
		if (!this->sentence && sentence)
			fail_msg("case %zu: %s", i, sentence);
		if (this->sentence && !sentence)
			fail_msg("case %zu: nothing is said", i);
		if (sentence)
			assert_string_equal(sentence, this->sentence);
		free(sentence);
		tb_never_clear(&never);
		tb_request_clear(&request);
	}
}

/* What the site masks, or keeps for itself, is nobody's. */
static void counts_what_jobs_can_have(void **state)
{
	struct tb_request request = parse_request("bunit=C,bamount=3");
	struct tb_bitset *masked, *taken;
	struct tb_topology *topology = tb_topology_parse("NScCCC", &masked,
							 NULL);
	struct tb_never never = { .nodes = 0 };
	char *sentence;

	(void)state;
	tb_topology_destroy(tb_topology_parse("NSCCcC", &taken, NULL));
	tb_never_look(&never, &request, 1, "a", topology, taken, masked);
	sentence = tb_never_print(&never, &request, 1, "required node");
	assert_string_equal(sentence,
			    "no required node has 3 C units (a has most: 2)");
	free(sentence);
	tb_never_look(&never, &request, 1, "b", topology, NULL, masked);
	assert_null(tb_never_print(&never, &request, 1, "required node"));
	tb_never_clear(&never);
	tb_bitset_destroy(masked);
	tb_bitset_destroy(taken);
	tb_topology_destroy(topology);
	tb_request_clear(&request);
}

/* As many units as the request has, on an idle node. */
static bool is_placed(const struct tb_request *request, const char *string)
{
	struct tb_topology *topology = tb_topology_parse(string, NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_bitset *used = tb_bitset_create(
		tb_topology_threads(topology));
	bool placed = tb_place_together(placer, request, used, 1) > 0;

	tb_bitset_destroy(used);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	return placed;
}

/* Whatever the units are: a sentence, or a placement. */
static void is_silent_where_a_slot_fits(void **state)
{
	static const char *const shapes[] = { "NSXCTTCTTXCTTCTT", "SCCCC",
					      "NSXCCCXCCNSXCXC",
					      "NSXYCCYCCXEEEE", "NNSCCNSCC" };
	static const char *const units[] = { "T", "C", "E",  "S", "X",
					     "Y", "N", "CX", "EX" };
	unsigned fitted = 0, refused = 0;

	(void)state;
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
		for (size_t u = 0; u < sizeof(units) / sizeof(units[0]); u++)
			for (unsigned amount = 1; amount < 10; amount++) {
				struct tb_never never = { .nodes = 0 };
				struct tb_request request;
				char line[64], *sentence;

				snprintf(line, sizeof(line),
					 "bunit=%s,bamount=%u", units[u],
					 amount);
				request = parse_request(line);
				look(&never, &request, 1, "a", shapes[s]);
				sentence = tb_never_print(&never, &request, 1,
							  "node");
				if (is_placed(&request, shapes[s])) {
					assert_null(sentence);
					fitted++;
				} else {
					assert_non_null(sentence);
					refused++;
				}
				free(sentence);
				tb_never_clear(&never);
				tb_request_clear(&request);
			}
	assert_true(fitted > 20 && refused > 20);
}

/* ---- CPUs of --ntasks-per-node ---- */

static void test_cpus(void **unused)
{
	static const struct {
		struct tb_tasks_of_node asked;
		uint32_t cpus[2]; /* of a and b; 0: there is no such node */
		const char *sentence;
	} rows[] = {
		{ { 40, 1, false },
		  { 16, 32 },
		  "no node has the 40 CPUs of --ntasks-per-node=40 (b has most: 32, for 32 tasks)" },
		{ { 20, 2, false },
		  { 32, 16 },
		  "no node has the 40 CPUs of --ntasks-per-node=20 with --cpus-per-task=2 (a has most: 32, for 16 tasks)" },
		{ { 3, 20, false },
		  { 32, 32 },
		  "no node has the 60 CPUs of --ntasks-per-node=3 with --cpus-per-task=20 (a has most: 32, for 1 task)" },
		{ { 32, 1, false }, { 16, 32 }, NULL },
		{ { 40, 0, true }, { 16, 32 }, NULL },
		{ { 0, 1, false }, { 16, 32 }, NULL },
		{ { 40, 1, false }, { 0, 0 }, NULL },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_never_cpus never = { .most = 0 };
		char *sentence;

		for (unsigned k = 0; k < 2; k++)
			if (rows[i].cpus[k])
				tb_never_cpus_look(&never, k ? "b" : "a",
						   rows[i].cpus[k]);
		sentence = tb_never_cpus_print(&never, &rows[i].asked, "node");
		assert_int_equal(!sentence, !rows[i].sentence);
		if (sentence)
			assert_string_equal(sentence, rows[i].sentence);
		free(sentence);
		tb_never_cpus_clear(&never);
	}
}

/* ---- all tasks ---- */

struct tasks_case {
	const char *request;
	struct tb_asked asked;
	const char *nodes[3]; /* "": no topology is known */
	const char *sentence; /* NULL: none */
};

#define WAY ": ask for fewer, or let tasks share with --overcommit"

static const struct tasks_case tasks_cases[] = {
	/* clang-format off */
	{ "bcpus=0-3", { .tasks = 6, .max_nodes = 1 }, { "SCCCC", "SCCCCC" },
	  "no node holds 6 tasks on CPUs 0-3 (a holds most: 4)" WAY },
	{ "bcpus=0-3", { .tasks = 6, .max_nodes = 1, .overcommit = true },
	  { "SCCCC" }, NULL },
	{ "bcpus=0-3", { .tasks = 4, .max_nodes = 1 }, { "SCCCC" }, NULL },
	{ "bcpus=0-3", { .tasks = 3, .max_nodes = 1, .task_cpus = 2 },
	  { "SCCCC" },
	  "no node holds 3 tasks of 2 CPUs on CPUs 0-3 (a holds most: 2)" WAY },
	{ "bamount=3,btype=host", { .tasks = 6, .max_nodes = 1 },
	  { "SCCC", "SCCCC" },
	  "no node holds 6 tasks on 3 C units (a holds most: 3)" WAY },
	{ "bunit=X,bamount=1", { .tasks = 3, .max_nodes = 1 },
	  { "SXCCXCC", "SXCCXCCXCC" }, NULL },
	{ "bunit=X,bamount=1", { .tasks = 4, .max_nodes = 1 },
	  { "SXCCXCC", "SXCCXCCXCC" },
	  "no node holds 4 tasks with 1 X unit each (b holds most: 3)" WAY },
	/* The two that hold most, or all of them. */
	{ "bunit=X,bamount=1", { .tasks = 6, .max_nodes = 2 },
	  { "SXCCXCC", "SXCCXCCXCC", "SXCCXCC" },
	  "the 2 nodes that it may have hold at most 5 tasks with 1 X unit each, not 6" WAY },
	{ "bunit=X,bamount=1", { .tasks = 8 },
	  { "SXCCXCC", "SXCCXCCXCC", "SXCCXCC" },
	  "the 3 nodes that it may have hold at most 7 tasks with 1 X unit each, not 8" WAY },
	{ "bunit=X,bamount=1", { .tasks = 7 },
	  { "SXCCXCC", "SXCCXCCXCC", "SXCCXCC" }, NULL },
	/* Who knows? */
	{ "bunit=X,bamount=1", { .tasks = 8 }, { "SXCCXCC", "" }, NULL },
	{ "bunit=X,bamount=1", { .tasks = 8 }, { NULL }, NULL },
	/* clang-format on */
};

static void look_for_room(struct tb_never_tasks *never,
			  const struct tb_need *need, const char *name,
			  const char *string)
{
	struct tb_topology *topology = *string ? tb_topology_parse(string, NULL,
								   NULL)
					       : NULL;
	struct tb_used_node node = {
		.topology = topology,
		.placer = topology ? tb_placer_create(topology) : NULL,
		.books = { .threads_per_core = 1, .cpus_per_core = 1 },
		.most_cpus = UINT32_MAX,
	};

	tb_never_tasks_look(never, need, name, topology ? &node : NULL);
	tb_placer_destroy(node.placer);
	tb_topology_destroy(topology);
}

static void says_which_tasks_have_no_room(void **state)
{
	static const char *const names[] = { "a", "b", "c" };

	(void)state;
	for (size_t i = 0; i < sizeof(tasks_cases) / sizeof(tasks_cases[0]);
	     i++) {
		const struct tasks_case *this = &tasks_cases[i];
		struct tb_request request = parse_request(this->request);
		struct tb_need need = { .request = &request,
					.asked = this->asked };
		struct tb_never_tasks never = { .count = 0 };
		char *sentence;

		need.asked.tasks_are_given = true;
		for (int n = 0; n < 3 && this->nodes[n]; n++)
			look_for_room(&never, &need, names[n], this->nodes[n]);
		sentence = tb_never_tasks_print(&never, &need, "node");
		if (!this->sentence != !sentence)
			fail_msg("case %zu: %s", i, sentence ? sentence : "");
		if (sentence)
			assert_string_equal(sentence, this->sentence);
		free(sentence);
		tb_never_tasks_clear(&never);
		tb_request_clear(&request);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_which_tasks_have_no_room),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(says_what_is_missing),
		cmocka_unit_test(counts_what_jobs_can_have),
		cmocka_unit_test(is_silent_where_a_slot_fits),
	};

	return cmocka_run_group_tests_name("never", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host files and rank files: how cores are numbered and ranks are dealt.
 */
#include "unit_test.h"

#include "core/mpi/hostfile.h"
#include "core/topology/socket_cores.h"

static const struct {
	const char *visible; /* NULL: all */
	const char *threads; /* in lower case */
	const char *each, *runs;
} lists[] = {
	{ NULL, "SccCC", "0:0,0:1", "0:0-1" },
	{ NULL, "SCcCcSccCC", "0:1,0:3,1:0,1:1", "0:1,0:3,1:0-1" },
	{ NULL, "SCC", "", "" },
	/* a run ends with its socket */
	{ NULL, "SCcScc", "0:1,1:0,1:1", "0:1,1:0-1" },
	/* NUMA nodes and caches inside a socket do not begin a new numbering */
	{ NULL, "SNXCcXCCNXccXCCSNXCCXCcNXCCXCC", "0:1,0:4,0:5,1:3",
	  "0:1,0:4-5,1:3" },
	{ NULL, "NSXCcXCCNSXccXCC", "0:1,1:0,1:1", "0:1,1:0-1" },
	{ NULL, "NSCcEeNSCCee", "0:1,0:3,1:2,1:3", "0:1,0:3,1:2-3" },
	/* no socket at all; some cores in none */
	{ NULL, "NCcNcC", "0:1,0:2", "0:1-2" },
	{ NULL, "(N(C(T))(S(C(T))(c(t)))(c(t)))", "1:1,2:0", "1:1,2:0" },
	/* S in S: the outer one */
	{ NULL, "(S(S(C(T))(c(t)))(S(C(T))(c(t))))", "0:1,0:3", "0:1,0:3" },
	/* threads: a core is listed once, for one of them or both */
	{ NULL, "SCTtCTTctt", "0:0,0:2", "0:0,0:2" },
	/* seen from inside: what is not visible does not count */
	{ "SCcCc", "SCCCc", "0:1", "0:1" },
	{ "SCcCcSCCSccCC", "SCCCcSCCScCCC", "0:1,1:0", "0:1,1:0" },
	{ "SCCScc", "SCCScc", "0:0,0:1", "0:0-1" },
	{ "SCCScc", "SccSCC", "", "" },
	{ "SCTtCTTctt", "SCTtCTTCtT", "0:0,0:1", "0:0-1" },
};

static struct tb_topology *parse(const char *text, struct tb_bitset **lower)
{
	struct tb_error err = { "" };
	struct tb_topology *topology = tb_topology_parse(text, lower, &err);

	assert_string_equal(err.text, "");
	assert_non_null(topology);
	return topology;
}

static void check_list(const struct tb_topology *topology,
		       const struct tb_bitset *visible,
		       const struct tb_bitset *threads,
		       enum tb_socket_cores_form form, const char *wanted)
{
	char *list = tb_socket_cores_print(topology, visible, threads, form);

	assert_string_equal(list, wanted);
	free(list);
}

static void test_lists(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct tb_bitset *threads = NULL, *visible = NULL;
		struct tb_topology *topology = parse(lists[i].threads,
						     &threads);

		if (lists[i].visible)
			tb_topology_destroy(parse(lists[i].visible, &visible));
		check_list(topology, visible, threads, TB_CORES_EACH,
			   lists[i].each);
		check_list(topology, visible, threads, TB_CORES_RUNS,
			   lists[i].runs);
		tb_bitset_destroy(visible);
		tb_bitset_destroy(threads);
		tb_topology_destroy(topology);
	}
}

#define MOST_NODES 4

static const struct {
	const char *request;
	unsigned tasks, per_node, cpus;
	const char *grants[MOST_NODES]; /* of a, b, c, d */
	const char *pe, *openmpi, *mpich, *ranks;
} files[] = {
	/* clang-format off */
	{ "bamount=1", 2, 0, 0, { "SCcCc" },
	  "a 2 main 0:1,0:3\n", "a slots=2\n", "a:2\n",
	  "rank 0=a slot=0:0\nrank 1=a slot=0:1\n" },
	{ "bamount=2", 2, 0, 0, { "SCCScccc" },
	  "a 2 main 1:0,1:1,1:2,1:3\n", "a slots=2\n", "a:2\n",
	  "rank 0=a slot=0:0-1\nrank 1=a slot=0:2-3\n" },
	/* a slot over two sockets, another with holes on the whole node */
	{ "bamount=3", 2, 0, 0, { "SCcCcScCcCScCcC" },
	  "a 2 main 0:1,0:3,1:0,1:2,2:0,2:2\n", "a slots=2\n", "a:2\n",
	  "rank 0=a slot=0:0-1,1:0\nrank 1=a slot=1:1,2:0-1\n" },
	/* in turn, but numbered node by node */
	{ "bamount=1", 3, 0, 0, { "SccC", "SCCc" },
	  "a 2 main 0:0,0:1\nb 1 main 0:2\n", "a slots=2\nb slots=1\n",
	  "a:2\nb:1\n",
	  "rank 0=a slot=0:0\nrank 1=a slot=0:1\nrank 2=b slot=0:0\n" },
	/* every node gets one, at most tasks_per_node */
	{ "bamount=1", 4, 2, 0, { "Scccc", "Scccc" },
	  "a 2 main 0:0,0:1\nb 2 main 0:0,0:1\n", "a slots=2\nb slots=2\n",
	  "a:2\nb:2\n",
	  "rank 0=a slot=0:0\nrank 1=a slot=0:1\n"
	  "rank 2=b slot=0:0\nrank 3=b slot=0:1\n" },
	{ "bamount=1", 6, 0, 0, { "Sccc", "ScCC", "Sccc" },
	  "a 3 main 0:0,0:1,0:2\nb 1 main 0:0\nc 2 main 0:0,0:1\n",
	  "a slots=3\nb slots=1\nc slots=2\n", "a:3\nb:1\nc:2\n",
	  "rank 0=a slot=0:0\nrank 1=a slot=0:1\nrank 2=a slot=0:2\n"
	  "rank 3=b slot=0:0\nrank 4=c slot=0:0\nrank 5=c slot=0:1\n" },
	{ "bamount=1", 3, 0, 0, { "Sccc", "Sccc", "Sccc", "Sccc" },
	  "a 1 main 0:0\nb 1 main 0:0\nc 1 main 0:0\n",
	  "a slots=1\nb slots=1\nc slots=1\n", "a:1\nb:1\nc:1\n",
	  "rank 0=a slot=0:0\nrank 1=b slot=0:0\nrank 2=c slot=0:0\n" },
	/* nothing said: a task for each node */
	{ "bamount=1", 0, 0, 0, { "Scc", "Scc" },
	  "a 1 main 0:0\nb 1 main 0:0\n", "a slots=1\nb slots=1\n",
	  "a:1\nb:1\n", "rank 0=a slot=0:0\nrank 1=b slot=0:0\n" },
	/* more tasks than slots */
	{ "bamount=1", 9, 0, 0, { "ScC" }, "a 1 main 0:0\n", "a slots=1\n",
	  "a:1\n", "rank 0=a slot=0:0\n" },
	/* single threads: two slots may be in one core */
	{ "bunit=T,bamount=1", 3, 0, 0, { "SCTTcttctt" },
	  "a 3 main 0:1,0:2\n", "a slots=3\n", "a:3\n",
	  "rank 0=a slot=0:0\nrank 1=a slot=0:0\nrank 2=a slot=0:1\n" },
	/* host: one slot for all ranks of the node */
	{ "btype=host,bamount=2", 3, 0, 0, { "SCcc", "SccC" },
	  "a 2 main 0:1,0:2\nb 1 main 0:0,0:1\n", "a slots=2\nb slots=1\n",
	  "a:2\nb:1\n",
	  "rank 0=a slot=0:0-1\nrank 1=a slot=0:0-1\nrank 2=b slot=0:0-1\n" },
	{ "btype=host,bamount=4", 5, 0, 0, { "Scccc", "Scccc" },
	  "a 3 main 0:0,0:1,0:2,0:3\nb 2 main 0:0,0:1,0:2,0:3\n",
	  "a slots=3\nb slots=2\n", "a:3\nb:2\n",
	  "rank 0=a slot=0:0-3\nrank 1=a slot=0:0-3\nrank 2=a slot=0:0-3\n"
	  "rank 3=b slot=0:0-3\nrank 4=b slot=0:0-3\n" },
	{ "btype=host,bamount=2", 2, 0, 2, { "SCcc", "SccC" },
	  "a 1 main 0:1,0:2\nb 1 main 0:0,0:1\n", "a slots=1\nb slots=1\n",
	  "a:1\nb:1\n",
	  "rank 0=a slot=0:0-1\nrank 1=b slot=0:0-1\n" },
	{ "bcpus=1+3", 1, 0, 0, { "SCcCc" }, "a 1 main 0:1,0:3\n",
	  "a slots=1\n", "a:1\n", "rank 0=a slot=0:0-1\n" },
	/* efficiency cores are cores of their socket */
	{ "bunit=EX,bamount=1", 1, 0, 0, { "SXCCEEXCCee" },
	  "a 1 main 0:6,0:7\n", "a slots=1\n", "a:1\n",
	  "rank 0=a slot=0:0-1\n" },
	/* clang-format on */
};

static void read_request(struct tb_request *request, const char *line)
{
	struct tb_error err = { "" };

	tb_request_init(request);
	assert_int_equal(tb_request_parse(request, line, &err), 0);
	assert_int_equal(tb_request_complete(request, &err), 0);
}

/* Nodes a, b, ... with these grants, up to NULL. */
static struct tb_hostfile *make_file(const struct tb_hostfile_job *job,
				     const char *const grants[], size_t most)
{
	struct tb_hostfile *file = tb_hostfile_create(job);
	char name[] = "a";
	struct tb_error err;

	assert_non_null(file);
	for (size_t i = 0; i < most && grants[i]; i++) {
		assert_int_equal(tb_hostfile_add(file, name, grants[i], NULL,
						 &err),
				 0);
		name[0]++;
	}
	return file;
}

static void check_text(struct tb_hostfile *file, enum tb_hostfile_format format,
		       const char *wanted)
{
	struct tb_error err = { "" };
	char *text = tb_hostfile_print(file, format, &err);

	assert_string_equal(err.text, "");
	assert_string_equal(text, wanted);
	free(text);
}

static void test_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct tb_request request;
		struct tb_hostfile_job job = {
			.request = &request,
			.partition = "main",
			.tasks = files[i].tasks,
			.tasks_per_node = files[i].per_node,
			.cpus_per_task = files[i].cpus,
		};
		struct tb_hostfile *file;

		read_request(&request, files[i].request);
		file = make_file(&job, files[i].grants, MOST_NODES);
		/* Printing changes nothing for the next. */
		check_text(file, TB_HOSTFILE_RANKS, files[i].ranks);
		check_text(file, TB_HOSTFILE_PE, files[i].pe);
		check_text(file, TB_HOSTFILE_OPENMPI, files[i].openmpi);
		check_text(file, TB_HOSTFILE_MPICH, files[i].mpich);
		check_text(file, TB_HOSTFILE_RANKS, files[i].ranks);
		tb_hostfile_destroy(file);
		tb_request_clear(&request);
	}
}

/* Of each node: name, slots, ranks and the threads of the slots. */
static void print_nodes(const struct tb_hostfile *file, char *text)
{
	struct tb_hostfile_node node;

	*text = '\0';
	for (unsigned i = 0; tb_hostfile_node(file, i, &node); i++) {
		struct tb_bitset *threads = tb_bitset_create(
			tb_topology_threads(node.topology));
		char *list = tb_bitset_print_list(node.threads);

		text += sprintf(text, "%s %s %s: %u ranks", node.name,
				node.grant, list, node.ranks);
		free(list);
		for (unsigned slot = 0; slot < node.slots; slot++) {
			tb_hostfile_slot(file, i, slot, threads);
			list = tb_bitset_print_list(threads);
			text += sprintf(text, ", %s", list);
			free(list);
		}
		text += sprintf(text, "; ");
		tb_bitset_destroy(threads);
	}
}

static void test_nodes(void **state)
{
	static const struct {
		const char *request;
		unsigned tasks;
		const char *grants[MOST_NODES], *wanted;
	} rows[] = {
		{ "bamount=2",
		  3,
		  { "SCCScccc", "SccC" },
		  "a SCCScccc 2-5: 2 ranks, 2-3, 4-5; "
		  "b SccC 0-1: 1 ranks, 0-1; " },
		{ "btype=host,bamount=2",
		  3,
		  { "SCcc", "SccC" },
		  "a SCcc 1-2: 2 ranks, 1-2; b SccC 0-1: 1 ranks, 0-1; " },
		{ "bamount=1",
		  1,
		  { "Scc", "ScC" },
		  "a Scc 0-1: 1 ranks, 0, 1; b ScC 0: 0 ranks, 0; " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request request;
		const struct tb_hostfile_job job = { .request = &request,
						     .partition = "main",
						     .tasks = rows[i].tasks };
		struct tb_hostfile *file;
		char text[400];

		read_request(&request, rows[i].request);
		file = make_file(&job, rows[i].grants, MOST_NODES);
		tb_hostfile_deal(file);
		print_nodes(file, text);
		assert_string_equal(text, rows[i].wanted);
		tb_hostfile_destroy(file);
		tb_request_clear(&request);
	}
}

/* With --overcommit; the first three have slots, the others follow in turn. */
static void deals_tasks_without_slots(void **state)
{
	static const char *const grants[MOST_NODES] = { "SccC", "SccC" };
	static const unsigned wanted[][3] = { { 3, 2, 1 },
					      { 4, 2, 2 },
					      { 5, 3, 2 },
					      { 9, 5, 4 } };
	struct tb_request request;

	(void)state;
	read_request(&request, "bunit=C,bamount=1");
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		const struct tb_hostfile_job job = { .request = &request,
						     .partition = "main",
						     .tasks = wanted[i][0] };
		struct tb_hostfile *file = make_file(&job, grants, MOST_NODES);
		struct tb_hostfile_node node;

		tb_hostfile_deal_all(file);
		for (unsigned k = 0; k < 2; k++) {
			assert_true(tb_hostfile_node(file, k, &node));
			assert_int_equal(node.ranks, wanted[i][1 + k]);
			assert_int_equal(node.slots, 2);
		}
		tb_hostfile_destroy(file);
	}
	tb_request_clear(&request);
}

static const struct {
	const char *request, *filter, *grant;
	const char *ranks, *pe;
} maskings[] = {
	/* The whole socket is the job's, and its first core nobody's. */
	{ "bunit=S,bamount=1", "first_core", "ScccSCCC",
	  "rank 0=a slot=0:0-1\n", "a 1 main 0:1,0:2\n" },
	/* A filter for nodes of another shape. */
	{ "bunit=S,bamount=1", "ScCCCSCCCC", "ScccSCCC",
	  "rank 0=a slot=0:0-2\n", "a 1 main 0:0,0:1,0:2\n" },
	/* The grant is older than the filter. */
	{ "bunit=C,bamount=1", "first_core", "ScCCSCCC", "rank 0=a slot=0:0\n",
	  "a 1 main 0:0\n" },
	/* What the job's own filter masks, too. */
	{ "bunit=S,bamount=1,bfilter=SCCcSCCC", "first_core", "ScccSCCC",
	  "rank 0=a slot=0:0\n", "a 1 main 0:1\n" },
};

static void test_filters(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(maskings) / sizeof(maskings[0]); i++) {
		struct tb_request request;
		const struct tb_hostfile_job job = { .request = &request,
						     .partition = "main" };
		struct tb_hostfile *file = tb_hostfile_create(&job);
		struct tb_filter *filter = tb_filter_parse(maskings[i].filter,
							   NULL);

		read_request(&request, maskings[i].request);
		assert_int_equal(tb_hostfile_add(file, "a", maskings[i].grant,
						 filter, NULL),
				 0);
		check_text(file, TB_HOSTFILE_RANKS, maskings[i].ranks);
		check_text(file, TB_HOSTFILE_PE, maskings[i].pe);
		tb_hostfile_destroy(file);
		tb_filter_destroy(filter);
		tb_request_clear(&request);
	}
}

static const struct {
	const char *grants[MOST_NODES];
	bool lookalikes;
} pairs[] = {
	{ { "SccCC", "SccCC" }, false },
	{ { "SccCC", "SCCcc" }, true },
	{ { "SccCC", "SCccc" }, false },     /* more cores */
	{ { "ScCSCc", "SccSCC" }, false },   /* more sockets */
	{ { "SXccXCC", "SXcCXcC" }, false }, /* more caches */
	{ { "ScttCTT", "SctTctT" }, false }, /* more cores, as many threads */
	{ { "SccCC", "SCccc", "SCcCc", "SccCC" }, true },
};

static void test_lookalikes(void **state)
{
	struct tb_request request;
	const struct tb_hostfile_job job = { .request = &request,
					     .partition = "main" };

	(void)state;
	read_request(&request, "bunit=T,bamount=1");
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct tb_hostfile *file = make_file(&job, pairs[i].grants,
						     MOST_NODES);

		assert_int_equal(tb_hostfile_has_lookalikes(file),
				 pairs[i].lookalikes);
		tb_hostfile_destroy(file);
	}
	tb_request_clear(&request);
}

/* Open MPI copies into 64 bytes: one more than fits is refused. */
static void test_long_lines(void **state)
{
	char name[56];
	struct tb_request request;
	const struct tb_hostfile_job job = { .request = &request,
					     .partition = "main",
					     .tasks = 1 };
	struct tb_error err;

	(void)state;
	read_request(&request, "bamount=1");
	memset(name, 'n', sizeof(name));
	for (size_t length = 54; length <= 55; length++) {
		struct tb_hostfile *file = tb_hostfile_create(&job);
		char *text;

		name[length] = '\0';
		assert_int_equal(tb_hostfile_add(file, name, "SCc", NULL, &err),
				 0);
		text = tb_hostfile_print(file, TB_HOSTFILE_RANKS, &err);
		assert_int_equal(text != NULL,
				 length + strlen(" slot=0:0") < 64);
		free(text);
		name[length] = 'n';
		text = tb_hostfile_print(file, TB_HOSTFILE_PE, &err);
		assert_non_null(text);
		free(text);
		tb_hostfile_destroy(file);
	}
	tb_request_clear(&request);
}

static void test_nonsense(void **state)
{
	struct tb_request request;
	const struct tb_hostfile_job job = { .request = &request,
					     .partition = "main",
					     .tasks = 1 };
	struct tb_hostfile *file = tb_hostfile_create(&job);

	(void)state;
	read_request(&request, "bamount=2");
	for (int i = 0; i < 3; i++) {
		static const char *const grants[] = { "", "SCCq", "ScC" };
		struct tb_error err = { "" };

		assert_int_equal(tb_hostfile_add(file, "a", grants[i], NULL,
						 &err),
				 -1);
		assert_string_not_equal(err.text, "");
	}
	check_text(file, TB_HOSTFILE_PE, "");
	tb_hostfile_destroy(file);
	tb_hostfile_destroy(NULL);
	tb_request_clear(&request);
}

/* A thousand nodes, ten different grants: each rank once and in order. */
static void test_many_nodes(void **state)
{
	static const char *const grants[] = { "SccCCSCCCC", "SCccCSCCCC",
					      "SCCccSCCCC", "SCCCcScCCC",
					      "SCCCCSccCC", "SCCCCSCccC",
					      "SCCCCSCCcc", "ScCcCSCCCC",
					      "ScCCCScCCC", "ScCCCSCCCc" };
	struct tb_request request;
	const struct tb_hostfile_job job = { .request = &request,
					     .partition = "main",
					     .tasks = 2000 };
	struct tb_hostfile *file = tb_hostfile_create(&job);
	struct tb_error err;
	char name[16], *text, *line;
	unsigned ranks = 0;

	(void)state;
	read_request(&request, "bamount=1");
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(tb_hostfile_add(file, name, grants[i % 10],
						 NULL, &err),
				 0);
	}
	text = tb_hostfile_print(file, TB_HOSTFILE_RANKS, &err);
	assert_non_null(text);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned rank, node;

		assert_int_equal(sscanf(line, "rank %u=n%u slot=", &rank,
					&node),
				 2);
		assert_int_equal(rank, ranks);
		assert_int_equal(node, ranks / 2);
		ranks++;
	}
	assert_int_equal(ranks, 2000);
	free(text);
	tb_hostfile_destroy(file);
	tb_request_clear(&request);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deals_tasks_without_slots),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_lookalikes),
		cmocka_unit_test(test_long_lines),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_many_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is missing for a request, and whose end would suffice.
 */
#include "unit_test.h"

#include "random_case.h"

#include "core/plan/blockers.h"

#define NODES_MAX 4
#define HOLDERS_MAX 6
#define KINDS_MAX 2
#define NEVER TB_END_NEVER

/*
 * A small cluster.  Each node has a topology and a character for each thread:
 * '.' free, '#' reserved, which no end frees, 'a' used by the first holder, and so
 * on.
 */
struct cluster {
	unsigned nnodes;
	struct tb_used_node nodes[NODES_MAX];
	struct tb_topology *topology[NODES_MAX];
	struct tb_bitset *reserved[NODES_MAX];
	struct tb_bitset *used[NODES_MAX][HOLDERS_MAX];
	struct tb_holder_job holder_jobs[NODES_MAX][HOLDERS_MAX];
	int64_t ends[HOLDERS_MAX];
	unsigned nholders;
	uint32_t devices[NODES_MAX][KINDS_MAX];
	uint32_t held[NODES_MAX][HOLDERS_MAX][KINDS_MAX];
};

static void add_node(struct cluster *cluster, const char *topology,
		     const char *holders, bool required)
{
	unsigned at = cluster->nnodes++, threads;
	struct tb_used_node *node = &cluster->nodes[at];
	/* A colon: who comes first of all bars others. */
	bool bars = *holders == ':';

	holders += bars;
	cluster->topology[at] = tb_topology_parse(topology, NULL, NULL);
	assert_non_null(cluster->topology[at]);
	threads = tb_topology_threads(cluster->topology[at]);
	assert_int_equal(strlen(holders), threads);
	cluster->reserved[at] = tb_bitset_create(threads);
	*node = (struct tb_used_node){
		.topology = cluster->topology[at],
		.books = { true, 1, 1 }, /* by thread */
		.most_cpus = UINT32_MAX,
		.placer = tb_placer_create(cluster->topology[at]),
		.reserved = cluster->reserved[at],
		.holders = cluster->holder_jobs[at],
		.required = required,
		.devices = cluster->devices[at],
	};
	for (unsigned h = 0; h < cluster->nholders; h++) {
		struct tb_bitset *used = tb_bitset_create(threads);

		cluster->used[at][h] = used;
		for (unsigned i = 0; i < threads; i++)
			if (holders[i] == (char)('a' + h))
				tb_bitset_set(used, i);
		if (!tb_bitset_is_empty(used))
			cluster->holder_jobs[at][node->nholders++] =
				(struct tb_holder_job){
					.holder = h,
					.threads = used,
					.cpus = tb_bitset_count(used),
					.bars = bars && !h,
					.devices = cluster->held[at][h],
				};
	}
	for (unsigned i = 0; i < threads; i++)
		if (holders[i] == '#')
			tb_bitset_set(cluster->reserved[at], i);
}

static void clear_cluster(struct cluster *cluster)
{
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		tb_placer_destroy(cluster->nodes[i].placer);
		tb_topology_destroy(cluster->topology[i]);
		tb_bitset_destroy(cluster->reserved[i]);
		for (unsigned h = 0; h < cluster->nholders; h++)
			tb_bitset_destroy(cluster->used[i][h]);
	}
}

/* "a c": who has to end; "" for none. */
static void print_ended(const struct tb_bitset *ended, char *text)
{
	*text = '\0';
	for (unsigned h = 0; h < ended->nbits; h++)
		if (tb_bitset_test(ended, h))
			sprintf(text + strlen(text), "%s%c", *text ? " " : "",
				'a' + h);
}

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

/* ---- more than slots ---- */

static void begin_need(struct tb_need *need, struct tb_request *request,
		       const char *text, unsigned tasks)
{
	tb_request_init(request);
	assert_int_equal(tb_request_parse(request, text, NULL), 0);
	assert_int_equal(tb_request_complete(request, NULL), 0);
	*need = (struct tb_need){ .request = request,
				  .asked = { .tasks = tasks,
					     .min_nodes = 1,
					     .max_nodes = NODES_MAX,
					     .task_cpus = 1,
					     .tasks_are_given = true } };
}

static void begin_cluster(struct cluster *cluster)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->nholders = HOLDERS_MAX;
	for (unsigned i = 0; i < HOLDERS_MAX; i++)
		cluster->ends[i] = 10 * (i + 1);
}

static struct tb_blockers *create(const struct cluster *cluster,
				  const struct tb_need *need)
{
	struct tb_blockers *blockers = tb_blockers_create(need, cluster->nodes,
							  cluster->nnodes,
							  cluster->ends,
							  cluster->nholders);

	assert_non_null(blockers);
	return blockers;
}

/* The slots that each node has room for, and who has to end for all of them. */
static void check_answer(const struct cluster *cluster,
			 const struct tb_need *need, const char *rooms,
			 const char *wanted)
{
	struct tb_blockers *blockers = create(cluster, need);
	struct tb_bitset *ended = tb_bitset_create(HOLDERS_MAX);
	char who[32];
	int64_t when;

	for (unsigned i = 0; i < cluster->nnodes; i++)
		assert_int_equal(tb_blockers_room(blockers, i), rooms[i] - '0');
	assert_int_equal(tb_blockers_find(blockers, ended, &when),
			 wanted != NULL);
	print_ended(ended, who);
	assert_string_equal(who, wanted ? wanted : "");
	tb_bitset_destroy(ended);
	tb_blockers_destroy(blockers);
}

/* Each GPU is near half of the cores; the site binds the tasks to cores. */
static void test_implicit_near(void **state)
{
	static const struct {
		enum tb_near near;
		uint64_t per_node, per_task;
		unsigned tasks;
		const char *rooms, *ended;
	} rows[] = {
		{ TB_NEAR_ALWAYS, 1, 0, 2, "2", "" },
		{ TB_NEAR_ALWAYS, 1, 0, 3, "2", "a" },
		{ TB_NEAR_ALWAYS, 1, 0, 5, "2", NULL },
		{ TB_NEAR_IF_POSSIBLE, 1, 0, 3, "3", "" },
		{ TB_NEAR_ANYTHING, 2, 0, 3, "0", "b" },
		{ TB_NEAR_ALWAYS, 2, 0, 3, "0", "b" },
		{ TB_NEAR_ALWAYS, 0, 1, 1, "1", "" },
		{ TB_NEAR_ALWAYS, 0, 1, 2, "1", "b" },
	};
	uint32_t of_pools[][2] = { { 0, 0 }, { 0, 1 } };
	struct tb_used_pool pools[2] = { { .devices = 1 }, { .devices = 1 } };
	struct tb_devices_asked asked = { 0 };
	struct cluster cluster;
	struct tb_request request;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SNCCCCNCCCC", "..a#..b.", false);
	cluster.devices[0][0] = 2;
	cluster.held[0][1][0] = 1;
	for (unsigned i = 0; i < 2; i++) {
		cluster.holder_jobs[0][i].of_pools = of_pools[i];
		pools[i].threads = tb_bitset_parse_list(i ? "4-7" : "0-3", 8,
							NULL);
	}
	cluster.nodes[0].pools = pools;
	cluster.nodes[0].npools = 2;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_need(&need, &request, "bunit=C,bamount=1", rows[i].tasks);
		asked.per_node = rows[i].per_node;
		asked.per_task = rows[i].per_task;
		need.implicit = true;
		need.near = rows[i].near;
		need.devices = &asked;
		need.ndevices = 1;
		check_answer(&cluster, &need, rows[i].rooms, rows[i].ended);
		tb_request_clear(&request);
	}
	for (unsigned i = 0; i < 2; i++)
		tb_bitset_destroy((struct tb_bitset *)pools[i].threads);
	clear_cluster(&cluster);
}

/* On the second node a has the first cache, b two, and the system one. */
static void test_shared_units(void **state)
{
	static const struct {
		unsigned share, tasks;
		const char *room, *ended; /* NULL: that does not suffice */
	} rows[] = {
		{ 1, 1, "00", "b" }, { 2, 1, "01", "" },   { 2, 2, "01", "a" },
		{ 3, 2, "02", "" },  { 3, 3, "02", NULL },
	};
	const struct tb_share_of cache = { TB_SHARES_UNITS, { 'X', TB_POWER } };
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXC", "#", false);
	add_node(&cluster, "SXCCXCCXCC", "aabb#.", false);
	tb_bitset_or(cluster.used[1][1], cluster.used[1][0]);
	for (unsigned h = 0; h < 2; h++)
		cluster.holder_jobs[1][h].share = cache;
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		need.share = rows[i].share;
		need.asked.tasks = rows[i].tasks;
		check_answer(&cluster, &need, rows[i].room, rows[i].ended);
	}
	/* One that takes turns with whoever has its caches. */
	cluster.holder_jobs[1][1].share.as = TB_SHARES_ANY;
	check_answer(&cluster, &need, "02", NULL);
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "02", "");
	/* One that shares with nobody. */
	cluster.holder_jobs[1][1].share.as = TB_SHARES_NOTHING;
	need.asked.tasks = 1;
	check_answer(&cluster, &need, "00", "b");
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/* For a job that wants all of the node, which two jobs have. */
static void test_shared_nodes(void **state)
{
	static const struct {
		unsigned share;
		bool turns;
		enum tb_shares_as as;
		const char *room, *ended;
	} rows[] = {
		{ 1, true, TB_SHARES_ANY, "00", "a b" },
		{ 2, true, TB_SHARES_ANY, "00", "a" },
		{ 3, true, TB_SHARES_ANY, "01", "" },
		{ 3, true, TB_SHARES_UNITS, "01", "" },
		{ 3, true, TB_SHARES_NOTHING, "00", "a b" },
		{ 3, false, TB_SHARES_UNITS, "00", "a b" },
		{ 3, false, TB_SHARES_NODE, "01", "" },
	};
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXC", "#", false);
	add_node(&cluster, "SXCCXCC", "aabb", false);
	tb_bitset_or(cluster.used[1][1], cluster.used[1][0]);
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	need.whole_nodes = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned h = 0; h < 2; h++)
			cluster.holder_jobs[1][h].share = (struct tb_share_of){
				rows[i].as,
				{ 'X', TB_POWER }
			};
		need.share = rows[i].share;
		need.turns = rows[i].turns;
		check_answer(&cluster, &need, rows[i].room, rows[i].ended);
	}
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

static void test_memory(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCXCC", "....", false);
	add_node(&cluster, "SXCCXCC", "...a", false);
	cluster.nodes[0].memory = 25;
	cluster.nodes[1].memory = 40;
	begin_need(&need, &request, "bunit=C,bamount=1", 6);
	check_answer(&cluster, &need, "43", "");
	need.cpu_memory = 10;
	check_answer(&cluster, &need, "43", "a");
	need.asked.tasks = 7;
	check_answer(&cluster, &need, "43", NULL);
	tb_request_clear(&request);
	begin_need(&need, &request, "bunit=C,bamount=3,btype=host", 1);
	need.cpu_memory = 10;
	check_answer(&cluster, &need, "33", "");
	cluster.nodes[1].memory = 29;
	check_answer(&cluster, &need, "33", NULL);
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/* Units are free, and memory is when who has it ends. */
static void test_held_memory(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCXCC", "ab..", false);
	add_node(&cluster, "SXCCXCC", "c...", false);
	for (unsigned i = 0; i < 2; i++)
		cluster.nodes[i].memory = 100;
	cluster.holder_jobs[0][0].memory = 30;
	cluster.holder_jobs[0][1].memory = 60;
	cluster.holder_jobs[1][0].memory = 50;
	begin_need(&need, &request, "bunit=C,bamount=1", 1);
	for (unsigned i = 0; i < 2; i++)
		cluster.nodes[i].least_memory = 60;
	check_answer(&cluster, &need, "11", "");
	need.memory_is_held = true;
	check_answer(&cluster, &need, "11", "b");
	cluster.nodes[0].required = true;
	cluster.nodes[0].least_memory = 80;
	check_answer(&cluster, &need, "11", "a b");
	cluster.nodes[0].required = false;
	cluster.nodes[0].least_memory = cluster.nodes[1].least_memory = 101;
	check_answer(&cluster, &need, "11", NULL);
	cluster.nodes[0].least_memory = cluster.nodes[1].least_memory = 0;
	need.cpu_memory = 20;
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "22", "");
	need.asked.tasks = 4;
	check_answer(&cluster, &need, "23", "a");
	need.asked.tasks = 8;
	check_answer(&cluster, &need, "23", "a b c");
	tb_request_clear(&request);
	clear_cluster(&cluster);
}

/* Units with masked threads are for tasks that need no more than is left of them. */
/*
 * Two NUMA nodes of four cores and 4000 MB.  Who has a core of the first one has 3000 MB
 * there; a slot of two cores needs some, which is half there where one of them is.
 */
static void test_numa_memory(void **state)
{
	static const struct {
		unsigned tasks, megabytes, per_core;
		bool fits, found;
		int64_t when;
	} rows[] = {
		{ 2, 1500, 0, true, true, -1 },
		{ 3, 1000, 0, true, true, -1 },
		{ 3, 1001, 0, false, true, 10 },
		{ 4, 2000, 0, false, true, 10 },
		{ 2, 2001, 0, false, true, 10 },
		{ 3, 2001, 0, false, true, 10 },
		{ 1, 4000, 0, true, true, -1 },
		{ 1, 4001, 0, false, true, 10 },
		{ 1, 8001, 0, false, false, -1 },
		{ 3, 0, 500, true, true, -1 },
		{ 3, 0, 501, false, true, 10 },
		{ 2, 0, 1000, true, true, -1 },
		{ 2, 0, 1001, false, true, 10 },
	};
	static const uint64_t sizes[] = { 4000, 4000 },
			      free_now[] = { 1000, 4000 };
	static const uint64_t held[] = { 3000, 0 };
	struct tb_bitset *ended = tb_bitset_create(1);
	struct cluster cluster = { .nholders = 1, .ends = { 10 } };
	struct tb_numa_nodes *numa;
	struct tb_request request;

	(void)state;
	add_node(&cluster, "SNCCCCNCCCC", "a.......", false);
	numa = tb_numa_nodes_create(cluster.topology[0], true);
	assert_non_null(numa);
	cluster.nodes[0].numa = numa;
	cluster.nodes[0].numa_sizes = sizes;
	cluster.nodes[0].numa_free = free_now;
	cluster.holder_jobs[0][0].of_numa = held;
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bunit=C,bamount=2", NULL),
			 0);
	assert_int_equal(tb_request_complete(&request, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_need need = {
			.request = &request,
			.asked = { .tasks = rows[i].tasks,
				   .tasks_are_given = true,
				   .task_cpus = 1,
				   .min_nodes = 1,
				   .max_nodes = 1 },
			.local_memory = { .per_slot = rows[i].megabytes,
					  .per_core = rows[i].per_core },
		};
		struct tb_blockers *blockers = tb_blockers_create(&need,
								  cluster.nodes,
								  1,
								  cluster.ends,
								  1);
		int64_t when;

		assert_non_null(blockers);
		assert_int_equal(tb_blockers_fits(blockers), rows[i].fits);
		assert_int_equal(tb_blockers_find(blockers, ended, &when),
				 rows[i].found);
		assert_int_equal(when, rows[i].when);
		tb_blockers_destroy(blockers);
	}
	tb_request_clear(&request);
	tb_numa_nodes_destroy(numa);
	tb_bitset_destroy(ended);
	clear_cluster(&cluster);
}

static void test_masks(void **state)
{
	struct tb_request request;
	struct cluster cluster;
	struct tb_bitset *masked = tb_bitset_create(6);
	struct tb_need need;

	(void)state;
	begin_cluster(&cluster);
	add_node(&cluster, "SXCCCXCCC", "...aaa", false);
	tb_bitset_set(masked, 0);
	cluster.nodes[0].masked = masked;
	begin_need(&need, &request, "bunit=X,bamount=1", 1);
	check_answer(&cluster, &need, "1", "");
	need.asked.task_cpus = 2;
	check_answer(&cluster, &need, "1", "");
	need.asked.task_cpus = 3;
	check_answer(&cluster, &need, "0", "a");
	need.asked.tasks = 2;
	check_answer(&cluster, &need, "0", NULL);
	need.share = 2;
	cluster.holder_jobs[0][0].share = (struct tb_share_of){ TB_SHARES_UNITS,
								{ 'X',
								  TB_POWER } };
	check_answer(&cluster, &need, "1", NULL);
	tb_request_clear(&request);
	clear_cluster(&cluster);
	tb_bitset_destroy(masked);
}

/* What is placed for the offers of the class that suffices, and its CPUs. */
static void check_choice(const struct cluster *cluster,
			 const struct tb_need *need, const char *wanted)
{
	struct tb_blockers *blockers = create(cluster, need);
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

/* ---- any cluster: by trying all sets of holders ---- */

/* The slots of a node without some holders, by a placement of its own. */
static unsigned slots_without(const struct cluster *cluster, unsigned node,
			      const struct tb_need *need, unsigned gone)
{
	struct tb_bitset *used = tb_bitset_copy(cluster->reserved[node]);
	int slots;

	for (unsigned h = 0; h < cluster->nholders; h++)
		if (!(gone & 1u << h))
			tb_bitset_or(used, cluster->used[node][h]);
	slots = tb_place(cluster->nodes[node].placer, need->request, used,
			 tb_asked_slots_of_node(&need->asked));
	tb_bitset_destroy(used);
	return slots > 0 ? (unsigned)slots : 0;
}

/* Of one kind that are free on a node without some holders. */
static uint32_t free_without(const struct cluster *cluster, unsigned node,
			     unsigned kind, unsigned gone)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	uint32_t held = 0;

	for (unsigned i = 0; i < of->nholders; i++)
		if (!(gone & 1u << of->holders[i].holder))
			held += of->holders[i].devices[kind];
	return cluster->devices[node][kind] - held;
}

/* That is free there without some holders. */
static uint64_t memory_without(const struct cluster *cluster, unsigned node,
			       unsigned gone)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	uint64_t memory = of->memory;

	for (unsigned i = 0; i < of->nholders; i++)
		if (!(gone & 1u << of->holders[i].holder))
			memory -= of->holders[i].memory;
	return memory;
}

static unsigned threads_of_slot(const struct cluster *cluster, unsigned node,
				const struct tb_need *need)
{
	const struct tb_used_node *of = &cluster->nodes[node];
	struct tb_bitset *used = tb_bitset_create(
		tb_topology_threads(of->topology));
	unsigned threads = 0;

	if (tb_place(of->placer, need->request, used, 1) == 1)
		threads = tb_bitset_count(tb_placed_threads(of->placer));
	tb_bitset_destroy(used);
	return threads;
}

/* Of so many slots, all of as many threads, those that have their memory. */
static unsigned slots_with_memory(const struct cluster *cluster, unsigned node,
				  const struct tb_need *need, unsigned gone,
				  unsigned slots)
{
	uint64_t memory = need->memory_is_held
				  ? memory_without(cluster, node, gone)
				  : cluster->nodes[node].memory;
	uint64_t each = need->cpu_memory * threads_of_slot(cluster, node, need);

	if (need->memory_is_held && memory < cluster->nodes[node].least_memory)
		return 0;
	while (slots * each > memory)
		slots--;
	return slots;
}

/* As reach.h has them with devices, of a job that says how many tasks it has. */
static unsigned least_of_each(const struct tb_need *need)
{
	if (need->ndevices == 1)
		return tb_asked_exact_slots(&need->asked)
			       ? 0
			       : need->asked.tasks_per_node;
	return tb_asked_slots_of_each(&need->asked);
}

/* Of so many slots those that have their devices. */
static unsigned slots_with_devices(const struct cluster *cluster, unsigned node,
				   const struct tb_need *need, unsigned gone,
				   unsigned slots)
{
	for (unsigned k = 0; k < need->ndevices; k++) {
		uint32_t free = free_without(cluster, node, k, gone);

		while (slots && slots * need->devices[k].per_task > free)
			slots--;
		if (free < need->devices[k].per_node ||
		    (need->devices[k].per_job && !free))
			slots = 0;
	}
	return slots >= least_of_each(need) ? slots : 0;
}

/* Those for all nodes; none of the nodes is without them. */
static bool devices_of_set(const struct cluster *cluster,
			   const struct tb_need *need, unsigned gone,
			   unsigned set)
{
	unsigned exact = tb_asked_exact_slots(&need->asked);

	for (unsigned k = 0; k < need->ndevices; k++) {
		uint32_t sum = 0, count = 0;

		for (unsigned i = 0; i < cluster->nnodes; i++)
			if (set & 1u << i) {
				sum += free_without(cluster, i, k, gone);
				count++;
			}
		if (need->devices[k].per_job &&
		    (sum < need->devices[k].per_job ||
		     (exact && count > exact)))
			return false;
	}
	return true;
}

/* By trying all sets of nodes. */
static bool fits_without(const struct cluster *cluster,
			 const struct tb_need *need, unsigned gone)
{
	unsigned slots[NODES_MAX];

	for (unsigned i = 0; i < cluster->nnodes; i++)
		slots[i] = slots_with_devices(
			cluster, i, need, gone,
			slots_with_memory(cluster, i, need, gone,
					  slots_without(cluster, i, need,
							gone)));
	for (unsigned set = 1; set < 1u << cluster->nnodes; set++) {
		unsigned count = 0, sum = 0;
		bool all = true;

		for (unsigned i = 0; i < cluster->nnodes; i++) {
			bool chosen = set & 1u << i;

			count += chosen;
			sum += chosen ? slots[i] : 0;
			all = all && (!chosen || slots[i]) &&
			      (chosen || !cluster->nodes[i].required);
		}
		if (all && devices_of_set(cluster, need, gone, set) &&
		    count >= need->asked.min_nodes &&
		    count <= need->asked.max_nodes &&
		    sum >= tb_asked_slots(&need->asked))
			return true;
	}
	return false;
}

static unsigned ended_until(const struct cluster *cluster, int64_t when)
{
	unsigned gone = 0;

	for (unsigned h = 0; h < cluster->nholders; h++)
		if (cluster->ends[h] <= when)
			gone |= 1u << h;
	return gone;
}

static unsigned mask_of(const struct tb_bitset *ended)
{
	unsigned mask = 0;

	for (unsigned h = 0; h < ended->nbits; h++)
		mask |= (unsigned)tb_bitset_test(ended, h) << h;
	return mask;
}

static void random_cluster(struct random *random, struct cluster *cluster)
{
	static const char *const shapes[] = { "SXCCXCC", "NSXCTTCTTXCTTCTT",
					      "SCCCC" };
	const char *shape = shapes[random_below(random, 3)];
	unsigned nnodes = 1 + random_below(random, 3);

	memset(cluster, 0, sizeof(*cluster));
	cluster->nholders = HOLDERS_MAX;
	for (unsigned h = 0; h < HOLDERS_MAX; h++)
		cluster->ends[h] = random_percent(random, 15)
					   ? NEVER
					   : 10 + random_below(random, 5);
	for (unsigned i = 0; i < nnodes; i++) {
		char holders[9] = "";
		unsigned threads = shape[0] == 'N' ? 8 : 4;

		for (unsigned t = 0; t < threads; t++)
			holders[t] = random_percent(random, 40) ? '.'
				     : random_percent(random, 8)
					     ? '#'
					     : (char)('a' +
						      random_below(random,
								   HOLDERS_MAX));
		add_node(cluster, shape, holders, random_percent(random, 15));
	}
}

static void random_devices(struct random *random, struct cluster *cluster,
			   struct tb_devices_asked *asked)
{
	for (unsigned i = 0; i < cluster->nnodes; i++)
		for (unsigned k = 0; k < KINDS_MAX; k++) {
			cluster->devices[i][k] = random_below(random, 3);
			for (unsigned h = 0; h < cluster->nodes[i].nholders;
			     h++) {
				unsigned holder =
					cluster->nodes[i].holders[h].holder;
				unsigned held = random_below(random, 2);

				cluster->held[i][holder][k] = held;
				cluster->devices[i][k] += held;
			}
		}
	for (unsigned k = 0; k < KINDS_MAX; k++)
		/* Of two kinds for all nodes each is looked at by itself. */
		switch (random_below(random, k ? 2 : 3)) {
		case 0:
			asked[k].per_node = 1 + random_below(random, 3);
			break;
		case 1:
			asked[k].per_task = 1 + random_below(random, 2);
			break;
		default:
			asked[k].per_job = 1 + random_below(random, 5);
		}
}

/* As much as all holders have, and some. */
static void random_memory(struct random *random, struct cluster *cluster,
			  struct tb_need *need)
{
	need->memory_is_held = random_percent(random, 80);
	need->cpu_memory = random_percent(random, 50)
				   ? 1 + random_below(random, 3)
				   : 0;
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		struct tb_used_node *node = &cluster->nodes[i];

		node->memory = random_below(random, 12);
		node->least_memory = random_percent(random, 50)
					     ? random_below(random, 12)
					     : 0;
		for (unsigned h = 0; h < node->nholders; h++) {
			struct tb_holder_job *job = &cluster->holder_jobs[i][h];

			job->memory = random_below(random, 4);
			node->memory += job->memory;
		}
	}
}

/* -1: found as it should be, and had to wait for somebody. */
static void check_found(const struct cluster *cluster,
			const struct tb_need *need, unsigned ended,
			int64_t when)
{
	assert_true(fits_without(cluster, need, ended));
	for (unsigned h = 0; h < cluster->nholders; h++)
		if (ended & 1u << h)
			assert_false(fits_without(cluster, need,
						  ended & ~(1u << h)));
	if (when == -1) {
		assert_int_equal(ended, 0);
		return;
	}
	/* Not earlier: with all who end before, it does not fit. */
	assert_true(ended != 0);
	assert_int_equal(ended & ~ended_until(cluster, when), 0);
	assert_false(
		fits_without(cluster, need, ended_until(cluster, when - 1)));
}

static unsigned random_run(struct random *random, bool memory)
{
	static const char *const requests[] = {
		"bunit=X,bamount=1", "bunit=C,bamount=1", "bunit=C,bamount=2",
		"bunit=S,bamount=1", "bunit=X,bamount=2"
	};
	struct tb_bitset *ended = tb_bitset_create(HOLDERS_MAX);
	struct tb_request request;
	struct cluster cluster;
	struct tb_need need = { .request = &request,
				.asked = { .task_cpus = 1,
					   .tasks_are_given = true } };
	struct tb_devices_asked devices[KINDS_MAX] = { 0 };
	struct tb_blockers *blockers;
	int64_t when;
	bool found;

	tb_request_init(&request);
	tb_request_parse(&request, requests[random_below(random, 5)], NULL);
	random_cluster(random, &cluster);
	random_devices(random, &cluster, devices);
	need.devices = devices;
	need.ndevices = random_below(random, KINDS_MAX + 1);
	if (memory)
		random_memory(random, &cluster, &need);
	need.asked.tasks = 1 + random_below(random, 4);
	need.asked.tasks_per_node = random_below(random, need.asked.tasks);
	need.asked.may_be_fewer = random_percent(random, 50);
	need.asked.min_nodes = 1 + random_below(random, 2);
	need.asked.max_nodes = need.asked.min_nodes + random_below(random, 2);
	blockers = tb_blockers_create(&need, cluster.nodes, cluster.nnodes,
				      cluster.ends, cluster.nholders);
	assert_int_equal(tb_blockers_fits(blockers),
			 fits_without(&cluster, &need, 0));
	found = tb_blockers_find(blockers, ended, &when);
	assert_int_equal(found, fits_without(&cluster, &need, ~0u));
	if (found)
		check_found(&cluster, &need, mask_of(ended), when);
	/* It is as it was. */
	assert_int_equal(tb_blockers_fits(blockers),
			 fits_without(&cluster, &need, 0));
	tb_blockers_destroy(blockers);
	clear_cluster(&cluster);
	tb_request_clear(&request);
	tb_bitset_destroy(ended);
	return found && when != -1;
}

#define RUNS 4000

static void test_any_cluster(void **state)
{
	struct random random = { 7 };
	unsigned waited = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		waited += random_run(&random, false);
	print_message("%u of %u had to wait and could\n", waited, RUNS);
	assert_true(waited > RUNS / 6);
}

static void test_any_memory(void **state)
{
	struct random random = { 11 };
	unsigned waited = 0;

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		waited += random_run(&random, true);
	print_message("%u of %u had to wait and could\n", waited, RUNS);
	assert_true(waited > RUNS / 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_implicit_near),
		cmocka_unit_test(test_shared_units),
		cmocka_unit_test(test_shared_nodes),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_held_memory),
		cmocka_unit_test(test_numa_memory),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_any_cluster),
		cmocka_unit_test(test_any_memory),
	};

	return cmocka_run_group_tests_name("blockers", tests, NULL, NULL);
}

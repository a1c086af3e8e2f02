/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of NUMA nodes: its text, what is free, and placements that need some,
 * against trying all divisions of cores over the NUMA nodes.
 */
#include "unit_test.h"

#include "core/place/local_memory.h"
#include "core/place/place.h"
#include "core/topology/numa_memory.h"
#include "random_case.h"

#define NUMA_MAX 4

/* --- text -------------------------------------------------------------------- */

static void test_text(void **state)
{
	static const struct {
		const char *text;
		unsigned count;
		bool right;
	} table[] = {
		{ "0", 1, true },
		{ "64000", 1, true },
		{ "64214,64508", 2, true },
		{ "999999999999,00", 2, true },
		{ "", 0, false },
		{ "", 1, false },
		{ "1", 0, false },
		{ "1", 2, false },
		{ "1,2", 1, false },
		{ "1,2,", 2, false },
		{ ",1", 2, false },
		{ "1 ,2", 2, false },
		{ "1, 2", 2, false },
		{ "1;2", 2, false },
		{ "1,-2", 2, false },
		{ "1G,2G", 2, false },
		{ "1000000000000", 1, false },
		{ "18446744073709551617", 1, false },
		{ "1,2", 65535, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_error err = { "" };
		uint64_t *memory = tb_numa_memory_parse(table[i].text,
							table[i].count, &err);

		if (!memory != !table[i].right)
			fail_msg("\"%s\" for %u: %s", table[i].text,
				 table[i].count, err.text);
		assert_int_equal(!memory, err.text[0] != '\0');
		free(memory);
	}
}

static void test_print(void **state)
{
	static const uint64_t some[] = { 64214, 0, TB_NUMA_MEMORY_MAX };
	static const uint64_t too_large[] = { TB_NUMA_MEMORY_MAX + 1 };
	char *text = tb_numa_memory_print(some, 3, NULL);
	uint64_t *again, *many;

	(void)state;
	assert_string_equal(text, "64214,0,999999999999");
	again = tb_numa_memory_parse(text, 3, NULL);
	assert_memory_equal(again, some, sizeof(some));
	free(again);
	free(text);
	assert_null(tb_numa_memory_print(too_large, 1, NULL));
	many = calloc(4096, sizeof(*many));
	assert_non_null(many);
	assert_null(tb_numa_memory_print(many, 4096, NULL));
	text = tb_numa_memory_print(many, 1024, NULL);
	assert_int_equal(strlen(text), 2047);
	free(text);
	free(many);
}

/* --- what is there ----------------------------------------------------------- */

struct node {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_numa_nodes *numa;
	struct tb_bitset *blocked, *placed, *threads;
};

static void make_node(struct node *node, const char *text,
		      struct tb_bitset **used)
{
	node->topology = tb_topology_parse(text, used, NULL);
	assert_non_null(node->topology);
	node->placer = tb_placer_create(node->topology);
	node->numa = tb_numa_nodes_create(node->topology, false);
	node->blocked = tb_bitset_create(tb_topology_cores(node->topology));
	node->placed = tb_bitset_create(tb_topology_cores(node->topology));
	node->threads = tb_bitset_create(tb_topology_threads(node->topology));
	assert_non_null(node->placer);
	assert_non_null(node->numa);
}

static void clear_node(struct node *node)
{
	tb_bitset_destroy(node->blocked);
	tb_bitset_destroy(node->placed);
	tb_bitset_destroy(node->threads);
	tb_numa_nodes_destroy(node->numa);
	tb_placer_destroy(node->placer);
	tb_topology_destroy(node->topology);
}

static void check_cores(const struct node *node, unsigned numa_node,
			const char *wanted)
{
	char *list = tb_bitset_print_list(node->numa->cores[numa_node]);

	assert_string_equal(list, wanted);
	free(list);
}

static void test_cores(void **state)
{
	struct tb_numa_nodes *by_thread;
	struct node node;

	(void)state;
	make_node(&node, "SNCTTCTTNCTTCTTCTT", NULL);
	assert_int_equal(node.numa->count, 2);
	check_cores(&node, 0, "0-1");
	check_cores(&node, 1, "2-4");
	by_thread = tb_numa_nodes_create(node.topology, true);
	assert_int_equal(tb_bitset_count(by_thread->cores[1]), 6);
	tb_numa_nodes_destroy(by_thread);
	clear_node(&node);
	/* The innermost has it; a core outside all belongs to none. */
	make_node(&node, "(S(N(C(T))(N(C(T))(C(T))))(C(T)))", NULL);
	check_cores(&node, 0, "0");
	check_cores(&node, 1, "1-2");
	clear_node(&node);
	make_node(&node, "SCC", NULL);
	assert_int_equal(node.numa->count, 0);
	clear_node(&node);
}

static void test_limit(void **state)
{
	uint64_t sizes[] = { 600, 300, 100 };

	(void)state;
	tb_numa_memory_limit(sizes, 3, 1000);
	assert_int_equal(sizes[0], 600);
	tb_numa_memory_limit(sizes, 3, 500);
	assert_int_equal(sizes[0], 300);
	assert_int_equal(sizes[1], 150);
	assert_int_equal(sizes[2], 50);
	tb_numa_memory_limit(sizes, 3, 0);
	assert_int_equal(sizes[0] + sizes[1] + sizes[2], 0);
}

static void test_shares(void **state)
{
	uint64_t held[2] = { 10, 0 };
	struct node node;

	(void)state;
	make_node(&node, "SNCCNCC", NULL);
	tb_numa_memory_add(node.numa, node.placed, 1000, held);
	assert_int_equal(held[0], 10);
	tb_bitset_set_range(node.placed, 1, 2);
	tb_numa_memory_add(node.numa, node.placed, 1001, held);
	assert_int_equal(held[0], 511);
	assert_int_equal(held[1], 501);
	tb_bitset_set(node.placed, 3);
	tb_numa_memory_add(node.numa, node.placed, 300, held);
	assert_int_equal(held[0], 611);
	assert_int_equal(held[1], 701);
	tb_numa_memory_take(node.numa, node.placed, 300, held);
	assert_int_equal(held[0], 511);
	assert_int_equal(held[1], 501);
	clear_node(&node);
}

static void test_needs(void **state)
{
	const struct tb_memory_need need = { .per_node = 100,
					     .per_slot = 10,
					     .per_core = 7 };
	struct node node;

	(void)state;
	assert_false(tb_memory_is_needed(&(struct tb_memory_need){ 0 }));
	assert_true(tb_memory_is_needed(&(struct tb_memory_need){ 1, 0, 0 }));
	assert_true(tb_memory_is_needed(&(struct tb_memory_need){ 0, 1, 0 }));
	assert_true(tb_memory_is_needed(&(struct tb_memory_need){ 0, 0, 1 }));
	/* When all cores of the job are there. */
	make_node(&node, "SNCCCNC", NULL);
	assert_int_equal(tb_memory_need_most(node.numa, &need, 2, 0), 141);
	assert_int_equal(tb_memory_need_most(node.numa, &need, 2, 1), 127);
	clear_node(&node);
}

/* Two cores on the first NUMA node, one on the second: 67 and 34 of 100. */
static void test_fits(void **state)
{
	static const struct {
		uint64_t available[2];
		bool fits;
	} rows[] = {
		{ { 67, 34 }, true },
		{ { 66, 34 }, false },
		{ { 67, 33 }, false },
		{ { TB_MEMORY_PLENTY, 34 }, true },
	};
	struct node node;

	(void)state;
	make_node(&node, "SNCCNCC", NULL);
	tb_bitset_set_range(node.placed, 0, 3);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(tb_memory_fits(node.numa, 100,
						rows[i].available, node.placed),
				 rows[i].fits);
	/* Where it has no core it needs none. */
	tb_bitset_clear(node.placed, 2);
	assert_true(tb_memory_fits(node.numa, 100, (uint64_t[]){ 100, 0 },
				   node.placed));
	assert_false(tb_memory_fits(node.numa, 100, (uint64_t[]){ 99, 1 },
				    node.placed));
	clear_node(&node);
}

static void check_free(const char *topology, const unsigned *distances,
		       const uint64_t sizes[4], const uint64_t local[4],
		       const uint64_t others[4], const uint64_t wanted[4])
{
	uint64_t available[4];
	struct node node;

	make_node(&node, topology, NULL);
	if (distances)
		assert_int_equal(tb_topology_set_distances(node.topology,
							   distances, 4, NULL),
				 0);
	tb_numa_memory_free(node.numa, sizes, local, others, available);
	assert_memory_equal(available, wanted, sizeof(available));
	clear_node(&node);
}

static void test_available(void **state)
{
	static const uint64_t all[] = { 100, 100, 100, 100 }, no[4] = { 0 };
	static const unsigned distances[] = { 10, 30, 12, 20, 30, 10, 20, 12,
					      12, 20, 10, 30, 20, 12, 30, 10 };
	const char *topology = "SNCNCNCNC";

	(void)state;
	check_free(topology, NULL, all, no, no, all);
	check_free(topology, NULL, all, (uint64_t[]){ 30, 0, 200, 0 },
		   (uint64_t[]){ 30, 100, 0, 1 }, (uint64_t[]){ 40, 0, 0, 99 });
	/* 150 of the first: 50 lie on the next one, or on the nearest. */
	check_free(topology, NULL, all, no, (uint64_t[]){ 150, 0, 0, 0 },
		   (uint64_t[]){ 0, 50, 100, 100 });
	check_free(topology, distances, all, no, (uint64_t[]){ 150, 0, 0, 0 },
		   (uint64_t[]){ 0, 100, 50, 100 });
	check_free(topology, distances, all, (uint64_t[]){ 100, 0, 80, 0 },
		   (uint64_t[]){ 130, 0, 0, 0 }, (uint64_t[]){ 0, 90, 0, 0 });
	/* More than all have. */
	check_free(topology, distances, all, no, (uint64_t[]){ 9999, 0, 0, 0 },
		   no);
	/* A NUMA node without memory: who runs there has it from others. */
	check_free(topology, distances, (uint64_t[]){ 0, 100, 100, 100 },
		   (uint64_t[]){ 20, 0, 0, 0 }, (uint64_t[]){ 30, 0, 0, 0 },
		   (uint64_t[]){ TB_MEMORY_PLENTY, 100, 50, 100 });
}

/* --- placements -------------------------------------------------------------- */

/* What one placement is asked, by tb_memory_place(). */
struct asked {
	struct node *node;
	const struct tb_request *request;
	const struct tb_bitset *used;
	unsigned slots;
};

static int try_slots(void *arg, const struct tb_bitset *blocked,
		     struct tb_bitset *placed)
{
	struct asked *asked = arg;
	struct node *node = asked->node;
	int slots;

	tb_threads_of_cores(node->topology, blocked, node->threads);
	tb_bitset_or(node->threads, asked->used);
	slots = tb_place(node->placer, asked->request, node->threads,
			 asked->slots);
	if (slots > 0)
		tb_cores_of_threads(node->topology,
				    tb_placed_threads(node->placer), placed);
	return slots;
}

static int place(struct asked *asked, const struct tb_memory_need *need,
		 const uint64_t *available)
{
	struct tb_local_memory memory = { .numa = asked->node->numa,
					  .need = *need,
					  .available = available,
					  .blocked = asked->node->blocked,
					  .placed = asked->node->placed };

	return tb_memory_place(&memory, try_slots, asked);
}

/* Written without the library's arithmetic: do these shares fit? */
static bool shares_fit(const struct tb_memory_need *need, unsigned slots,
		       const unsigned *cores, unsigned count,
		       const uint64_t *available)
{
	unsigned all = 0;

	for (unsigned i = 0; i < count; i++)
		all += cores[i];
	for (unsigned i = 0; i < count; i++) {
		uint64_t sum = need->per_node + slots * need->per_slot;

		/* available >= per_core * cores + sum * cores / all */
		if (cores[i] && available[i] != TB_MEMORY_PLENTY &&
		    available[i] * all <
			    need->per_core * cores[i] * all + sum * cores[i])
			return false;
	}
	return true;
}

/* All divisions of so many cores, of NUMA nodes from the i-th on. */
static bool some_division_fits(const struct tb_memory_need *need,
			       unsigned slots, const unsigned *most,
			       unsigned count, const uint64_t *available,
			       unsigned i, unsigned left, unsigned *cores)
{
	if (i == count)
		return !left &&
		       shares_fit(need, slots, cores, count, available);
	for (cores[i] = 0; cores[i] <= most[i] && cores[i] <= left; cores[i]++)
		if (some_division_fits(need, slots, most, count, available,
				       i + 1, left - cores[i], cores))
			return true;
	return false;
}

static unsigned count_most_slots(const struct tb_memory_need *need,
				 unsigned slots, unsigned amount,
				 const unsigned *most, unsigned count,
				 const uint64_t *available)
{
	unsigned cores[NUMA_MAX];

	while (slots && !some_division_fits(need, slots, most, count, available,
					    0, slots * amount, cores))
		slots--;
	return slots;
}

/* "SNXCCXCCNXCCXCC", some cores in use; most: the free ones of each NUMA node. */
static void make_plain_text(struct random *random, unsigned count, char *text,
			    unsigned *most)
{
	*text++ = 'S';
	for (unsigned i = 0; i < count; i++) {
		unsigned cores = 1 + random_below(random, 5);

		most[i] = 0;
		*text++ = 'N';
		for (unsigned core = 0; core < cores; core++) {
			bool used = random_percent(random, 20);

			if (core % 3 == 0)
				*text++ = 'X';
			*text++ = used ? 'c' : 'C';
			most[i] += !used;
		}
	}
	*text = '\0';
}

static void make_need(struct random *random, struct tb_memory_need *need)
{
	*need = (struct tb_memory_need){ 0 };
	switch (random_below(random, 4)) {
	case 0:
		need->per_core = 1 + random_below(random, 40);
		break;
	case 1:
		need->per_slot = 1 + random_below(random, 60);
		break;
	case 2:
		need->per_core = random_below(random, 20);
		need->per_slot = random_below(random, 30);
		/* fall through */
	default:
		need->per_node = 1 + random_below(random, 300);
	}
}

static void set_option(struct tb_request *request, const char *key,
		       const char *value)
{
	assert_int_equal(tb_request_set(request, key, value, NULL), 0);
}

/* One core each, or two, or all of a host. */
static void pick_request(struct random *random, struct tb_request *request)
{
	static const char *const strategies[] = { "packed", "linear",
						  "scatter" };
	char amount[4];

	tb_request_init(request);
	snprintf(amount, sizeof(amount), "%u", 1 + random_below(random, 4));
	set_option(request, "bunit", "C");
	set_option(request, "bamount", amount);
	set_option(request, "bstrategy", strategies[random_below(random, 3)]);
	if (random_percent(random, 30))
		set_option(request, "btype", "host");
}

static void fail_case(const char *text, const struct tb_request *request,
		      const struct tb_memory_need *need, int got,
		      unsigned wanted)
{
	char *line = tb_request_print(request);

	fail_msg("%s %s needs %u + %u a slot + %u a core: %d of %u slots", text,
		 line, (unsigned)need->per_node, (unsigned)need->per_slot,
		 (unsigned)need->per_core, got, wanted);
}

/* Where units are single cores no placement has more slots. */
static void test_most_slots(void **state)
{
	struct random random = { 7 };
	unsigned cut = 0, all = 0;

	(void)state;
	for (int i = 0; i < 4000; i++) {
		unsigned count = 1 + random_below(&random, NUMA_MAX);
		unsigned most[NUMA_MAX], wanted;
		uint64_t available[NUMA_MAX];
		struct tb_memory_need need;
		struct tb_request request;
		struct tb_bitset *used;
		char text[64];
		struct node node;
		struct asked asked = { &node, &request, NULL, 0 };
		int got;

		make_plain_text(&random, count, text, most);
		make_node(&node, text, &used);
		pick_request(&random, &request);
		make_need(&random, &need);
		for (unsigned j = 0; j < count; j++)
			available[j] = random_below(&random, 120);
		asked.used = used;
		asked.slots = request.type == TB_HOST
				      ? 1
				      : 1 + random_below(&random, 12);
		wanted = count_most_slots(&need, asked.slots, request.amount,
					  most, count, available);
		got = place(&asked, &need, available);
		if (got != (int)wanted)
			fail_case(text, &request, &need, got, wanted);
		cut += wanted < asked.slots;
		all += wanted == asked.slots;
		tb_request_clear(&request);
		tb_bitset_destroy(used);
		clear_node(&node);
	}
	assert_true(cut > 400 && all > 400);
}

/* The placement's cores by NUMA node, with the library's sets. */
static void check_placement(const struct node *node,
			    const struct tb_memory_need *need, unsigned slots,
			    const uint64_t *available,
			    const struct random_case *random_case)
{
	unsigned *cores = calloc(node->numa->count + 1, sizeof(*cores));
	unsigned inside = 0, all = tb_bitset_count(node->placed);

	assert_non_null(cores);
	for (unsigned i = 0; i < node->numa->count; i++) {
		cores[i] = tb_bitset_count_both(node->placed,
						node->numa->cores[i]);
		inside += cores[i];
	}
	/* What is outside of all has plenty. */
	cores[node->numa->count] = all - inside;
	if (!shares_fit(need, slots, cores, node->numa->count + 1, available)) {
		random_case_print(random_case);
		fail_msg("the memory does not fit");
	}
	free(cores);
}

static void check_random(struct random *random,
			 const struct random_case *random_case, unsigned *cut)
{
	struct tb_memory_need need;
	struct tb_request request;
	struct tb_bitset *used;
	struct node node;
	struct asked asked = { .node = &node, .request = &request };
	uint64_t available[129];
	int before, got;

	make_node(&node, random_case->topology, &used);
	random_case_request(random_case, &request);
	make_need(random, &need);
	asked.used = used;
	asked.slots = random_case->nslots;
	for (unsigned i = 0; i <= node.numa->count; i++)
		available[i] = TB_MEMORY_PLENTY;
	before = place(&asked, &need, available);
	assert_int_equal(before, tb_place(node.placer, &request, used,
					  random_case->nslots));
	for (unsigned i = 0; i < node.numa->count; i++)
		available[i] = random_below(random, 300);
	got = place(&asked, &need, available);
	if (got > 0)
		check_placement(&node, &need, got, available, random_case);
	*cut += got < before;
	tb_request_clear(&request);
	tb_bitset_destroy(used);
	clear_node(&node);
}

/* Whatever the units, the memory of what is placed is there. */
static void test_any_request(void **state)
{
	struct random_shape shape = { 40, true };
	struct random random = { 11 };
	unsigned cut = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		struct random_case some;

		random_case(&random, &shape, &some);
		check_random(&random, &some, &cut);
	}
	assert_true(cut > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_print),
		cmocka_unit_test(test_cores),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_needs),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_available),
		cmocka_unit_test(test_most_slots),
		cmocka_unit_test(test_any_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

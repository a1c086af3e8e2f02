/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens when there is no memory: each allocation fails once.  The answer says
 * so, and (sanitizers look) nothing is lost.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/base/memo.h"
#include "core/mpi/hostfile.h"
#include "core/place/local_memory.h"
#include "core/place/place.h"
#include "core/place/why.h"
#include "core/plan/blockers.h"
#include "core/plan/reach_groups.h"
#include "core/plan/unit_sizes.h"
#include "core/policy/history.h"
#include "core/policy/priority_function.h"
#include "core/replay/replay.h"
#include "core/request/alternatives.h"
#include "core/topology/distances.h"
#include "core/topology/locality.h"
#include "core/topology/numa_memory.h"
#include "core/topology/os_cpus.h"

#define NODE "NSXCTTCTTXCTTCTTNSXCTTCTTXCTTCTT"

/* By the linker's --wrap, see Makefile.inc.  0: the next one fails. */
static long left = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool may_allocate(void)
{
	return left < 0 || left-- > 0;
}

void *__wrap_malloc(size_t size)
{
	return may_allocate() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *memory, size_t size)
{
	return may_allocate() ? __real_realloc(memory, size) : NULL;
}

/* What the scenarios work with, made while there is memory. */
static struct tb_topology *topology;
static struct tb_placer *placer;
static struct tb_request request;
static struct tb_error err;

static int set_up(void **state)
{
	(void)state;
	topology = tb_topology_parse(NODE, NULL, NULL);
	placer = tb_placer_create(topology);
	tb_request_init(&request);
	return !placer || tb_request_parse(&request, "bunit=X,bamount=1", NULL);
}

static int tear_down(void **state)
{
	(void)state;
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	return 0;
}

/*
 * Each does something and says whether that worked; *tells: on failure there is a
 * sentence.
 */
typedef bool (*scenario)(bool *tells);

/* It has at least so many allocations; frugal: it does without some of them. */
static void check_scenario(const char *name, scenario run, long least,
			   bool frugal)
{
	long fails = 0, without = 0;
	bool worked = false, all = false, tells = false;

	for (; !all; fails++) {
		err.text[0] = '\0';
		left = fails;
		worked = run(&tells);
		all = left >= 0;
		left = -1;
		without += worked && !all;
		if (!worked && tells)
			assert_non_null(strstr(err.text, "out of memory"));
		assert_true(fails < 1000);
	}
	if (!worked || fails - 1 < least || (without > 0) != frugal)
		fail_msg("%s: worked %d, %ld allocations, %ld of them not needed",
			 name, worked, fails - 1, without);
}

#define check(run, least) check_scenario(#run, run, least, false)

/* ---- texts ---- */

static bool was_text(char *text)
{
	bool worked = text != NULL;

	free(text);
	return worked;
}

static bool read_topology(const char *text, bool *tells)
{
	struct tb_bitset *lower = NULL;
	struct tb_topology *read = tb_topology_parse(text, &lower, &err);

	*tells = true;
	if (!read)
		return false;
	assert_non_null(lower);
	tb_bitset_destroy(lower);
	tb_topology_destroy(read);
	return true;
}

static bool read_compact(bool *tells)
{
	return read_topology("NSXCTTCttXCTTCTT", tells);
}

static bool read_structured(bool *tells)
{
	return read_topology("(N(S(X(C(T)(t)))(C(T))))", tells);
}

static bool print_topology(bool *tells)
{
	(void)tells;
	return was_text(tb_topology_print(topology, NULL));
}

static bool read_numbers(bool *tells)
{
	unsigned *numbers = tb_distances_parse("10,20;20,10", 2, &err);
	bool worked = numbers != NULL;

	*tells = true;
	free(numbers);
	return worked;
}

static bool print_numbers(bool *tells)
{
	static const unsigned numbers[] = { 10, 20, 20, 10 };

	*tells = true;
	return was_text(tb_distances_print(numbers, 2, &err));
}

static bool print_memory(bool *tells)
{
	static const uint64_t numbers[] = { 10, 20 };

	*tells = true;
	return was_text(tb_numa_memory_print(numbers, 2, &err));
}

static bool read_os_cpus(bool *tells)
{
	unsigned *numbers = tb_os_cpus_parse("0-15", topology, &err);
	bool worked = numbers != NULL;

	*tells = true;
	free(numbers);
	return worked;
}

static bool read_request(bool *tells)
{
	struct tb_request read;
	bool worked;

	*tells = true;
	tb_request_init(&read);
	worked = !tb_request_parse(&read,
				   "bunit=X:1|S:2,bprefer=fast+big,bsort=SX,"
				   "bfilter=first_core+SCc,btopology=SCC",
				   &err);
	tb_request_clear(&read);
	return worked;
}

static bool read_list_of_cpus(bool *tells)
{
	struct tb_request read;
	bool worked;

	*tells = true;
	tb_request_init(&read);
	worked = !tb_request_parse(&read, "bcpus=0-3+7", &err);
	tb_request_clear(&read);
	return worked;
}

static bool inherit_request(bool *tells)
{
	struct tb_request job, step;
	bool worked;

	*tells = true;
	tb_request_init(&job);
	tb_request_init(&step);
	worked = !tb_request_parse(&job, "bunit=X:1|S:2,bsort=SX,bprefer=fast",
				   &err) &&
		 !tb_request_inherit(&step, &job, &err);
	assert_true(!worked || !strcmp(step.sort, "SX"));
	tb_request_clear(&step);
	tb_request_clear(&job);
	return worked;
}

static bool print_request(bool *tells)
{
	(void)tells;
	return was_text(tb_request_print(&request));
}

static bool read_function(bool *tells)
{
	struct tb_priority_function *function =
		tb_priority_parse("FEATURE[big] * 2 - (SPEED + GMETRIC['a b']) / 3",
				  &err);

	*tells = true;
	if (!function)
		return false;
	tb_priority_destroy(function);
	return true;
}

static bool keep_history(bool *tells)
{
	struct tb_history *history = tb_history_create(7), *read = NULL;
	char *text = NULL;
	bool worked;

	*tells = false;
	if (history)
		text = tb_history_print(history);
	if (text)
		read = tb_history_parse(text, NULL);
	worked = read != NULL;
	free(text);
	tb_history_destroy(read);
	tb_history_destroy(history);
	return worked;
}

static void test_texts(void **state)
{
	(void)state;
	check(read_compact, 8);
	check_scenario("structured", read_structured, 8, true);
	check(print_topology, 1);
	check(read_numbers, 2);
	check(print_numbers, 2);
	check(print_memory, 1);
	check(read_os_cpus, 1);
	check(read_request, 4);
	check(read_list_of_cpus, 1);
	check(inherit_request, 6);
	check(print_request, 1);
	check(read_function, 4);
	check(keep_history, 3);
}

/* ---- placements ---- */

static bool create_placer(bool *tells)
{
	struct tb_placer *created = tb_placer_create(topology);

	(void)tells;
	if (!created)
		return false;
	tb_placer_destroy(created);
	return true;
}

static bool create_numa_nodes(bool *tells)
{
	struct tb_numa_nodes *numa = tb_numa_nodes_create(topology, false);

	(void)tells;
	if (!numa)
		return false;
	tb_numa_nodes_destroy(numa);
	return true;
}

static bool tell_why(bool *tells)
{
	struct tb_why why;
	bool worked;

	(void)tells;
	assert_int_equal(tb_place(placer, &request, NULL, 1), 1);
	worked = !tb_why_placed(placer, &why);
	if (worked)
		tb_why_clear(&why);
	return worked;
}

static bool measure_locality(bool *tells)
{
	static struct tb_bitset *threads;
	struct tb_tenant tenant = { .owner = 1 };
	struct tb_locality locality;
	bool worked;

	(void)tells;
	if (!threads) {
		long before = left;

		left = -1;
		threads = tb_bitset_create(tb_topology_threads(topology));
		left = before;
		tb_bitset_set_range(threads, 1, 9);
	}
	tenant.threads = threads;
	worked = !tb_locality_measure(topology, 'X', NULL, &tenant, 1, 0,
				      &locality);
	if (worked) {
		tb_bitset_destroy(threads);
		threads = NULL;
	}
	return worked;
}

static bool remember(bool *tells)
{
	struct tb_memo *memo = tb_memo_create(sizeof(int));
	const struct tb_memo_key key = { .cores = tb_placed_threads(placer) };
	bool is_new, worked;

	(void)tells;
	if (!memo)
		return false;
	worked = tb_memo_find(memo, &key, &is_new) && tb_memo_keep(memo, 8);
	tb_memo_destroy(memo);
	return worked;
}

static bool write_hostfile(bool *tells)
{
	const struct tb_hostfile_job job = { .request = &request,
					     .partition = "main",
					     .tasks = 2 };
	struct tb_hostfile *file = tb_hostfile_create(&job);
	bool worked;

	*tells = file;
	if (!file)
		return false;
	worked = !tb_hostfile_add(file, "a", "NSxccXCC", NULL, &err) &&
		 !tb_hostfile_add(file, "b", "NSXCCxcc", NULL, &err) &&
		 was_text(tb_hostfile_print(file, TB_HOSTFILE_RANKS, &err));
	tb_hostfile_destroy(file);
	return worked;
}

static void test_placements(void **state)
{
	(void)state;
	check(create_placer, 10);
	check(create_numa_nodes, 4);
	check(tell_why, 1);
	check(measure_locality, 3);
	check(remember, 2);
	check(write_hostfile, 10);
}

/* ---- plans ---- */

static bool find_blockers(bool *tells)
{
	const struct tb_need need = { .request = &request,
				      .asked = { .tasks = 2,
						 .min_nodes = 1,
						 .max_nodes = 1,
						 .task_cpus = 1 } };
	const struct tb_used_node node = { .topology = topology,
					   .placer = placer,
					   .books = { true, 1, 1 },
					   .most_cpus = UINT32_MAX };
	const int64_t ends[] = { 10 };
	struct tb_blockers *blockers = tb_blockers_create(&need, &node, 1, ends,
							  1);
	bool worked;

	(void)tells;
	if (!blockers)
		return false;
	/* There is no memory for the offer: there is none. */
	worked = tb_blockers_room(blockers, 0) > 0 &&
		 tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	return worked;
}

static bool replay(bool *tells)
{
	const struct tb_topology *nodes[] = { topology, topology };
	const struct tb_replay_cluster cluster = { nodes, 2 };
	const struct tb_replay_job jobs[] = {
		{ .run = 5, .limit = 9, .nodes = 2, .tasks = 8, .task_cpus = 1 },
		{ .submit = 1,
		  .run = 5,
		  .limit = 9,
		  .nodes = 1,
		  .tasks = 2,
		  .task_cpus = 1,
		  .request = &request },
		{ .submit = 2,
		  .run = 1,
		  .nodes = 1,
		  .tasks = 1,
		  .task_cpus = 1 },
	};
	const struct tb_replay_options options = { .depth = 9 };
	struct tb_replay_start starts[3];
	struct tb_replay_totals totals;

	(void)tells;
	return !tb_replay(&cluster, jobs, 3, &options, starts, &totals);
}

static bool reach(bool *tells)
{
	static const struct tb_reach_range with = { 1, 1 };
	struct tb_reach_node nodes[] = { { .with = &with },
					 { .with = &with, .group = 1 } };
	const struct tb_reach_job job = { 2, 2, 2, 0 };
	enum tb_reached reached = tb_reach_in_groups(nodes, 2, &job, 2, 2);

	(void)tells;
	assert_int_not_equal(reached, TB_NOT_REACHED);
	return reached == TB_REACHED;
}

static bool find_unit_sizes(bool *tells)
{
	static struct tb_topology *uneven;
	const struct tb_unit cache = { 'X', TB_POWER };
	uint16_t *sizes;
	bool worked;

	(void)tells;
	if (!uneven) {
		long before = left;

		left = -1;
		uneven = tb_topology_parse("SXCCXC", NULL, NULL);
		left = before;
	}
	sizes = tb_unit_sizes(uneven, cache, false);
	worked = sizes != NULL;
	free(sizes);
	if (worked) {
		tb_topology_destroy(uneven);
		uneven = NULL;
	}
	return worked;
}

static void test_plans(void **state)
{
	(void)state;
	check_scenario("blockers", find_blockers, 10, true);
	check_scenario("replay", replay, 10, true);
	check(reach, 3);
	check(find_unit_sizes, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_placements, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_plans, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("no_memory", tests, NULL, NULL);
}

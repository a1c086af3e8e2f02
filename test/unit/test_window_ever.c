/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a window can ever hold, against all uses of small nodes; and the requests
 * whose window holds nothing on any node.
 */
#include "unit_test.h"

#include "core/place/window_ever.h"
#include "core/topology/tree.h"
#include "random_case.h"

#define CASES 3000
#define MOST_THREADS 8

struct window_case {
	char text[RANDOM_TEXT];
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *taken, *masked, *used;
	struct tb_request request;
	bool by_thread;
};

static char pick_letter(struct random *random)
{
	static const char letters[] = "SsCcEeNnXxYy";

	return random_percent(random, 20)
		       ? '\0'
		       : letters[random_below(random, sizeof(letters) - 1)];
}

static void set_letter(struct tb_request *request, const char *key, char letter)
{
	char value[] = { letter, '\0' };

	if (letter)
		assert_int_equal(tb_request_set(request, key, value, NULL), 0);
}

static void make_request(struct random *random, struct tb_request *request)
{
	static const char *const units[] = { "T", "ET", "C", "E",  "S", "ES",
					     "X", "EX", "Y", "EY", "N", "EN" };
	char start = pick_letter(random);

	tb_request_init(request);
	assert_int_equal(tb_request_set(request, "bamount", "1", NULL), 0);
	assert_int_equal(tb_request_set(request, "bunit",
					units[random_below(random, 12)], NULL),
			 0);
	set_letter(request, "bstart", start);
	set_letter(request, "bstop",
		   random_percent(random, 20) ? start : pick_letter(random));
	if (random_percent(random, 20))
		assert_int_equal(tb_request_set(request, "bsort",
						random_percent(random, 50)
							? "SxC"
							: "Ce",
						NULL),
				 0);
}

static void make_case(struct random *random, struct window_case *one)
{
	struct random_shape shape = { 1 + random_below(random, MOST_THREADS),
				      random_percent(random, 20) };

	random_topology(random, &shape, one->text);
	one->topology = tb_topology_parse(one->text, NULL, NULL);
	assert_non_null(one->topology);
	one->placer = tb_placer_create(one->topology);
	one->taken = tb_bitset_create(one->topology->nthreads);
	one->masked = tb_bitset_create(one->topology->nthreads);
	one->used = tb_bitset_create(one->topology->nthreads);
	one->by_thread = random_percent(random, 50);
	if (random_percent(random, 30))
		tb_bitset_set(one->taken,
			      random_below(random, one->topology->nthreads));
	for (unsigned i = 0; i < 2 && random_percent(random, 40); i++)
		tb_bitset_set(one->masked,
			      random_below(random, one->topology->nthreads));
	make_request(random, &one->request);
	one->request.masked = one->masked;
}

static void clear_case(struct window_case *one)
{
	tb_request_clear(&one->request);
	tb_bitset_destroy(one->used);
	tb_bitset_destroy(one->taken);
	tb_bitset_destroy(one->masked);
	tb_placer_destroy(one->placer);
	tb_topology_destroy(one->topology);
}

/* Others have those of the cores, or threads, that have a bit. */
static void set_used(struct window_case *one, enum tb_class class,
		     unsigned bits)
{
	tb_bitset_assign(one->used, one->taken);
	for (unsigned i = 0; bits >> i; i++) {
		struct tb_run run;

		if (!(bits >> i & 1))
			continue;
		run = tb_threads_of_object(one->topology, class, i);
		tb_bitset_set_range(one->used, run.first, run.count);
	}
}

static bool some_use_holds(struct window_case *one)
{
	enum tb_class class = one->by_thread ? TB_CLASS_THREAD : TB_CLASS_CORE;
	unsigned count = tb_run_below(one->topology, 0, class).count;

	for (unsigned bits = 0; bits < 1u << count; bits++) {
		set_used(one, class, bits);
		if (tb_place(one->placer, &one->request, one->used, 1) > 0)
			return true;
	}
	return false;
}

/* So many units at once, of all uses. */
static unsigned find_most(struct window_case *one)
{
	enum tb_class class = one->by_thread ? TB_CLASS_THREAD : TB_CLASS_CORE;
	unsigned count = tb_run_below(one->topology, 0, class).count, most = 0;

	for (unsigned bits = 0; bits < 1u << count; bits++) {
		int slots;

		set_used(one, class, bits);
		slots = tb_place(one->placer, &one->request, one->used,
				 MOST_THREADS);
		if (slots > (int)most)
			most = (unsigned)slots;
	}
	return most;
}

static void check_most(struct window_case *one, unsigned *limited)
{
	uint32_t most = tb_window_most_units(one->topology, &one->request);

	if (most == UINT32_MAX)
		return;
	++*limited;
	if (find_most(one) > most)
		fail_msg("%s: bunit=%s bstart=%c bstop=%c bsort=%s: over %u",
			 one->text, tb_unit_name(one->request.unit),
			 one->request.start ? one->request.start : '-',
			 one->request.stop, one->request.sort, most);
}

static void test_most_units(void **state)
{
	struct random random = { 20261125 };
	struct window_case one;
	unsigned limited = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		make_case(&random, &one);
		check_most(&one, &limited);
		clear_case(&one);
	}
	assert_true(limited > CASES / 20);
}

/* Jobs that share units pass no window either. */
static bool some_sharing_holds(struct random *random, struct window_case *one)
{
	struct tb_thread_use use[MOST_THREADS] = { 0 };

	for (unsigned i = 0; i < one->topology->nthreads; i++)
		use[i].jobs = (uint16_t)random_below(random, 4);
	return tb_place_shared(one->placer, &one->request, use, 4, 1) > 0;
}

static void check_case(struct random *random, struct window_case *one,
		       unsigned *never)
{
	const struct tb_request *request = &one->request;
	bool holds = some_use_holds(one) || !(request->start || request->stop);
	bool can = tb_window_can_hold(one->placer, request, one->taken,
				      one->by_thread);
	bool vague = *request->sort && request->start &&
		     request->start != request->stop;

	if (can != holds && !(vague && can))
		fail_msg("%s: bunit=%s bstart=%c bstop=%c bsort=%s: %d, not %d",
			 one->text, tb_unit_name(request->unit),
			 request->start ? request->start : '-',
			 request->stop ? request->stop : '-', request->sort,
			 can, holds);
	if (tb_request_check_window(request, NULL)) {
		assert_false(holds);
		assert_false(some_sharing_holds(random, one));
	}
	*never += !can;
}

static void test_all_uses(void **state)
{
	struct random random = { 20261123 };
	struct window_case one;
	unsigned never = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		make_case(&random, &one);
		check_case(&random, &one, &never);
		clear_case(&one);
	}
	/* Both answers come often. */
	assert_in_range(never, CASES / 10, CASES - CASES / 10);
}

static bool can_hold(const char *node, const char *line, bool by_thread)
{
	struct tb_topology *topology = tb_topology_parse(node, NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_bitset *none = tb_bitset_create(topology->nthreads);
	struct tb_request request;
	bool can;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	can = tb_window_can_hold(placer, &request, none, by_thread);
	tb_request_clear(&request);
	tb_bitset_destroy(none);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	return can;
}

static void test_nodes(void **state)
{
	const char *hybrid = "SXCTTCTTEE", *plain = "SXCTTCTTXCTTCTT";

	(void)state;
	/* A thread of a core in use is free where threads are what others have. */
	assert_true(can_hold(plain, "bunit=T,bamount=1,bstop=C", true));
	assert_false(can_hold(plain, "bunit=T,bamount=1,bstop=C", false));
	/* Its efficiency cores can be in use while its power cores are free. */
	assert_true(can_hold(hybrid, "bunit=X,bamount=1,bstop=X", false));
	assert_false(can_hold(plain, "bunit=X,bamount=1,bstop=X", false));
	/* Without an L3 cache the unit X is a socket. */
	assert_true(can_hold("SCTTCTT", "bunit=X,bamount=1,bstop=X", false));
	assert_true(can_hold(plain, "bunit=C,bamount=1,bstop=X", false));
	assert_false(can_hold("SXCTTXCTT", "bunit=C,bamount=1,bstop=X", false));
	assert_true(can_hold(plain, "bunit=C,bamount=1,bstart=c", false));
	assert_false(can_hold("SCTT", "bunit=C,bamount=1,bstart=c", false));
	assert_true(can_hold("SCTT", "bunit=T,bamount=1,bstart=c", true));
}

static uint32_t most_units(const char *node, const char *line)
{
	struct tb_topology *topology = tb_topology_parse(node, NULL, NULL);
	struct tb_request request;
	uint32_t most;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	most = tb_window_most_units(topology, &request);
	tb_request_clear(&request);
	tb_topology_destroy(topology);
	return most;
}

static void test_kinds_of_cores(void **state)
{
	(void)state;
	assert_int_equal(most_units("SXEEXEE", "bunit=E,bamount=1,bstop=E"), 1);
	assert_int_equal(most_units("SXCCXCC", "bunit=C,bamount=1,bstop=C"), 1);
	/* What is of the other kind can be in use. */
	assert_int_equal(most_units("SXCEXCE", "bunit=X,bamount=1,bstop=X"),
			 UINT32_MAX);
	assert_int_equal(most_units("SXEEXEE", "bunit=E,bamount=1,bstop=C"),
			 UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_uses),
		cmocka_unit_test(test_most_units),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_kinds_of_cores),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For how many CPUs slots stand in Slurm's books, against counting by hand.
 */
#include "unit_test.h"

#include "core/plan/booked.h"
#include "random_case.h"

#define RUNS 3000

/* The core of each thread, asked of no range. */
static uint32_t count_by_hand(const struct tb_topology *topology,
			      const struct tb_bitset *threads, bool by_thread)
{
	uint32_t count = 0;

	if (by_thread)
		return tb_bitset_count(threads);
	for (unsigned core = 0; core < tb_topology_cores(topology); core++) {
		bool has = false;

		for (unsigned i = 0; i < tb_core_threads(topology, core); i++)
			has = has ||
			      tb_bitset_test(threads,
					     tb_core_first_thread(topology,
								  core) +
						     i);
		count += has;
	}
	return count;
}

/* Of random masks nothing is left when all is masked, and all without any. */
static void check_runs(struct random *random, const struct tb_books *books,
		       const struct tb_request *request,
		       const struct tb_topology *topology,
		       const struct tb_bitset *threads, uint32_t cpus)
{
	struct tb_bitset *masked = tb_bitset_create(threads->nbits);
	uint32_t last = cpus;

	assert_int_equal(tb_booked_runs(books, request, topology, threads,
					NULL),
			 cpus);
	for (unsigned i = 0; i < threads->nbits; i++) {
		uint32_t runs = tb_booked_runs(books, request, topology,
					       threads, masked);

		assert_true(runs <= last);
		last = runs;
		if (random_percent(random, 50))
			tb_bitset_set(masked, i);
	}
	tb_bitset_set_range(masked, 0, masked->nbits);
	assert_int_equal(tb_booked_runs(books, request, topology, threads,
					masked),
			 0);
	tb_bitset_destroy(masked);
}

static void check_cpus(struct random *random)
{
	static const char *const requests[] = { "bunit=T,bamount=1",
						"bunit=T,bamount=2,btype=host",
						"bunit=C,bamount=1",
						"bunit=X,bamount=1" };
	const struct random_shape shape = { .most_threads = 32 };
	struct tb_books books = { .by_thread = random_percent(random, 30) };
	unsigned which = random_below(random, 4);
	struct tb_topology *topology;
	struct tb_bitset *threads;
	struct tb_request request;
	char text[RANDOM_TEXT];
	uint32_t wanted;

	random_topology(random, &shape, text);
	topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(topology);
	threads = tb_bitset_create(tb_topology_threads(topology));
	for (unsigned i = 0; i < threads->nbits; i++)
		if (random_percent(random, 40))
			tb_bitset_set(threads, i);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, requests[which], NULL), 0);
	books.threads_per_core = books.by_thread ? 1
						 : 1 + random_below(random, 4);
	books.cpus_per_core = tb_booked_per_core(random_below(random, 5),
						 books.threads_per_core);
	wanted = books.cpus_per_core *
		 count_by_hand(topology, threads, books.by_thread);
	if (which == 0 && books.cpus_per_core == books.threads_per_core)
		wanted = tb_bitset_count(threads);
	assert_int_equal(tb_booked_cpus(&books, &request, topology, threads),
			 wanted);
	check_runs(random, &books, &request, topology, threads, wanted);
	tb_request_clear(&request);
	tb_bitset_destroy(threads);
	tb_topology_destroy(topology);
}

static void test_cpus(void **state)
{
	struct random random = { 16 };

	(void)state;
	for (unsigned i = 0; i < RUNS; i++)
		check_cpus(&random);
}

static const struct masking {
	const char *topology; /* masked threads in lower case */
	const char *request;
	uint32_t threads_per_core, cpus_per_core, runs;
} maskings[] = {
	{ "SCC", "bunit=S,bamount=1", 1, 1, 2 },
	{ "ScC", "bunit=S,bamount=1", 1, 1, 1 },
	{ "SCtTCTT", "bunit=S,bamount=1", 2, 2, 3 },
	{ "SCtTCTT", "bunit=S,bamount=1", 2, 1, 2 },
	{ "ScttCTT", "bunit=S,bamount=1", 2, 2, 2 },
	{ "SCtTCtT", "bunit=C,bamount=2", 2, 2, 2 },
	{ "SCtTCTT", "bunit=T,bamount=4", 2, 2, 3 },
	/* Slurm knows of more threads than the topology. */
	{ "ScC", "bunit=S,bamount=1", 2, 2, 2 },
};

static void test_masked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(maskings) / sizeof(maskings[0]); i++) {
		const struct masking *m = &maskings[i];
		const struct tb_books books = { false, m->threads_per_core,
						m->cpus_per_core };
		struct tb_bitset *masked, *threads;
		struct tb_topology *topology = tb_topology_parse(m->topology,
								 &masked, NULL);
		struct tb_request request;

		threads = tb_bitset_create(masked->nbits);
		tb_bitset_set_range(threads, 0, threads->nbits);
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, m->request, NULL),
				 0);
		if (tb_booked_runs(&books, &request, topology, threads,
				   masked) != m->runs)
			fail_msg("%s", m->topology);
		tb_request_clear(&request);
		tb_bitset_destroy(threads);
		tb_bitset_destroy(masked);
		tb_topology_destroy(topology);
	}
}

static void test_per_core(void **state)
{
	(void)state;
	assert_int_equal(tb_booked_per_core(0, 2), 2);
	assert_int_equal(tb_booked_per_core(1, 2), 1);
	assert_int_equal(tb_booked_per_core(4, 2), 2);
}

static void test_layout(void **state)
{
	const struct tb_layout there = { 2, 8, 2 };

	(void)state;
	for (uint32_t sockets = 0; sockets < 4; sockets++)
		for (uint32_t cores = 6; cores < 10; cores++)
			for (uint32_t threads = 0; threads < 4; threads++) {
				const struct tb_layout asked = { sockets, cores,
								 threads };

				assert_int_equal(tb_layout_suffices(&there,
								    &asked),
						 sockets <= 2 && cores <= 8 &&
							 threads <= 2);
			}
}

static void test_left(void **state)
{
	(void)state;
	assert_int_equal(tb_booked_left(8, 3), 5);
	assert_int_equal(tb_booked_left(8, 9), 0);
}

/* The most that is allowed, by trying all numbers. */
static uint32_t most_slots(const struct tb_booking *booking, uint32_t slots,
			   uint32_t cpus, uint32_t most, uint32_t left)
{
	uint32_t found = 0;

	if (cpus < booking->task_cpus || cpus * slots < booking->node_cpus)
		return 0;
	for (uint32_t i = 0; i <= slots; i++)
		if (i * most <= left)
			found = i;
	return found;
}

static void test_slots(void **state)
{
	struct random random = { 61 };

	(void)state;
	for (unsigned i = 0; i < RUNS; i++) {
		const struct tb_booking booking = {
			.task_cpus = random_below(&random, 5),
			.node_cpus = random_below(&random, 12),
			.left = random_percent(&random, 30)
					? UINT32_MAX
					: random_below(&random, 20),
		};
		uint32_t slots = random_below(&random, 6), within;
		uint32_t cpus = 1 + random_below(&random, 6);
		uint32_t most = cpus + random_below(&random, 3);

		assert_int_equal(tb_booked_slots(&booking, slots, cpus, most,
						 &within),
				 most_slots(&booking, slots, cpus, most,
					    booking.left));
		assert_int_equal(within, most_slots(&booking, slots, cpus, most,
						    UINT32_MAX));
	}
}

static void test_sixteen_bits(void **state)
{
	const struct tb_booking booking = { .left = UINT32_MAX };
	uint32_t within;

	(void)state;
	assert_int_equal(tb_booked_slots(&booking, 2, 9, 0xfffd, &within), 2);
	assert_int_equal(tb_booked_slots(&booking, 2, 9, 0xfffe, &within), 0);
	assert_int_equal(within, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_masked),
		cmocka_unit_test(test_per_core),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_sixteen_bits),
	};

	return cmocka_run_group_tests_name("booked", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has the threads of a node, against counting jobs one by one.
 */
#include "unit_test.h"

#include <string.h>

#include "core/plan/shared_use.h"
#include "random_case.h"

#define RUNS 5000
#define THREADS 8
#define JOBS 5

/* Two caches of two cores, of two threads each. */
static const char text[] = "SXCTTCTTXCTTCTT";

struct job {
	unsigned first, count; /* threads */
	char letter;	       /* units that it lets others have; 0: none */
};

static unsigned size_of(char letter)
{
	return letter == 'X' ? 4 : letter == 'C' ? 2 : 1;
}

/* Whole units of its letter, anywhere. */
static struct job random_job(struct random *random)
{
	static const char letters[] = "XCT";
	char letter = letters[random_below(random, 3)];
	unsigned size = size_of(letter), units = THREADS / size;
	unsigned first = random_below(random, units);
	unsigned count = 1 + random_below(random, units - first);

	return (struct job){ first * size, count * size,
			     random_percent(random, 80) ? letter : 0 };
}

static bool has(const struct job *job, unsigned thread)
{
	return thread >= job->first && thread < job->first + job->count;
}

static void check_thread(const struct job *jobs, unsigned count,
			 unsigned thread, const struct tb_thread_use *use)
{
	unsigned holders = 0;
	bool shared = true;
	char letter = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!has(&jobs[i], thread))
			continue;
		shared = shared && jobs[i].letter &&
			 (!holders || jobs[i].letter == letter);
		letter = jobs[i].letter;
		holders++;
	}
	assert_int_equal(use->jobs, shared ? holders : TB_SHARE_NEVER);
	if (!shared || !holders)
		return;
	assert_int_equal(use->first,
			 thread / size_of(letter) * size_of(letter));
	assert_int_equal(use->last, use->first + size_of(letter) - 1);
}

static void test_random(void **state)
{
	struct tb_topology *topology = tb_topology_parse(text, NULL, NULL);
	struct random random = { 99 };

	(void)state;
	for (unsigned run = 0; run < RUNS; run++) {
		struct tb_thread_use use[THREADS] = { { 0, 0, 0 } },
				     own[THREADS];
		unsigned count = random_below(&random, JOBS + 1);
		struct job jobs[JOBS];

		for (unsigned i = 0; i < count; i++) {
			struct tb_bitset *threads = tb_bitset_create(THREADS);
			struct tb_unit unit;

			jobs[i] = random_job(&random);
			unit = (struct tb_unit){ .letter = jobs[i].letter };
			tb_bitset_set_range(threads, jobs[i].first,
					    jobs[i].count);
			tb_shared_use_add(topology, threads,
					  jobs[i].letter ? &unit : NULL, use,
					  own);
			tb_bitset_destroy(threads);
		}
		for (unsigned i = 0; i < THREADS; i++)
			check_thread(jobs, count, i, &use[i]);
	}
	tb_topology_destroy(topology);
}

static void test_bar(void **state)
{
	struct tb_thread_use use[THREADS] = { { 0, 0, 0 } };
	struct tb_bitset *threads = tb_bitset_create(THREADS);

	(void)state;
	tb_bitset_set_range(threads, 2, 1);
	tb_shared_use_bar(threads, use);
	assert_int_equal(use[1].jobs, 0);
	assert_int_equal(use[2].jobs, TB_SHARE_NEVER);
	tb_bitset_destroy(threads);
}

static void test_booked_unit(void **state)
{
	struct tb_request request = { .unit = { .letter = 'T' } };

	(void)state;
	assert_int_equal(tb_booked_unit(&request, true).letter, 'T');
	assert_int_equal(tb_booked_unit(&request, false).letter, 'C');
	request.unit.letter = 'X';
	assert_int_equal(tb_booked_unit(&request, false).letter, 'X');
	request.cpus = tb_bitset_create(1);
	assert_int_equal(tb_booked_unit(&request, false).letter, 'C');
	tb_bitset_destroy(request.cpus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_bar),
		cmocka_unit_test(test_booked_unit),
	};

	return cmocka_run_group_tests_name("shared_use", tests, NULL, NULL);
}

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
	char letter;	       /* units that it lets others have */
	enum tb_shares_as as;
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

	if (random_percent(random, 10)) /* all of the node */
		return (struct job){ 0, THREADS, letter, TB_SHARES_NODE };
	return (struct job){ first * size, count * size, letter,
			     random_percent(random, 10)	  ? TB_SHARES_NOTHING
			     : random_percent(random, 30) ? TB_SHARES_ANY
							  : TB_SHARES_UNITS };
}

static bool has(const struct job *job, unsigned thread)
{
	return thread >= job->first && thread < job->first + job->count;
}

/* The threads of the unit as which a job has a thread. */
static unsigned unit_size(const struct job *job)
{
	return job->as == TB_SHARES_NODE ? THREADS : size_of(job->letter);
}

static void check_thread(const struct job *jobs, unsigned count,
			 unsigned thread, const struct tb_thread_use *use)
{
	unsigned holders = 0, size = 0;
	bool shared = true;

	for (unsigned i = 0; i < count; i++) {
		if (!has(&jobs[i], thread))
			continue;
		holders++;
		shared = shared && jobs[i].as != TB_SHARES_NOTHING;
		if (jobs[i].as == TB_SHARES_ANY)
			continue;
		shared = shared && (!size || size == unit_size(&jobs[i]));
		size = unit_size(&jobs[i]);
	}
	assert_int_equal(use->jobs, shared ? holders : TB_SHARE_NEVER);
	if (!shared || !holders)
		return;
	assert_int_equal(use->first, size ? thread / size * size : 0);
	assert_int_equal(use->last,
			 size ? use->first + size - 1 : TB_SHARE_ANY);
}

/* Who wants all of the node: with turns whatever others have; else as one unit. */
static void check_whole(const struct job *jobs, unsigned count,
			const struct tb_thread_use *use)
{
	unsigned most = 0;
	bool as_one = true, turns = false;

	for (unsigned i = 0; i < THREADS; i++)
		most = use[i].jobs > most ? use[i].jobs : most;
	for (unsigned i = 0; i < count; i++) {
		as_one = as_one && jobs[i].as == TB_SHARES_NODE;
		turns = turns || jobs[i].as == TB_SHARES_ANY;
	}
	assert_int_equal(tb_share_whole(use, THREADS, true), most);
	if (!turns)
		assert_int_equal(tb_share_whole(use, THREADS, false),
				 as_one ? count : TB_SHARE_NEVER);
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
			struct tb_share_of share;

			jobs[i] = random_job(&random);
			share = (struct tb_share_of){
				jobs[i].as,
				{ .letter = jobs[i].letter }
			};
			tb_bitset_set_range(threads, jobs[i].first,
					    jobs[i].count);
			tb_shared_use_add(topology, threads, share, use, own);
			tb_bitset_destroy(threads);
		}
		for (unsigned i = 0; i < THREADS; i++)
			check_thread(jobs, count, i, &use[i]);
		check_whole(jobs, count, use);
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

static void test_shares_as(void **state)
{
	const struct tb_request one = { .unit = { .letter = 'X' } };
	const struct tb_request two = { .unit = { .letter = 'C' },
					.nparts = 2 };

	(void)state;
	assert_int_equal(tb_shares_as(&two, false, false), TB_SHARES_NOTHING);
	assert_int_equal(tb_shares_as(&two, false, true), TB_SHARES_NOTHING);
	assert_int_equal(tb_shares_as(&two, true, false), TB_SHARES_NODE);
	assert_int_equal(tb_shares_as(&one, false, false), TB_SHARES_UNITS);
	assert_int_equal(tb_shares_as(&one, false, true), TB_SHARES_UNITS);
	assert_int_equal(tb_shares_as(&one, true, false), TB_SHARES_NODE);
	assert_int_equal(tb_shares_as(&one, true, true), TB_SHARES_ANY);
	assert_int_equal(tb_shares_as(NULL, false, false), TB_SHARES_NOTHING);
	assert_int_equal(tb_shares_as(NULL, true, false), TB_SHARES_NOTHING);
	assert_int_equal(tb_shares_as(NULL, false, true), TB_SHARES_ANY);
	assert_int_equal(tb_shares_as(NULL, true, true), TB_SHARES_ANY);
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
		cmocka_unit_test(test_shares_as),
		cmocka_unit_test(test_booked_unit),
	};

	return cmocka_run_group_tests_name("shared_use", tests, NULL, NULL);
}

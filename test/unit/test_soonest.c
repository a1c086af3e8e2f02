/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The soonest start, against asking about all numbers of ended jobs.
 */
#include "unit_test.h"

#include "core/plan/soonest.h"
#include "random_case.h"

#define JOBS_MAX 20
#define TIME_MAX 40

struct question {
	int64_t ends[JOBS_MAX];
	int64_t starts[JOBS_MAX + 1]; /* by how many do not matter; 0: never */
	uint32_t count, least;
	unsigned asked;
};

static int64_t tell(void *arg, uint32_t ended)
{
	struct question *question = arg;

	assert_in_range(ended, question->least, question->count);
	question->asked++;
	return question->starts[ended];
}

static int compare_times(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* With fewer than least it never starts, and the more do not matter, the sooner. */
static void make_question(struct random *random, struct question *question)
{
	int64_t start = 1 + random_below(random, TIME_MAX + 5);

	*question = (struct question){ .count = random_below(random,
							     JOBS_MAX + 1) };
	question->least = random_below(random, question->count + 1);
	for (uint32_t i = 0; i < question->count; i++)
		question->ends[i] = 1 + random_below(random, TIME_MAX);
	qsort(question->ends, question->count, sizeof(int64_t), compare_times);
	for (uint32_t i = question->least; i <= question->count; i++) {
		if (random_percent(random, 50))
			start = 1 + random_below(random, (unsigned)start);
		question->starts[i] = start;
	}
	for (uint32_t i = question->least;
	     i <= question->count && random_percent(random, 30); i++)
		question->starts[i] = 0;
}

/* When does it start with so many of them gone?  0: never. */
static int64_t find_start(const struct question *question, uint32_t ended)
{
	int64_t start = question->starts[ended];
	int64_t end = ended ? question->ends[ended - 1] : 0;

	return start && start < end ? end : start;
}

static int64_t find_soonest_of_all(const struct question *question)
{
	int64_t soonest = 0;

	for (uint32_t i = question->least; i <= question->count; i++) {
		int64_t start = find_start(question, i);

		if (start && (!soonest || start < soonest))
			soonest = start;
	}
	return soonest;
}

static struct tb_soonest find(struct question *question, uint32_t guess,
			      uint32_t questions)
{
	return tb_soonest_find(question->ends, question->count, question->least,
			       guess, questions, tell, question);
}

static void test_against_all(void **state)
{
	struct random random = { .state = 1 };
	unsigned long never = 0, later = 0;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		struct question question;
		struct tb_soonest found;

		make_question(&random, &question);
		found = find(&question, random_below(&random, JOBS_MAX + 5),
			     JOBS_MAX + 1);
		assert_int_equal(found.start, find_soonest_of_all(&question));
		never += !found.start;
		if (!found.start)
			continue;
		assert_int_equal(found.start,
				 find_start(&question, found.ended));
		later += found.ended > question.least;
	}
	assert_true(never > 1000);
	assert_true(later > 1000);
}

/* What is told after a few questions is a start all the same. */
static void test_few_questions(void **state)
{
	struct random random = { .state = 2 };

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint32_t questions = 1 + random_below(&random, 6);
		struct question question;
		struct tb_soonest found;

		make_question(&random, &question);
		found = find(&question, random_below(&random, JOBS_MAX + 5),
			     questions);
		assert_in_range(question.asked, 1, questions);
		if (found.start)
			assert_int_equal(found.start,
					 find_start(&question, found.ended));
	}
}

/* One is enough where the guess is right. */
static void test_right_guess(void **state)
{
	struct random random = { .state = 3 };
	unsigned long right = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		struct question question;
		struct tb_soonest found;

		make_question(&random, &question);
		found = find(&question, 0, JOBS_MAX + 1);
		if (!found.start)
			continue;
		question.asked = 0;
		if (question.starts[found.ended] < found.start)
			continue;
		find(&question, found.ended, JOBS_MAX + 1);
		right += question.asked == 1;
	}
	assert_true(right > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all),
		cmocka_unit_test(test_few_questions),
		cmocka_unit_test(test_right_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

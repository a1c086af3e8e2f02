/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread, by its number: its time and its CPUs, and that it ends.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "thread.h"

struct worker {
	pthread_t thread;
	_Atomic pid_t tid;
	_Atomic int ends;
};

static uint64_t cpu_us(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* Uses some time, under a name that is no good; then waits. */
static void *work(void *data)
{
	struct worker *worker = data;

	prctl(PR_SET_NAME, "a) R 1 (b\n");
	while (cpu_us(CLOCK_THREAD_CPUTIME_ID) < 200000)
		;
	worker->tid = gettid();
	while (!worker->ends)
		usleep(1000);
	return NULL;
}

static void start(struct worker *worker)
{
	*worker = (struct worker){ 0 };
	assert_int_equal(pthread_create(&worker->thread, NULL, work, worker),
			 0);
	while (worker->tid == 0)
		usleep(1000);
}

static void end(struct worker *worker)
{
	worker->ends = 1;
	pthread_join(worker->thread, NULL);
}

/* Its own time, not that of its process. */
static void test_reads(void **state)
{
	struct tb_thread first, now;
	struct worker worker;

	(void)state;
	assert_true(tb_thread_read(getpid(), &first));
	start(&worker);
	assert_true(tb_thread_read(worker.tid, &now));
	assert_string_equal(now.name, "a) R 1 (b\n");
	assert_true(now.started >= first.started);
	assert_in_range(now.used_us, 180000, 400000);
	assert_true(now.cpu >= 0);
	assert_true(tb_thread_read(getpid(), &now));
	assert_true(now.used_us < 180000);
	assert_int_equal(now.started, first.started);
	end(&worker);
	assert_false(tb_thread_read(worker.tid, &now));
	assert_null(tb_thread_cpus(worker.tid));
	assert_false(tb_thread_keep(worker.tid, NULL));
}

/* On one CPU of those that there are, and on all again; none is refused. */
static void test_keeps(void **state)
{
	struct worker worker;
	struct tb_bitset *all = tb_thread_cpus(getpid()), *now, *one;

	(void)state;
	assert_non_null(all);
	one = tb_bitset_create(all->nbits);
	tb_bitset_set(one, tb_bitset_last(all));
	start(&worker);
	assert_true(tb_thread_keep(worker.tid, one));
	now = tb_thread_cpus(worker.tid);
	assert_true(tb_bitset_equal(now, one));
	tb_bitset_destroy(now);
	now = tb_thread_cpus(getpid());
	assert_true(tb_bitset_equal(now, all));
	tb_bitset_destroy(now);
	tb_bitset_clear_all(one);
	assert_false(tb_thread_keep(worker.tid, one));
	assert_true(tb_thread_keep(worker.tid, NULL));
	now = tb_thread_cpus(worker.tid);
	assert_true(tb_bitset_equal(now, all));
	tb_bitset_destroy(now);
	tb_bitset_destroy(one);
	tb_bitset_destroy(all);
	end(&worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads),
		cmocka_unit_test(test_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

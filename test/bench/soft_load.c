/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_load - the two loads of test/bench/soft
 *
 *	soft_load service SECONDS	requests come at fixed times, each is a bit
 *					of work; how long each took from when it
 *					came: number, median, 99th percentile, max
 *	soft_load batch SECONDS		a worker on each of WORKERS threads, with
 *					nothing but work: pieces of work per second
 *
 * One line for each on stdout.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKERS 3
#define PERIOD_US 10000 /* between two requests */
#define WORK_LOOPS \
	5000000 /* a piece of work, about 2 ms: the same in each run */
#define REQUESTS_MAX 100000

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void sleep_until(double us)
{
	const struct timespec until = {
		.tv_sec = (time_t)(us / 1e6),
		.tv_nsec = (long)((us - (double)(time_t)(us / 1e6) * 1e6) *
				  1e3),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/*
 * A piece of work is always as much, whatever the clock says.  The sum is each
 * thread's own: two CPUs would send one of all to and fro, and do less than one.
 */
static void work(unsigned long loops)
{
	volatile unsigned long sink = 0;

	for (unsigned long i = 0; i < loops; i++)
		sink += i;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int serve(double seconds)
{
	static double took[REQUESTS_MAX];
	double start = now_us(), end = start + seconds * 1e6;
	unsigned count = 0;

	for (double due = start; due < end && count < REQUESTS_MAX;
	     due += PERIOD_US) {
		sleep_until(due);
		work(WORK_LOOPS);
		took[count++] = now_us() - due;
	}
	if (count == 0)
		return 1;
	qsort(took, count, sizeof(took[0]), compare);
	printf("service %u %.2f %.2f %.2f\n", count, took[count / 2] / 1e3,
	       took[count * 99 / 100] / 1e3, took[count - 1] / 1e3);
	return 0;
}

struct worker {
	pthread_t thread;
	unsigned long pieces;
	double end;
};

static void *run_worker(void *data)
{
	struct worker *worker = data;

	while (now_us() < worker->end) {
		work(WORK_LOOPS);
		worker->pieces++;
	}
	return NULL;
}

static int batch(double seconds)
{
	struct worker workers[WORKERS];
	unsigned long pieces = 0;
	double end = now_us() + seconds * 1e6;

	memset(workers, 0, sizeof(workers));
	for (int i = 0; i < WORKERS; i++) {
		workers[i].end = end;
		if (pthread_create(&workers[i].thread, NULL, run_worker,
				   &workers[i]) != 0)
			return 1;
	}
	for (int i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		pieces += workers[i].pieces;
	}
	printf("batch %.0f\n", (double)pieces / seconds);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;

	if (seconds > 0 && strcmp(argv[1], "service") == 0)
		return serve(seconds);
	if (seconds > 0 && strcmp(argv[1], "batch") == 0)
		return batch(seconds);
	fprintf(stderr, "usage: soft_load service|batch SECONDS\n");
	return 2;
}

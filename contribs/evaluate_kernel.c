/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evaluate_kernel.c - the jobs of contribs/evaluate
 *
 *	evaluate_kernel calibrate KIND THREADS BYTES SECONDS
 *				prints the work that takes so long
 *	evaluate_kernel KIND THREADS BYTES WORK
 *				does it, and prints: KIND START END CPUS
 *
 * Times are seconds since 1970, CPUS is how many this process may use.  THREADS is
 * how many cores a job has, BYTES the cache that they share.  Kinds:
 *
 *	memory   each thread a triad over its part of arrays that no cache holds
 *	cache    each thread a chase of pointers through its part of three quarters
 *	         of the cache
 *	compute  arithmetic in registers
 *	team     the same, as much in all, by a thread for each CPU of the machine,
 *	         as of a program that was not told how many it has
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_THREADS 1024
#define TRIAD_CACHES 4	    /* the arrays are so many times the cache */
#define COMPUTE_UNIT 100000 /* steps for a unit of work */
#define CHASE_UNIT 10000
#define TRIAD_UNIT 10000

/* What a loop found goes here, so that the compiler leaves the loop. */
static volatile double sink;

struct thread;

struct kind {
	const char *name;
	void (*prepare)(struct thread *thread); /* NULL: nothing to prepare */
	void (*run)(struct thread *thread, uint64_t work);
	int for_each_cpu; /* threads: one for each CPU of the machine */
};

/* A line of the cache holds one link. */
struct link {
	struct link *next;
	char rest[64 - sizeof(struct link *)];
};

/* What one thread has for itself; it makes it, so that it lies near it. */
struct thread {
	pthread_t id;
	const struct kind *kind;
	size_t bytes; /* its part of the cache */
	double *a, *b, *c;
	size_t doubles; /* in each of these */
	size_t triad_at;
	struct link *at;
	uint64_t work;
	double cpu_seconds; /* that the work took it */
};

static void die(const char *what)
{
	fprintf(stderr, "evaluate_kernel: %s\n", what);
	exit(1);
}

static double seconds_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *get_memory(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		die("out of memory");
	return memory;
}

/* ---- memory ---- */

static void prepare_memory(struct thread *thread)
{
	size_t count = TRIAD_CACHES * thread->bytes / (3 * sizeof(double));

	thread->doubles = count < TRIAD_UNIT ? TRIAD_UNIT : count;
	thread->a = get_memory(thread->doubles * sizeof(double));
	thread->b = get_memory(thread->doubles * sizeof(double));
	thread->c = get_memory(thread->doubles * sizeof(double));
	for (size_t i = 0; i < thread->doubles; i++) {
		thread->a[i] = 0;
		thread->b[i] = 1;
		thread->c[i] = (double)i;
	}
}

/* Round and round, a piece for each unit of work. */
static void run_memory(struct thread *thread, uint64_t work)
{
	double *a = thread->a, *b = thread->b, *c = thread->c;

	while (work--) {
		size_t from = thread->triad_at;

		if (thread->doubles - from < TRIAD_UNIT)
			from = 0;
		for (size_t i = from; i < from + TRIAD_UNIT; i++)
			a[i] = b[i] + 3 * c[i];
		sink = a[from];
		/* Other values, so that no pass can be left out. */
		b[from] = sink;
		thread->triad_at = from + TRIAD_UNIT;
	}
}

/* ---- cache ---- */

/* A single ring through all of them in an order that no prefetcher knows (Sattolo's
 * shuffle). */
static void prepare_cache(struct thread *thread)
{
	size_t count = thread->bytes / 4 * 3 / sizeof(struct link) + 1;
	struct link *links = get_memory(count * sizeof(*links));
	size_t *order = get_memory(count * sizeof(*order));
	uint64_t state = 1;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count - 1; i > 0; i--) {
		size_t j, other;

		state = state * 6364136223846793005u + 1442695040888963407u;
		j = (state >> 33) % i;
		other = order[i];
		order[i] = order[j];
		order[j] = other;
	}
	for (size_t i = 0; i < count; i++)
		links[i].next = &links[order[i]];
	free(order);
	thread->at = links;
}

static void run_cache(struct thread *thread, uint64_t work)
{
	struct link *at = thread->at;

	for (uint64_t step = 0; step < work * CHASE_UNIT; step++)
		at = at->next;
	thread->at = at;
	sink = (double)(uintptr_t)at;
}

/* ---- compute and team ---- */

static void run_compute(struct thread *thread, uint64_t work)
{
	double x = 0.5;

	(void)thread;
	for (uint64_t step = 0; step < work * COMPUTE_UNIT; step++)
		x = 3.9 * x * (1 - x);
	sink = x;
}

/* ---- jobs ---- */

static const struct kind kinds[] = {
	{ "memory", prepare_memory, run_memory, 0 },
	{ "cache", prepare_cache, run_cache, 0 },
	{ "compute", NULL, run_compute, 0 },
	{ "team", NULL, run_compute, 1 },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	die("no such kind: memory, cache, compute or team");
	return NULL;
}

static void *run_thread(void *arg)
{
	struct thread *thread = arg;
	double start;

	if (thread->kind->prepare && !thread->a && !thread->at)
		thread->kind->prepare(thread);
	start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
	thread->kind->run(thread, thread->work);
	thread->cpu_seconds = seconds_of(CLOCK_THREAD_CPUTIME_ID) - start;
	return NULL;
}

/* All of them, each with so much work: the most CPU time that one took, without what
 * others did meanwhile on a machine that is not idle. */
static double run_threads(struct thread *threads, unsigned count, uint64_t work)
{
	double most = 0;

	for (unsigned i = 0; i < count; i++) {
		threads[i].work = work;
		if (pthread_create(&threads[i].id, NULL, run_thread,
				   &threads[i]))
			die("cannot make a thread");
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		if (threads[i].cpu_seconds > most)
			most = threads[i].cpu_seconds;
	}
	return most;
}

static struct thread *make_threads(const struct kind *kind, unsigned count,
				   size_t bytes)
{
	struct thread *threads = calloc(count, sizeof(*threads));

	if (!threads)
		die("out of memory");
	for (unsigned i = 0; i < count; i++) {
		threads[i].kind = kind;
		threads[i].bytes = bytes / count;
	}
	return threads;
}

static void run_job(const struct kind *kind, unsigned count, size_t bytes,
		    uint64_t work)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (kind->for_each_cpu && cpus > 0 && cpus <= MAX_THREADS) {
		work = (work * count + (uint64_t)cpus - 1) / (uint64_t)cpus;
		count = (unsigned)cpus;
	}
	run_threads(make_threads(kind, count, bytes), count, work);
}

/* Twice as much until it takes long enough to tell. */
static uint64_t calibrate(const struct kind *kind, unsigned count, size_t bytes,
			  double seconds)
{
	struct thread *threads = make_threads(kind, count, bytes);
	uint64_t work = 1;
	double took = 0;

	run_threads(threads, count, 1);
	while ((took = run_threads(threads, count, work)) <= seconds / 4)
		work *= 2;
	work = (uint64_t)((double)work * seconds / took);
	return work ? work : 1;
}

static int allowed_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		die("sched_getaffinity fails");
	return CPU_COUNT(&set);
}

static unsigned read_threads(const char *text)
{
	unsigned long count = strtoul(text, NULL, 10);

	if (count < 1 || count > MAX_THREADS)
		die("THREADS must be from 1 to 1024");
	return (unsigned)count;
}

int main(int argc, char **argv)
{
	double start = seconds_of(CLOCK_REALTIME);

	if (argc == 6 && strcmp(argv[1], "calibrate") == 0) {
		double seconds = strtod(argv[5], NULL);

		if (!(seconds > 0 && seconds < 3600))
			die("SECONDS must be more than 0 and less than 3600");
		printf("%llu\n",
		       (unsigned long long)
			       calibrate(find_kind(argv[2]),
					 read_threads(argv[3]),
					 strtoull(argv[4], NULL, 10), seconds));
	} else if (argc == 5) {
		run_job(find_kind(argv[1]), read_threads(argv[2]),
			strtoull(argv[3], NULL, 10),
			strtoull(argv[4], NULL, 10));
		printf("%s %.6f %.6f %d\n", argv[1], start,
		       seconds_of(CLOCK_REALTIME), allowed_cpus());
	} else {
		die("usage: evaluate_kernel [calibrate] KIND THREADS BYTES WORK|SECONDS");
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mix_kernel.c - the jobs of test/bench/mix
 *
 *	mix_kernel calibrate KIND SECONDS   prints the work that takes so long
 *	mix_kernel KIND WORK                does it, and prints one line:
 *	                                    KIND START END CPUS
 *
 * Times are seconds since 1970, CPUS is how many this process may use.  Kinds:
 *
 *	memory   a triad over arrays that no cache holds
 *	cache    a chase of pointers in a buffer as large as a core's L2 cache
 *	compute  arithmetic in registers
 *	team     the same by a thread for each CPU of the machine, as of a program
 *	         that was not told how many it has
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

#define TRIAD_DOUBLES ((size_t)8 << 20) /* in each of three arrays: 64 MiB */
#define USUAL_L2_BYTES ((size_t)1 << 20)
#define MAX_THREADS 1024
#define COMPUTE_UNIT 100000 /* steps for a unit of work */
#define CHASE_UNIT 10000

/* What a loop found goes here, so that the compiler leaves the loop. */
static volatile double sink;

static void die(const char *what)
{
	fprintf(stderr, "mix_kernel: %s\n", what);
	exit(1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Without what others did meanwhile, on a machine that is not idle. */
static double cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *get_memory(size_t bytes)
{
	void *memory = malloc(bytes);

	if (!memory)
		die("out of memory");
	return memory;
}

static void memory(uint64_t work)
{
	static double *a, *b, *c;

	if (!a) {
		a = get_memory(TRIAD_DOUBLES * sizeof(*a));
		b = get_memory(TRIAD_DOUBLES * sizeof(*b));
		c = get_memory(TRIAD_DOUBLES * sizeof(*c));
		for (size_t i = 0; i < TRIAD_DOUBLES; i++) {
			a[i] = 0;
			b[i] = 1;
			c[i] = (double)i;
		}
	}
	while (work--) {
		for (size_t i = 0; i < TRIAD_DOUBLES; i++)
			a[i] = b[i] + 3 * c[i];
		sink = a[work % TRIAD_DOUBLES];
		/* Other values, so that no pass can be left out. */
		b[0] = sink;
	}
}

/* A line of the cache holds one link. */
struct link {
	struct link *next;
	char rest[64 - sizeof(struct link *)];
};

static size_t links_in_cache(void)
{
	long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

	return (bytes > 0 ? (size_t)bytes : USUAL_L2_BYTES) /
	       sizeof(struct link);
}

/* A single ring through all of them in an order that no prefetcher knows
 * (Sattolo's shuffle). */
static struct link *make_ring(void)
{
	size_t count = links_in_cache();
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
	return links;
}

static void cache(uint64_t work)
{
	static struct link *at;

	if (!at)
		at = make_ring();
	for (uint64_t step = 0; step < work * CHASE_UNIT; step++)
		at = at->next;
	sink = (double)(uintptr_t)at;
}

static void compute(uint64_t work)
{
	double x = 0.5;

	for (uint64_t step = 0; step < work * COMPUTE_UNIT; step++)
		x = 3.9 * x * (1 - x);
	sink = x;
}

static void *member(void *work)
{
	compute(*(uint64_t *)work);
	return NULL;
}

static void team(uint64_t work)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t threads[MAX_THREADS];

	if (count < 1 || count > MAX_THREADS)
		count = 1;
	work = (work + (uint64_t)count - 1) / (uint64_t)count;
	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, member, &work))
			die("cannot make a thread");
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

struct kind {
	const char *name;
	void (*run)(uint64_t work);
	void (*alike)(uint64_t work); /* as much work, in one thread */
};

static const struct kind kinds[] = {
	{ "memory", memory, memory },
	{ "cache", cache, cache },
	{ "compute", compute, compute },
	{ "team", team, compute },
};

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	die("no such kind: memory, cache, compute or team");
	return NULL;
}

/* Twice as much until it takes long enough to tell. */
static uint64_t calibrate(const struct kind *kind, double seconds)
{
	uint64_t work = 1;
	double took;

	kind->alike(1);
	for (;;) {
		double start = cpu_time();

		kind->alike(work);
		took = cpu_time() - start;
		if (took > seconds / 4)
			break;
		work *= 2;
	}
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

int main(int argc, char **argv)
{
	double start = now();

	if (argc == 4 && strcmp(argv[1], "calibrate") == 0) {
		double seconds = strtod(argv[3], NULL);

		if (!(seconds > 0 && seconds < 3600))
			die("SECONDS must be more than 0 and less than 3600");
		printf("%llu\n",
		       (unsigned long long)calibrate(find_kind(argv[2]),
						     seconds));
	} else if (argc == 3) {
		find_kind(argv[1])->run(strtoull(argv[2], NULL, 10));
		printf("%s %.6f %.6f %d\n", argv[1], start, now(),
		       allowed_cpus());
	} else {
		die("usage: mix_kernel [calibrate] KIND WORK");
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_place - how long a placement takes (DESIGN.md, section 11, first row)
 *
 * Prints a table: the median of SAMPLES samples with the 10th and the 90th
 * percentile, in microseconds per tb_place() call.  Budgets exist for C on the
 * 2x64x2 node; there "met" or "MISSED" follows.  Always exits 0: a slow
 * machine is no defect.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/place.h"

#define SAMPLES 101
#define SAMPLE_US 200.0 /* how long one sample takes, about */

struct shape {
	const char *name;
	unsigned sockets, caches, cores, threads; /* each per the one before */
};

static const struct shape shapes[] = {
	{ "1x2x2", 1, 1, 2, 2 },
	{ "1x8x2", 1, 1, 8, 2 },
	{ "2x16x2", 2, 2, 8, 2 },
	{ "2x64x2", 2, 8, 8, 2 },
	{ "4x128x2", 4, 16, 8, 2 },
};
#define BUDGET_SHAPE 3

struct bench {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *idle, *half;
};

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void print_machine(void)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
			printf("machine: %s", strchr(line, ':') + 2);
			break;
		}
	}
	if (file)
		fclose(file);
}

static void die(const char *what)
{
	fprintf(stderr, "bench_place: %s\n", what);
	exit(1);
}

/* N S, then X, Y per core, C, T. */
static struct tb_topology *make_topology(const struct shape *shape)
{
	unsigned cores = shape->sockets * shape->caches * shape->cores;
	char *text = malloc((size_t)cores * (2 + shape->threads) +
			    shape->sockets * (2 + shape->caches) + 1);
	char *at = text;
	struct tb_topology *topology;

	if (!text)
		die("out of memory");
	for (unsigned s = 0; s < shape->sockets; s++) {
		*at++ = 'N';
		*at++ = 'S';
		for (unsigned x = 0; x < shape->caches; x++) {
			*at++ = 'X';
			for (unsigned c = 0; c < shape->cores; c++) {
				*at++ = 'Y';
				*at++ = 'C';
				for (unsigned t = 0; t < shape->threads; t++)
					*at++ = 'T';
			}
		}
	}
	*at = '\0';
	topology = tb_topology_parse(text, NULL, NULL);
	free(text);
	if (!topology)
		die("out of memory");
	return topology;
}

/* Exactly half of the cores, picked by chance. */
static void use_half(const struct tb_topology *topology,
		     struct tb_bitset *used)
{
	unsigned cores = tb_topology_cores(topology);
	unsigned wanted = cores / 2;
	unsigned state = 12345;

	for (unsigned core = 0; core < cores; core++) {
		state = state * 1103515245 + 12345;
		if ((state >> 16) % (cores - core) >= wanted)
			continue;
		wanted--;
		tb_bitset_set_range(used, tb_core_first_thread(topology, core),
				    tb_core_threads(topology, core));
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double sample(struct tb_placer *placer,
		     const struct tb_request *request,
		     const struct tb_bitset *used, unsigned nslots,
		     unsigned calls)
{
	double start = now_us();

	for (unsigned i = 0; i < calls; i++)
		tb_place(placer, request, used, nslots);
	return (now_us() - start) / calls;
}

static void measure(struct tb_placer *placer, const struct tb_request *request,
		    const struct tb_bitset *used, unsigned nslots,
		    double samples[SAMPLES])
{
	double once = sample(placer, request, used, nslots, 20);
	unsigned calls = 1 + (unsigned)(SAMPLE_US / (once + 0.01));

	for (unsigned i = 0; i < SAMPLES; i++)
		samples[i] = sample(placer, request, used, nslots, calls);
	qsort(samples, SAMPLES, sizeof(samples[0]), compare);
}

/* Microseconds, or 0 where section 11 says nothing. */
static double budget_of(const struct shape *shape, const char *line,
			unsigned nslots)
{
	double budget = nslots == 1 ? 0.5 : nslots == 8 ? 2 : 20;

	if (shape != &shapes[BUDGET_SHAPE] || strstr(line, "bunit") ||
	    strstr(line, "bstart"))
		return 0;
	return strstr(line, "bsort") ? 3 * budget : budget;
}

static void run(const struct bench *bench, const struct shape *shape,
		const char *line, unsigned nslots, int half)
{
	const struct tb_bitset *used = half ? bench->half : bench->idle;
	struct tb_request request;
	struct tb_error err;
	double samples[SAMPLES];
	double budget = budget_of(shape, line, nslots);
	double median;
	int slots;

	tb_request_init(&request);
	if (tb_request_parse(&request, line, &err))
		die(err.text);
	slots = tb_place(bench->placer, &request, used, nslots);
	measure(bench->placer, &request, used, nslots, samples);
	median = samples[SAMPLES / 2];
	printf("%-8s %-4s %3u/%-3d %8.2f %8.2f %8.2f ", shape->name,
	       half ? "half" : "idle", nslots, slots, median,
	       samples[SAMPLES / 10], samples[SAMPLES * 9 / 10]);
	if (budget > 0)
		printf("%6.1f %-6s ", budget,
		       median <= budget ? "met" : "MISSED");
	else
		printf("%6s %-6s ", "-", "");
	puts(line);
	tb_request_clear(&request);
}

static void run_shape(const struct shape *shape)
{
	static const char *const lines[] = {
		"bamount=1",
		"bamount=1,bstrategy=linear",
		"bamount=1,bstrategy=scatter",
		"bamount=1,bsort=S",
		"bamount=1,bsort=nsxyc",
		"bamount=1,bsort=NSXYCT",
		"bamount=1,bstrategy=scatter,bsort=NSXYC",
		"bamount=1,bstart=X",
		"bamount=1,bsort=NSXYC,bstart=S,bstop=s",
		"bamount=1,bsort=X,bstart=x,bstop=x",
		"bamount=2,bunit=C",
		"bamount=4,bunit=C,bsort=NSXYC",
		"bamount=2,bunit=T",
		"bunit=X,bamount=1",
		"bunit=Y,bamount=4,bsort=XY",
	};
	static const unsigned slots[] = { 1, 8, 64 };
	struct bench bench;
	unsigned threads;

	bench.topology = make_topology(shape);
	threads = tb_topology_threads(bench.topology);
	bench.placer = tb_placer_create(bench.topology);
	bench.idle = tb_bitset_create(threads);
	bench.half = tb_bitset_create(threads);
	if (!bench.placer || !bench.idle || !bench.half)
		die("out of memory");
	use_half(bench.topology, bench.half);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		for (size_t s = 0; s < sizeof(slots) / sizeof(slots[0]); s++)
			for (int half = 0; half < 2; half++)
				run(&bench, shape, lines[i], slots[s], half);
	tb_bitset_destroy(bench.idle);
	tb_bitset_destroy(bench.half);
	tb_placer_destroy(bench.placer);
	tb_topology_destroy(bench.topology);
}

int main(void)
{
	print_machine();
	printf("microseconds per placement, %d samples; slots: asked/placed\n\n",
	       SAMPLES);
	printf("%-8s %-4s %-7s %8s %8s %8s %6s %-6s %s\n", "node", "use",
	       "slots", "median", "p10", "p90", "budget", "", "request");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		run_shape(&shapes[i]);
	return 0;
}

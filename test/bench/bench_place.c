/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_place - how long a placement takes (doc/design.md, "Budgets", first row)
 *
 *	bench_place [--quick] [--records]
 *	    A table: the median of SAMPLES samples with the 10th and the 90th
 *	    percentile, in microseconds per tb_place() call, and beside it its
 *	    peer, sampled in turns with it: for a request with a sort the same
 *	    without it; for one with another strategy, window or unit a placement
 *	    of single cores; for that a loop of fixed work, which tells how fast
 *	    the machine is just now.
 *	    Where there is a budget, whether it is met.  Then how the time grows
 *	    with threads and slots.  --records prints lines as lib.sh says.
 *	    --quick has fewer shapes and samples.
 *	bench_place --count
 *	    For callgrind (test/bench/instructions): some placements of the table, once
 *	    each, with a call of begin_case() before each.
 *
 * Always exits 0 when the arguments are right: a slow machine is no defect.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/memo.h"
#include "core/place/place.h"

#define SAMPLES 101
#define SAMPLE_US 200.0 /* how long one sample takes, about */
#define QUICK_SAMPLES 21
#define WORK_STEPS 100 /* of the loop of fixed work */

struct shape {
	const char *name;
	unsigned sockets, caches, cores, threads; /* each per the one before */
};

static const struct shape shapes[] = {
	{ "1x2x2", 1, 1, 2, 2 },    { "1x8x2", 1, 1, 8, 2 },
	{ "2x16x2", 2, 2, 8, 2 },   { "2x64x2", 2, 8, 8, 2 },
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
static void use_half(const struct tb_topology *topology, struct tb_bitset *used)
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

/* --- what is measured ----------------------------------------------------------- */

/* A placement, or without a request the loop of fixed work. */
struct work {
	struct tb_placer *placer;
	const struct tb_request *request;
	const struct tb_bitset *used;
	unsigned nslots;
};

static volatile uint64_t sink;

/* Each step needs the one before it. */
static void work_fixed(void)
{
	uint64_t x = sink | 1;

	for (unsigned i = 0; i < WORK_STEPS; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	sink = x;
}

static void do_work(const struct work *work)
{
	if (work->request)
		tb_place(work->placer, work->request, work->used, work->nslots);
	else
		work_fixed();
}

static double sample(const struct work *work, unsigned calls)
{
	double start = now_us();

	for (unsigned i = 0; i < calls; i++)
		do_work(work);
	return (now_us() - start) / calls;
}

static unsigned calls_in_sample(const struct work *work)
{
	return 1 + (unsigned)(SAMPLE_US / (sample(work, 20) + 0.01));
}

struct times {
	double median, p10, p90;
};

static struct times times_of(double *samples, unsigned count)
{
	qsort(samples, count, sizeof(samples[0]), compare);
	return (struct times){ samples[count / 2], samples[count / 10],
			       samples[count * 9 / 10] };
}

/* Both in turns. */
static void measure(const struct work *own, const struct work *peer,
		    unsigned count, struct times *times,
		    struct times *peer_times)
{
	unsigned calls = calls_in_sample(own), peers = calls_in_sample(peer);
	double samples[SAMPLES], peer_samples[SAMPLES];

	for (unsigned i = 0; i < count; i++) {
		samples[i] = sample(own, calls);
		peer_samples[i] = sample(peer, peers);
	}
	*times = times_of(samples, count);
	*peer_times = times_of(peer_samples, count);
}

/* --- the table -------------------------------------------------------------------- */

static const char base_line[] = "bamount=1";

static const char *const lines[] = {
	base_line,
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
	"bamount=12",
};
static const unsigned slots[] = { 1, 8, 64 };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct options {
	unsigned samples;
	bool quick, records;
};

/* Of base_line on idle nodes. */
static double growth[COUNT(shapes)][COUNT(slots)];

/* Microseconds that the base may take, or 0 where section 11 says nothing. */
static double budget_of(const struct shape *shape, unsigned nslots)
{
	if (shape != &shapes[BUDGET_SHAPE])
		return 0;
	return nslots == 1 ? 0.5 : nslots == 8 ? 2 : 20;
}

struct row {
	const struct shape *shape;
	const char *line;
	unsigned nslots;
	int placed;
	bool half;
	struct times times, peer;
};

/* "<0.5" us, or how many times the peer; "-" for none. */
static void find_budget(const struct row *row, char text[16], bool *met)
{
	double budget = budget_of(row->shape, row->nslots);
	bool sorts = strstr(row->line, "bsort") != NULL;

	*met = true;
	strcpy(text, "-");
	if (budget <= 0 || strstr(row->line, "bunit") ||
	    strstr(row->line, "bstart"))
		return;
	if (sorts)
		snprintf(text, 16, "3");
	else
		snprintf(text, 16, "<%g", budget);
	*met = sorts ? row->times.median <= 3 * row->peer.median
		     : row->times.median <= budget;
}

static void print_row(const struct row *row, bool records)
{
	char budget[16];
	bool met;

	find_budget(row, budget, &met);
	if (records)
		printf("%s %s %u slots: %s\tus\t%.3f\t%.3f\t%.3f\t%.3f\t%s\n",
		       row->shape->name, row->half ? "half" : "idle",
		       row->nslots, row->line, row->times.median,
		       row->times.p10, row->times.p90, row->peer.median,
		       budget);
	else
		printf("%-8s %-4s %3u/%-3d %8.2f %8.2f %8.2f %8.2f %6s %-6s %s\n",
		       row->shape->name, row->half ? "half" : "idle",
		       row->nslots, row->placed, row->times.median,
		       row->times.p10, row->times.p90,
		       row->times.median / row->peer.median, budget,
		       budget[0] == '-' ? ""
		       : met		? "met"
					: "MISSED",
		       row->line);
}

static void read_request(struct tb_request *request, const char *line)
{
	struct tb_error err;

	tb_request_init(request);
	if (tb_request_parse(request, line, &err))
		die(err.text);
}

/* What a line is compared with: itself without its sort, else base_line. */
static void find_peer(const char *line, char peer[96])
{
	const char *sort = strstr(line, ",bsort=");
	const char *rest = sort ? strchr(sort + 1, ',') : NULL;

	if (sort)
		snprintf(peer, 96, "%.*s%s", (int)(sort - line), line,
			 rest ? rest : "");
	else
		snprintf(peer, 96, "%s", base_line);
}

static void run(const struct bench *bench, struct row *row,
		const struct options *options)
{
	const struct tb_bitset *used = row->half ? bench->half : bench->idle;
	struct tb_request request, base;
	struct work own = { bench->placer, &request, used, row->nslots };
	struct work peer = { bench->placer, &base, used, row->nslots };
	char peer_line[96];

	find_peer(row->line, peer_line);
	read_request(&request, row->line);
	read_request(&base, peer_line);
	if (row->line == base_line)
		peer.request = NULL;
	row->placed = tb_place(bench->placer, &request, used, row->nslots);
	measure(&own, &peer, options->samples, &row->times, &row->peer);
	print_row(row, options->records);
	tb_request_clear(&request);
	tb_request_clear(&base);
}

static void open_bench(struct bench *bench, const struct shape *shape)
{
	unsigned threads;

	bench->topology = make_topology(shape);
	threads = tb_topology_threads(bench->topology);
	bench->placer = tb_placer_create(bench->topology);
	bench->idle = tb_bitset_create(threads);
	bench->half = tb_bitset_create(threads);
	if (!bench->placer || !bench->idle || !bench->half)
		die("out of memory");
	use_half(bench->topology, bench->half);
}

static void close_bench(struct bench *bench)
{
	tb_bitset_destroy(bench->idle);
	tb_bitset_destroy(bench->half);
	tb_placer_destroy(bench->placer);
	tb_topology_destroy(bench->topology);
}

static void run_shape(size_t at, const struct options *options)
{
	struct bench bench;

	open_bench(&bench, &shapes[at]);
	for (size_t i = 0; i < COUNT(lines); i++)
		for (size_t s = 0; s < COUNT(slots); s++)
			for (int half = 0; half < 2; half++) {
				struct row row = {
					.shape = &shapes[at],
					.half = half,
					.line = lines[i],
					.nslots = slots[s],
				};

				run(&bench, &row, options);
				if (i == 0 && !half)
					growth[at][s] = row.times.median;
			}
	close_bench(&bench);
}

/* The last of a row or column of growth[][] against the first. */
static void record_growth(const char *what, const char *of, double last,
			  double first)
{
	printf("growth, %s: %s\tus\t%.3f\t%.3f\t%.3f\t%.3f\t-\n", of, what,
	       last, last, last, first);
}

static void record_all_growth(const struct options *options)
{
	const size_t most = COUNT(slots) - 1, largest = COUNT(shapes) - 1;
	char of[32];

	for (size_t s = 0; !options->quick && s < COUNT(slots); s++) {
		snprintf(of, sizeof(of), "%u slots", slots[s]);
		record_growth("1,024 threads against 4", of, growth[largest][s],
			      growth[0][s]);
	}
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (!options->quick || i == BUDGET_SHAPE)
			record_growth("64 slots against 1", shapes[i].name,
				      growth[i][most], growth[i][0]);
}

static void print_growth(const struct options *options)
{
	printf("\ngrowth with threads and slots: %s on idle nodes, us\n\n%-8s %7s",
	       base_line, "node", "threads");
	for (size_t s = 0; s < COUNT(slots); s++)
		printf(" %5u slots", slots[s]);
	putchar('\n');
	for (size_t i = 0; i < COUNT(shapes); i++) {
		const struct shape *shape = &shapes[i];

		if (options->quick && i != BUDGET_SHAPE)
			continue;
		printf("%-8s %7u", shape->name,
		       shape->sockets * shape->caches * shape->cores *
			       shape->threads);
		for (size_t s = 0; s < COUNT(slots); s++)
			printf(" %11.2f", growth[i][s]);
		putchar('\n');
	}
}

/* --- for callgrind ------------------------------------------------------------------ */

/* Called by its name: counts are dumped before. */
__attribute__((noinline)) void begin_case(const char *name);
void begin_case(const char *name)
{
	printf("%s\n", name);
}

static void count_line(const struct bench *bench, const char *line)
{
	struct tb_request request;
	char name[96];

	read_request(&request, line);
	for (size_t s = 0; s < COUNT(slots); s++)
		for (int half = 0; half < 2; half++) {
			snprintf(name, sizeof(name), "%s %u %s", line, slots[s],
				 half ? "half" : "idle");
			begin_case(name);
			tb_place(bench->placer, &request,
				 half ? bench->half : bench->idle, slots[s]);
		}
	tb_request_clear(&request);
}

#define STATES 100

/* States of nodes, each found once more after it was remembered. */
static void count_remembered(const struct bench *bench)
{
	struct tb_memo *memo = tb_memo_create(64);
	struct tb_bitset *cores = tb_bitset_copy(bench->idle);
	struct tb_memo_key key = { .shape = 1, .cores = cores };
	bool is_new;

	for (unsigned round = 0; round < 2; round++) {
		if (round)
			begin_case("100 remembered states");
		for (unsigned i = 0; i < STATES; i++) {
			tb_bitset_clear_all(cores);
			tb_bitset_set(cores, i);
			tb_memo_find(memo, &key, &is_new);
		}
	}
	tb_bitset_destroy(cores);
	tb_memo_destroy(memo);
}

static int count(void)
{
	struct bench bench;

	open_bench(&bench, &shapes[BUDGET_SHAPE]);
	for (size_t i = 0; i < COUNT(lines); i++)
		count_line(&bench, lines[i]);
	count_remembered(&bench);
	begin_case("end");
	close_bench(&bench);
	return 0;
}

int main(int argc, char **argv)
{
	struct options options = { .samples = SAMPLES };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--count"))
			return count();
		if (!strcmp(argv[i], "--quick"))
			options.quick = true;
		else if (!strcmp(argv[i], "--records"))
			options.records = true;
		else
			die("usage: bench_place [--quick] [--records] | --count");
	}
	if (options.quick)
		options.samples = QUICK_SAMPLES;
	if (!options.records) {
		print_machine();
		printf("microseconds per placement, %u samples; slots: asked/placed\n\n",
		       options.samples);
		printf("%-8s %-4s %-7s %8s %8s %8s %8s %6s %-6s %s\n", "node",
		       "use", "slots", "median", "p10", "p90", "of peer",
		       "budget", "", "request");
	}
	for (size_t i = 0; i < COUNT(shapes); i++)
		if (!options.quick || i == BUDGET_SHAPE)
			run_shape(i, &options);
	if (options.records)
		record_all_growth(&options);
	else
		print_growth(&options);
	return 0;
}

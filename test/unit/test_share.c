/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units that several jobs share: a table, and what must be true whenever jobs come
 * one after another to random machines.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "core/place/share.h"
#include "random_case.h"

/* A job that runs: how it asked and what it got. */
struct job {
	struct tb_unit unit;
	struct tb_bitset *granted;
};

#define JOBS 12

struct machine {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_thread_use *use;
	struct tb_bitset *others;
	struct job jobs[JOBS];
	unsigned count;
};

static void set_up(struct machine *m, const char *text)
{
	unsigned threads;

	m->topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(m->topology);
	threads = tb_topology_threads(m->topology);
	m->placer = tb_placer_create(m->topology);
	m->use = calloc(threads, sizeof(*m->use));
	assert_non_null(m->use);
	m->others = tb_bitset_create(threads);
	m->count = 0;
}

static void tear_down(struct machine *m)
{
	for (unsigned i = 0; i < m->count; i++)
		tb_bitset_destroy(m->jobs[i].granted);
	tb_bitset_destroy(m->others);
	free(m->use);
	tb_placer_destroy(m->placer);
	tb_topology_destroy(m->topology);
}

static void add_job(struct machine *m, struct tb_unit unit,
		    const struct tb_bitset *granted)
{
	assert_true(m->count < JOBS);
	m->jobs[m->count++] = (struct job){ unit, tb_bitset_copy(granted) };
}

/* Who holds what, for a job that asks for such units. */
static void find_use(struct machine *m, struct tb_unit unit)
{
	unsigned threads = tb_topology_threads(m->topology);

	memset(m->use, 0, threads * sizeof(*m->use));
	for (unsigned i = 0; i < m->count; i++) {
		const struct job *job = &m->jobs[i];

		tb_bitset_clear_all(m->others);
		tb_bitset_set_range(m->others, 0, threads);
		tb_bitset_andnot(m->others, job->granted);
		tb_share_mark(m->topology, job->unit, m->others, m->use);
		for (unsigned t = 0; t < threads; t++)
			m->use[t].jobs += tb_bitset_test(job->granted, t);
	}
	tb_share_only_units(m->topology, unit, m->use);
}

static int place(struct machine *m, const struct tb_request *request,
		 unsigned limit, unsigned nslots)
{
	find_use(m, request->unit);
	return tb_place_shared(m->placer, request, m->use, limit, nslots);
}

/* Jobs that run are "X:0-7 C:3", and the new one gets the threads "0-3". */
static const struct {
	const char *topology;
	unsigned limit;
	const char *jobs, *request;
	unsigned nslots;
	int slots;
	const char *threads;
} table[] = {
	/* free ones first, then those with the fewest jobs, in order */
	{ "NSCCCC", 2, "C:0 C:1", "bamount=1", 2, 2, "2-3" },
	{ "NSCCCC", 2, "C:0 C:1", "bamount=1", 3, 3, "0,2-3" },
	{ "NSCCCC", 3, "C:0 C:0 C:1 C:2", "bamount=1", 2, 2, "1,3" },
	{ "NSCCCC", 3, "C:0 C:0 C:1 C:2 C:3", "bamount=1", 4, 4, "0-3" },
	/* a slot takes the free one, and only one that is not */
	{ "NSCCCC", 2, "C:0-1 C:2", "bamount=2", 1, 1, "0,3" },
	{ "NSCCCC", 2, "C:0-1 C:2", "bamount=4,btype=host", 1, 1, "0-3" },
	/* the limit */
	{ "NSCCCC", 1, "C:0-3", "bamount=1", 1, 0, "" },
	{ "NSCCCC", 2, "C:0-3", "bamount=1", 5, 4, "0-3" },
	{ "NSCCCC", 2, "C:0-3 C:0-2", "bamount=1", 2, 1, "3" },
	{ "NSCCCC", 3, "C:0-3 C:0-2", "bamount=1", 2, 2, "0,3" },
	{ "NSCCCC", 300, "C:0-3 C:0-2", "bamount=1", 4, 4, "0-3" },
	/* as a whole or not at all */
	{ "NSXCCXCC", 2, "X:0-1", "bunit=X,bamount=1", 2, 2, "0-3" },
	{ "NSXCCXCC", 2, "X:0-1 X:2-3", "bamount=1", 1, 0, "" },
	{ "NSXCCXCC", 2, "C:0 C:3", "bunit=X,bamount=1", 1, 0, "" },
	{ "NSXCCXCC", 2, "C:0 C:1 C:3", "bunit=X,bamount=1", 1, 0, "" },
	{ "NSXCCXCC", 2, "X:0-1 C:2", "bamount=1", 2, 2, "2-3" },
	{ "NSXCCXCC", 2, "S:0-3", "bunit=X,bamount=1", 1, 0, "" },
	{ "NSXCCXCC", 2, "X:0-3", "bunit=S,bamount=1", 1, 0, "" },
	/* another letter for the same threads */
	{ "NSXCC", 2, "X:0-1", "bunit=S,bamount=1", 1, 1, "0-1" },
	{ "NSXCC", 2, "N:0-1", "bunit=X,bamount=1", 1, 1, "0-1" },
	{ "SCC", 2, "S:0-1", "bunit=X,bamount=1", 1, 1, "0-1" },
	{ "NSXYCYC", 2, "Y:0", "bunit=C,bamount=2", 1, 1, "0-1" },
	/* threads and the core around them */
	{ "NSCTTCTT", 2, "C:0-1", "bunit=T,bamount=1", 3, 2, "2-3" },
	{ "NSCTTCTT", 2, "T:0", "bunit=C,bamount=1", 2, 1, "2-3" },
	{ "NSCTTCTT", 2, "T:0 T:2", "bunit=T,bamount=1", 3, 3, "0-1,3" },
	/* power and efficiency cores of one container */
	{ "NSXCCEE", 2, "X:0-1", "bunit=EX,bamount=1", 1, 1, "2-3" },
	{ "NSXCCEE", 2, "X:0-1 EX:2-3", "bunit=EX,bamount=1", 1, 1, "2-3" },
	{ "NSXCCEE", 2, "X:0-1 E:2", "bunit=EX,bamount=1", 1, 0, "" },
	{ "NSXCEYEECYEE", 2, "S:0,4 EY:2-3", "bunit=S,bamount=1", 1, 1, "0,4" },
	/* strategies choose the place, the fewest jobs the units in it */
	{ "NSXCCXCC", 2, "C:0 C:2-3", "bamount=2", 1, 1, "0-1" },
	{ "NSXCCCXCCC", 2, "C:0-1 C:3", "bamount=2", 1, 1, "4-5" },
	{ "NSXCCCXCCC", 2, "C:0 C:1 C:3-4", "bamount=2", 1, 1, "2,5" },
	{ "NSXCCCXCCC", 2, "C:0 C:1 C:3-5", "bamount=2", 1, 1, "0,2" },
	{ "NSXCCXCC", 2, "C:0", "bamount=1,bstrategy=scatter", 2, 2, "1-2" },
	/* a slot of free units before one of shared ones in front of them */
	{ "NSXCCXCC", 2, "C:0-1", "bamount=2", 2, 2, "0-3" },
	{ "NSXCCXCC", 2, "C:0-1", "bamount=2", 1, 1, "2-3" },
	/* windows and filters */
	{ "NSXCCXCC", 2, "C:2-3", "bamount=1,bstart=X,bstop=X", 2, 2, "0-1" },
	{ "NSCCCC", 2, "C:1-3", "bamount=1,bfilter=first_core", 1, 1, "1" },
	/* lists of CPUs: all of them with room for one more */
	{ "NSCCCC", 2, "C:0 C:1", "bcpus=0+2", 1, 1, "0,2" },
	{ "NSCCCC", 2, "C:0 C:0", "bcpus=0+2", 1, 0, "" },
	/* N inside N: which of them a job has cannot be told */
	{ "NNCCNCC", 2, "N:0-1", "bunit=N,bamount=1", 3, 1, "2-3" },
	{ "NNCCNCC", 2, "N:0-3", "bunit=N,bamount=1", 3, 0, "" },
	{ "NNCCNCC", 2, "N:0-3 C:0", "bunit=C,bamount=1", 1, 0, "" },
};

/* "X:0-7 C:3" into running jobs. */
static void add_jobs(struct machine *m, const char *text)
{
	char copy[128], *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " ", &rest); word;
	     word = strtok_r(NULL, " ", &rest)) {
		char *list = strchr(word, ':'), line[32];
		struct tb_request request;
		struct tb_bitset *granted;

		*list++ = '\0';
		snprintf(line, sizeof(line), "bunit=%s,bamount=1", word);
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, line, NULL), 0);
		granted = tb_bitset_parse_list(list, m->others->nbits, NULL);
		assert_non_null(granted);
		add_job(m, request.unit, granted);
		tb_bitset_destroy(granted);
		tb_request_clear(&request);
	}
}

static void test_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct machine m;
		struct tb_request request;
		char *threads;
		int slots;

		set_up(&m, table[i].topology);
		add_jobs(&m, table[i].jobs);
		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, table[i].request,
						  NULL),
				 0);
		slots = place(&m, &request, table[i].limit, table[i].nslots);
		threads = tb_bitset_print_list(tb_placed_threads(m.placer));
		if (slots != table[i].slots ||
		    strcmp(threads, table[i].threads) != 0)
			print_error("%s limit %u jobs '%s' %s\n",
				    table[i].topology, table[i].limit,
				    table[i].jobs, table[i].request);
		assert_int_equal(slots, table[i].slots);
		assert_string_equal(threads, table[i].threads);
		free(threads);
		tb_request_clear(&request);
		tear_down(&m);
	}
}

/* How many units of a job there are on the machine, as a step would see them. */
static unsigned units_of(const struct machine *m, const struct job *job)
{
	struct tb_request one = { .unit = job->unit,
				  .amount = 1,
				  .strategy = TB_LINEAR,
				  .sort = "" };

	return tb_place_again(m->placer, &one, job->granted);
}

static void get_unit(const struct machine *m, const struct job *job,
		     unsigned index, struct tb_bitset *threads)
{
	assert_true(index < units_of(m, job));
	tb_placed_group(m->placer, index, threads);
}

/* Each unit of one job is a unit of the other, or apart from all of it. */
static void check_pair(const struct machine *m, const struct job *a,
		       const struct job *b)
{
	struct tb_bitset *unit_a = tb_bitset_create(m->others->nbits);
	struct tb_bitset *unit_b = tb_bitset_create(m->others->nbits);

	for (unsigned i = 0; i < units_of(m, a); i++) {
		get_unit(m, a, i, unit_a);
		for (unsigned k = 0; k < units_of(m, b); k++) {
			get_unit(m, b, k, unit_b);
			assert_true(tb_bitset_equal(unit_a, unit_b) ||
				    !tb_bitset_intersects(unit_a, unit_b));
		}
	}
	tb_bitset_destroy(unit_a);
	tb_bitset_destroy(unit_b);
}

static void check_all(const struct machine *m, unsigned limit)
{
	for (unsigned t = 0; t < m->others->nbits; t++) {
		unsigned jobs = 0;

		for (unsigned i = 0; i < m->count; i++)
			jobs += tb_bitset_test(m->jobs[i].granted, t);
		assert_in_range(jobs, 0, limit);
	}
	for (unsigned i = 0; i < m->count; i++)
		for (unsigned k = 0; k < i; k++)
			check_pair(m, &m->jobs[i], &m->jobs[k]);
}

/* How many jobs a unit can be seen to have, by what was granted. */
static unsigned jobs_of(const struct machine *m, const struct tb_bitset *unit)
{
	unsigned jobs = 0;

	for (unsigned i = 0; i < m->count; i++)
		jobs += tb_bitset_intersects(m->jobs[i].granted, unit);
	return jobs;
}

/* Units of one slot each come in the order of the jobs they have. */
static void check_least_shared_first(const struct machine *m,
				     const struct tb_request *request)
{
	struct tb_bitset *unit = tb_bitset_create(m->others->nbits);
	unsigned before = 0;

	if (request->amount == 1 && request->type == TB_SLOT &&
	    !request->start && !request->stop)
		for (unsigned i = 0; i < tb_placed_groups(m->placer); i++) {
			unsigned jobs;

			tb_placed_group(m->placer, i, unit);
			jobs = jobs_of(m, unit);
			assert_true(jobs >= before);
			before = jobs;
		}
	tb_bitset_destroy(unit);
}

/* With the limit 1 a thread that anybody holds is just in use. */
static void check_against_plain(struct machine *m,
				const struct tb_request *request,
				unsigned nslots)
{
	struct tb_placer *plain = tb_placer_create(m->topology);
	struct tb_bitset *used = tb_bitset_create(m->others->nbits);

	for (unsigned i = 0; i < m->count; i++)
		tb_bitset_or(used, m->jobs[i].granted);
	assert_int_equal(place(m, request, 1, nslots),
			 tb_place(plain, request, used, nslots));
	assert_true(tb_bitset_equal(tb_placed_threads(m->placer),
				    tb_placed_threads(plain)));
	tb_bitset_destroy(used);
	tb_placer_destroy(plain);
}

/* More may share, and never fewer slots fit.  Windows can end elsewhere. */
static void check_more_fit(struct machine *m, const struct tb_request *request,
			   unsigned limit, unsigned nslots)
{
	int fewer = 0;

	for (unsigned i = 1; !request->start && !request->stop && i <= limit;
	     i++) {
		int slots = place(m, request, i, nslots);

		assert_true(slots >= fewer);
		fewer = slots;
	}
}

/* One job after another; returns how many units are shared in the end. */
static unsigned fill(struct machine *m, struct random *random,
		     const struct random_shape *shape, unsigned limit)
{
	unsigned shared = 0;

	for (unsigned i = 0; i < JOBS; i++) {
		struct random_case text;
		struct tb_request request;

		random_case(random, shape, &text);
		text.bfilter[0] = text.btopology[0] = '\0';
		random_case_request(&text, &request);
		check_against_plain(m, &request, text.nslots);
		check_more_fit(m, &request, limit, text.nslots);
		if (place(m, &request, limit, text.nslots) > 0) {
			check_least_shared_first(m, &request);
			shared += jobs_of(m, tb_placed_threads(m->placer)) > 0;
			add_job(m, request.unit, tb_placed_threads(m->placer));
		}
		tb_request_clear(&request);
	}
	return shared;
}

/* In so many cases at least somebody must have shared. */
static void check_many(uint64_t seed, bool nested, unsigned least)
{
	struct random random = { seed };
	unsigned shared = 0;

	for (unsigned i = 0; i < 1500; i++) {
		const struct random_shape shape = { 1 + i % 64, nested };
		unsigned limit = 1 + i % 4;
		char text[RANDOM_TEXT];
		struct machine m;

		random_topology(&random, &shape, text);
		set_up(&m, text);
		shared += fill(&m, &random, &shape, limit);
		check_all(&m, limit);
		tear_down(&m);
	}
	assert_true(shared >= least);
}

static void test_many_jobs(void **state)
{
	(void)state;
	check_many(41, false, 1500);
}

static void test_nested(void **state)
{
	(void)state;
	check_many(42, true, 500);
}

/* Threads that no whole unit covers are never shared. */
static void test_part_of_a_unit(void **state)
{
	struct machine m;
	struct tb_request request;

	(void)state;
	set_up(&m, "NSXCCXCC");
	add_jobs(&m, "X:0 X:2-3");
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=1", NULL), 0);
	assert_int_equal(place(&m, &request, 9, 4), 1);
	assert_true(tb_bitset_test(tb_placed_threads(m.placer), 1));
	tear_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_part_of_a_unit),
		cmocka_unit_test(test_many_jobs),
		cmocka_unit_test(test_nested),
	};

	return cmocka_run_group_tests_name("share", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Does it fit when these have ended" is asked as Slurm's backfill would ask it,
 * with a view in which they have ended.  The more jobs have ended, the more fits:
 * so halving finds the shortest prefix of the candidates, in the order in which
 * they should go, with about log2 of their number of tests.  From there on only
 * the chosen nodes count.  The jobs without a core among those that the new job
 * would get there are spared together, the others by halves.
 */
#include "preempt.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "job_try.h"
#include "select_topobind/books/memory_books.h"
#include "select_topobind/books/unit_sharers.h"
#include "select_topobind/request/hetjob.h"
#include "select_topobind/request/job_asked.h"
#include "select_topobind/try/slot_deal.h"

/* So often it is tried whether jobs can be spared. */
#define PREEMPT_TRIES_MAX 32

struct preemptee {
	job_record_t *job; /* of a heterogeneous job its leader */
	uint32_t order;	   /* as Slurm gave them, the least important first */
	uint32_t sharers; /* candidates in its least shared unit, with itself */
	bool ends;	  /* in what is tried */
};

struct preempt_choice {
	struct tb_test test;		  /* asks when, not now; borrows */
	bool tells_when;		  /* the start time is asked for, too */
	const struct tb_request *request; /* NULL: for a plain job */
	struct tb_view *view;		  /* of a bound job */
	tb_preempt_try try_plain;	  /* of a plain one */
	struct preemptee *jobs;
	uint32_t count;
	bitstr_t *candidates; /* nodes */
	bitstr_t *chosen;     /* nodes, by the last test that succeeded */
};

/* --- the candidates ---------------------------------------------------------- */

static int end_component(void *job, void *view)
{
	tb_view_end_job(view, job);
	/* A job that is suspended for others keeps its memory. */
	if (slurm_job_preempt_mode(job) == PREEMPT_MODE_SUSPEND)
		tb_memory_books_restore(job);
	return 0;
}

static int restore_component(void *job, void *view)
{
	tb_view_restore_job(view, job);
	return 0;
}

static void set_ends(struct preempt_choice *choice, struct preemptee *preemptee,
		     bool ends)
{
	if (choice->view && preemptee->ends != ends)
		tb_for_each_component(preemptee->job,
				      ends ? end_component : restore_component,
				      choice->view);
	preemptee->ends = ends;
}

static int add_candidate(void *item, void *arg)
{
	job_record_t *job = item;
	struct preempt_choice *choice = arg;

	if (slurm_job_preempt_mode(job) != PREEMPT_MODE_OFF &&
	    tb_job_runs_on(job, choice->candidates)) {
		choice->jobs[choice->count] = (struct preemptee){
			.job = job,
			.order = choice->count
		};
		choice->count++;
	}
	return 0;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* First jobs that are being preempted already, then by how many share a unit. */
static int compare_turns(const void *left, const void *right)
{
	const struct preemptee *a = left, *b = right;
	int order = compare_numbers(!a->job->preempt_time,
				    !b->job->preempt_time);

	if (!order)
		order = compare_numbers(a->sharers, b->sharers);
	return order ? order : compare_numbers(a->order, b->order);
}

static void sort_candidates(struct preempt_choice *choice)
{
	/* The site wants the least important first, however many they are. */
	bool strict = xstrcasestr(slurm_conf.sched_params,
				  "preempt_strict_order");
	struct tb_unit_sharers *units =
		strict || !choice->request
			? NULL
			: tb_unit_sharers_create(choice->request->unit);

	for (uint32_t i = 0; units && i < choice->count; i++)
		tb_unit_sharers_add_job(units, choice->jobs[i].job);
	for (uint32_t i = 0; units && i < choice->count; i++)
		choice->jobs[i].sharers =
			tb_unit_sharers_fewest(units, choice->jobs[i].job);
	tb_unit_sharers_destroy(units);
	qsort(choice->jobs, choice->count, sizeof(*choice->jobs),
	      compare_turns);
}

static list_t *list_ending(const struct preempt_choice *choice)
{
	list_t *list = list_create(NULL);

	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->jobs[i].ends)
			list_append(list, choice->jobs[i].job);
	return list;
}

/* --- does it fit ------------------------------------------------------------- */

static int try_job(const struct preempt_choice *choice,
		   const struct tb_test *call)
{
	return choice->request
		       ? tb_try_job_now(call, choice->request, choice->view)
		       : choice->try_plain(call);
}

/* With those ended that end: the chosen nodes are set if it fits. */
static bool try_preemption(struct preempt_choice *choice)
{
	job_record_t *job = choice->test.job;
	struct tb_test call = choice->test;
	time_t start_time = job->start_time;
	int rc;

	call.nodes = bit_copy(choice->candidates);
	call.preemptees = list_ending(choice);
	rc = try_job(choice, &call);
	if (!choice->tells_when || rc != SLURM_SUCCESS)
		job->start_time = start_time;
	if (rc == SLURM_SUCCESS)
		bit_copybits(choice->chosen, call.nodes);
	FREE_NULL_LIST(call.preemptees);
	FREE_NULL_BITMAP(call.nodes);
	return rc == SLURM_SUCCESS;
}

static void end_first(struct preempt_choice *choice, uint32_t count)
{
	for (uint32_t i = 0; i < choice->count; i++)
		set_ends(choice, &choice->jobs[i], i < count);
}

/* It fits with all of them gone: with how many of the first does it? */
static uint32_t find_shortest_prefix(struct preempt_choice *choice)
{
	uint32_t too_few = 0, enough = choice->count;

	while (enough - too_few > 1) {
		uint32_t half = too_few + (enough - too_few) / 2;

		end_first(choice, half);
		if (try_preemption(choice))
			enough = half;
		else
			too_few = half;
	}
	return enough;
}

/* --- who can be spared ------------------------------------------------------- */

struct overlap {
	const bitstr_t *cores;
	bool found;
};

static void check_core(uint32_t node, uint32_t core, void *arg)
{
	struct overlap *overlap = arg;

	if (bit_test((bitstr_t *)overlap->cores,
		     tb_node_first_core(node) + core))
		overlap->found = true;
}

static int check_component(void *job, void *overlap)
{
	tb_ledger_visit(job, check_core, overlap);
	return 0;
}

/* Those without a core of the new job's, if it fits without ending them. */
static void spare_all_beside(struct preempt_choice *choice)
{
	bitstr_t *cores = tb_slot_deal_cores(&choice->test, choice->request,
					     choice->view, choice->chosen);
	bool *ended = xcalloc(choice->count, sizeof(*ended));

	for (uint32_t i = 0; cores && i < choice->count; i++) {
		struct overlap overlap = { .cores = cores };

		ended[i] = choice->jobs[i].ends;
		tb_for_each_component(choice->jobs[i].job, check_component,
				      &overlap);
		set_ends(choice, &choice->jobs[i], ended[i] && overlap.found);
	}
	if (cores && !try_preemption(choice))
		for (uint32_t i = 0; i < choice->count; i++)
			set_ends(choice, &choice->jobs[i], ended[i]);
	FREE_NULL_BITMAP(cores);
	xfree(ended);
}

/* Those that end, the most important last; in tries so many are left. */
struct sparing {
	struct preempt_choice *choice;
	struct preemptee **list;
	uint32_t tries;
};

static void set_range_ends(const struct sparing *sparing, uint32_t first,
			   uint32_t end, bool ends)
{
	for (uint32_t i = first; i < end; i++)
		set_ends(sparing->choice, sparing->list[i], ends);
}

/* Does it fit without ending any of [first, end)?  If not, they end. */
static bool spare_all(struct sparing *sparing, uint32_t first, uint32_t end)
{
	if (!sparing->tries)
		return false;
	sparing->tries--;
	set_range_ends(sparing, first, end, false);
	if (try_preemption(sparing->choice))
		return true;
	set_range_ends(sparing, first, end, true);
	return false;
}

/*
 * Spare as many of [first, end) as it fits without, the most important first: just
 * those that would be spared if each were tried alone.  needed: it does not fit
 * without all of them, which need not be tried.  Returns whether all are spared.
 * Depth is bounded by log2 of their number.
 */
static bool spare_range(struct sparing *sparing, uint32_t first, uint32_t end,
			bool needed)
{
	uint32_t half = first + (end - first) / 2;
	bool spared;

	if (first == end || (!needed && spare_all(sparing, first, end)))
		return true;
	if (end - first == 1 || !sparing->tries)
		return false;
	spared = spare_range(sparing, half, end, false);
	spare_range(sparing, first, half, spared);
	return false;
}

/* In memory or GRES jobs may be needed whose cores are not. */
static void spare_by_halves(struct preempt_choice *choice)
{
	struct sparing sparing = { .choice = choice,
				   .list = xcalloc(choice->count + 1,
						   sizeof(*sparing.list)),
				   .tries = PREEMPT_TRIES_MAX };
	uint32_t count = 0;

	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->jobs[i].ends)
			sparing.list[count++] = &choice->jobs[i];
	spare_range(&sparing, 0, count, false);
	xfree(sparing.list);
}

/* All of the candidates have ended, and it fits: choose. */
static void choose_preemptees(struct preempt_choice *choice)
{
	sort_candidates(choice);
	end_first(choice, find_shortest_prefix(choice));
	if (!try_preemption(choice))
		return;
	/* Whoever is on other nodes is not in the way. */
	bit_copybits(choice->candidates, choice->chosen);
	for (uint32_t i = 0; i < choice->count; i++)
		if (!tb_job_runs_on(choice->jobs[i].job, choice->chosen))
			set_ends(choice, &choice->jobs[i], false);
	if (tb_wants_whole_nodes(choice->test.job))
		return;
	if (choice->request)
		spare_all_beside(choice);
	spare_by_halves(choice);
}

static void clear_choice(struct preempt_choice *choice)
{
	FREE_NULL_BITMAP(choice->candidates);
	FREE_NULL_BITMAP(choice->chosen);
	xfree(choice->jobs);
}

static void init_choice(struct preempt_choice *choice)
{
	const struct tb_test *test = &choice->test;

	choice->tells_when = tb_test_mode(test) == TB_WILL_RUN;
	tb_test_set_will_run(&choice->test);
	choice->test.preempted = NULL;
	choice->candidates = bit_copy(test->nodes);
	choice->chosen = bit_copy(test->nodes);
	choice->jobs = xcalloc(list_count(test->preemptees) + 1,
			       sizeof(*choice->jobs));
	list_for_each(test->preemptees, add_candidate, choice);
}

static list_t *find_preemptees(struct preempt_choice *choice)
{
	list_t *preemptees = NULL;

	init_choice(choice);
	end_first(choice, choice->count);
	if (choice->count && try_preemption(choice)) {
		choose_preemptees(choice);
		preemptees = list_ending(choice);
	}
	/* The job's numbers are those of the last test: let it be this one. */
	if (preemptees &&
	    (list_is_empty(preemptees) || !try_preemption(choice)))
		FREE_NULL_LIST(preemptees);
	if (preemptees)
		bit_copybits(choice->test.nodes, choice->chosen);
	else
		end_first(choice, choice->count);
	clear_choice(choice);
	return preemptees;
}

list_t *tb_preempt_choose(const struct tb_test *test,
			  const struct tb_request *request,
			  struct tb_view *view)
{
	struct preempt_choice choice = { .test = *test,
					 .request = request,
					 .view = view };

	return test->preemptees ? find_preemptees(&choice) : NULL;
}

list_t *tb_preempt_choose_for_plain(const struct tb_test *test,
				    tb_preempt_try try_plain)
{
	struct preempt_choice choice = { .test = *test,
					 .try_plain = try_plain };

	return test->preemptees ? find_preemptees(&choice) : NULL;
}

/* --- what Slurm is told ------------------------------------------------------ */

static int must_end(void *job, void *unused)
{
	(void)unused;
	return slurm_job_preempt_mode(job) != PREEMPT_MODE_SUSPEND;
}

bool tb_preempt_must_end(list_t *preemptees)
{
	return list_find_first(preemptees, must_end, NULL);
}

struct told {
	list_t *list;
	bool all;
};

static int tell_job(void *job, void *arg)
{
	struct told *told = arg;

	if (told->all || must_end(job, NULL))
		list_append(told->list, job);
	return 0;
}

void tb_preempt_tell(const struct tb_test *test, list_t *preemptees)
{
	struct told told = { .all = tb_test_mode(test) == TB_WILL_RUN };

	if (!test->preempted)
		return;
	FREE_NULL_LIST(*test->preempted);
	if (!told.all && !tb_preempt_must_end(preemptees))
		return;
	told.list = list_create(NULL);
	list_for_each(preemptees, tell_job, &told);
	*test->preempted = told.list;
}

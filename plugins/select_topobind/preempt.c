/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preempt.c - which jobs make way for a bound job
 *
 * "Does it fit when these have ended" is asked as Slurm's backfill would, with
 * a view in which they have.  More ended jobs never make it fit less, so the
 * shortest prefix of the candidates, in the order in which they should go, is
 * found by halving: after one test with all of them about log2 of their number.
 * From there on only the nodes chosen count.  What has no core in the plan on
 * these is spared together, the others are tried one by one.
 */
#include "preempt.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "components.h"
#include "job_test.h"
#include "plan.h"
#include "scale.h"
#include "units.h"

/* How many victims are tried one by one whether they can be spared. */
#define PREEMPT_TRIES_MAX 64

struct victim {
	job_record_t *job; /* of a heterogeneous job its leader */
	uint32_t order;    /* as Slurm gave them, the least important first */
	uint32_t company;  /* in its least shared unit: victims, itself too */
	bool ends;         /* in the view */
};

struct choice {
	struct tb_test test; /* asks when, not now; borrows */
	bool tells_when;     /* the start time is asked for, too */
	const struct tb_request *request;
	struct tb_view *view;
	struct victim *victims;
	uint32_t count;
	bitstr_t *candidates; /* nodes */
	bitstr_t *chosen;     /* nodes, by the last test that succeeded */
};

/* --- the candidates ---------------------------------------------------------- */

static int end_component(void *job, void *view)
{
	tb_view_end_job(view, job);
	return 0;
}

static int restore_component(void *job, void *view)
{
	tb_view_restore_job(view, job);
	return 0;
}

static void set_ends(struct choice *choice, struct victim *victim, bool ends)
{
	if (victim->ends != ends)
		tb_for_each_component(victim->job,
				   ends ? end_component : restore_component,
				   choice->view);
	victim->ends = ends;
}

static int add_candidate(void *item, void *arg)
{
	job_record_t *job = item;
	struct choice *choice = arg;

	if (slurm_job_preempt_mode(job) != PREEMPT_MODE_OFF &&
	    tb_job_runs_on(job, choice->candidates)) {
		choice->victims[choice->count] = (struct victim) {
			.job = job, .order = choice->count
		};
		choice->count++;
	}
	return 0;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* What is being preempted already, then what shares its unit with fewer. */
static int by_turn(const void *left, const void *right)
{
	const struct victim *a = left, *b = right;
	int order = compare(!a->job->preempt_time, !b->job->preempt_time);

	if (!order)
		order = compare(a->company, b->company);
	return order ? order : compare(a->order, b->order);
}

static void sort_candidates(struct choice *choice)
{
	/* The site wants the least important first, however many they are. */
	bool strict = xstrcasestr(slurm_conf.sched_params,
				  "preempt_strict_order");
	struct tb_units *units = strict ? NULL
					: tb_units_create(choice->request->unit);

	for (uint32_t i = 0; units && i < choice->count; i++)
		tb_units_add_job(units, choice->victims[i].job);
	for (uint32_t i = 0; units && i < choice->count; i++)
		choice->victims[i].company =
			tb_units_company(units, choice->victims[i].job);
	tb_units_destroy(units);
	qsort(choice->victims, choice->count, sizeof(*choice->victims),
	      by_turn);
}

static list_t *ending(const struct choice *choice)
{
	list_t *list = list_create(NULL);

	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->victims[i].ends)
			list_append(list, choice->victims[i].job);
	return list;
}

/* --- does it fit ------------------------------------------------------------- */

/* With those ended that end in the view: the chosen nodes are set if it does. */
static bool fits(struct choice *choice)
{
	job_record_t *job = choice->test.job;
	struct tb_test call = choice->test;
	time_t start_time = job->start_time;
	int rc;

	call.nodes = bit_copy(choice->candidates);
	call.preemptees = ending(choice);
	rc = tb_test_view_now(&call, choice->request, choice->view);
	if (!choice->tells_when || rc != SLURM_SUCCESS)
		job->start_time = start_time;
	if (rc == SLURM_SUCCESS)
		bit_copybits(choice->chosen, call.nodes);
	FREE_NULL_LIST(call.preemptees);
	FREE_NULL_BITMAP(call.nodes);
	return rc == SLURM_SUCCESS;
}

static void end_first(struct choice *choice, uint32_t count)
{
	for (uint32_t i = 0; i < choice->count; i++)
		set_ends(choice, &choice->victims[i], i < count);
}

/* It fits with all of them gone: with how many of the first does it? */
static uint32_t shortest_prefix(struct choice *choice)
{
	uint32_t too_few = 0, enough = choice->count;

	while (enough - too_few > 1) {
		uint32_t half = too_few + (enough - too_few) / 2;

		end_first(choice, half);
		if (fits(choice))
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

static void look_at_core(uint32_t node, uint32_t core, void *arg)
{
	struct overlap *overlap = arg;

	if (bit_test((bitstr_t *)overlap->cores,
		     tb_node_first_core(node) + core))
		overlap->found = true;
}

static int look_at_component(void *job, void *overlap)
{
	tb_ledger_visit(job, look_at_core, overlap);
	return 0;
}

/* Those without a core in the plan, if there is one and it fits without them. */
static void spare_all_beside(struct choice *choice)
{
	bitstr_t *cores = tb_plan_cores(&choice->test, choice->request,
					choice->view, choice->chosen);
	bool *ended = xcalloc(choice->count, sizeof(*ended));

	for (uint32_t i = 0; cores && i < choice->count; i++) {
		struct overlap overlap = { .cores = cores };

		ended[i] = choice->victims[i].ends;
		tb_for_each_component(choice->victims[i].job, look_at_component,
				   &overlap);
		set_ends(choice, &choice->victims[i],
			 ended[i] && overlap.found);
	}
	if (cores && !fits(choice))
		for (uint32_t i = 0; i < choice->count; i++)
			set_ends(choice, &choice->victims[i], ended[i]);
	FREE_NULL_BITMAP(cores);
	xfree(ended);
}

/* The most important first; in memory or GRES they may be needed all the same. */
static void spare_one_by_one(struct choice *choice)
{
	uint32_t tries = 0;

	for (uint32_t i = choice->count; i-- && tries < PREEMPT_TRIES_MAX;) {
		struct victim *victim = &choice->victims[i];

		if (!victim->ends)
			continue;
		tries++;
		set_ends(choice, victim, false);
		if (!fits(choice))
			set_ends(choice, victim, true);
	}
}

/* All of the candidates have ended, and it fits: choose. */
static void choose(struct choice *choice)
{
	sort_candidates(choice);
	end_first(choice, shortest_prefix(choice));
	if (!fits(choice))
		return;
	/* Whoever is on other nodes is not in the way. */
	bit_copybits(choice->candidates, choice->chosen);
	for (uint32_t i = 0; i < choice->count; i++)
		if (!tb_job_runs_on(choice->victims[i].job, choice->chosen))
			set_ends(choice, &choice->victims[i], false);
	if (tb_wants_whole_nodes(choice->test.job))
		return;
	spare_all_beside(choice);
	spare_one_by_one(choice);
}

static void clear(struct choice *choice)
{
	FREE_NULL_BITMAP(choice->candidates);
	FREE_NULL_BITMAP(choice->chosen);
	xfree(choice->victims);
}

list_t *tb_preempt_choose(const struct tb_test *test,
		       const struct tb_request *request, struct tb_view *view)
{
	struct choice choice = {
		.test = *test, .request = request, .view = view,
		.tells_when = tb_test_mode(test) == TB_WILL_RUN,
	};
	list_t *victims = NULL;

	if (!test->preemptees)
		return NULL;
	tb_test_set_will_run(&choice.test);
	choice.test.preempted = NULL;
	choice.candidates = bit_copy(test->nodes);
	choice.chosen = bit_copy(test->nodes);
	choice.victims = xcalloc(list_count(test->preemptees) + 1,
				 sizeof(*choice.victims));
	list_for_each(test->preemptees, add_candidate, &choice);
	end_first(&choice, choice.count);
	if (choice.count && fits(&choice)) {
		choose(&choice);
		victims = ending(&choice);
	}
	/* The job's numbers are those of the last test: let it be this one. */
	if (victims && (list_is_empty(victims) || !fits(&choice)))
		FREE_NULL_LIST(victims);
	if (victims)
		bit_copybits(test->nodes, choice.chosen);
	else
		end_first(&choice, choice.count);
	clear(&choice);
	return victims;
}

/* --- what Slurm is told ------------------------------------------------------ */

static int ends_it(void *job, void *unused)
{
	(void)unused;
	return slurm_job_preempt_mode(job) != PREEMPT_MODE_SUSPEND;
}

bool tb_preempt_must_end(list_t *victims)
{
	return list_find_first(victims, ends_it, NULL);
}

struct told {
	list_t *list;
	bool all;
};

static int tell_victim(void *job, void *arg)
{
	struct told *told = arg;

	if (told->all || ends_it(job, NULL))
		list_append(told->list, job);
	return 0;
}

void tb_preempt_tell(const struct tb_test *test, list_t *victims)
{
	struct told told = { .all = tb_test_mode(test) == TB_WILL_RUN };

	if (!test->preempted)
		return;
	FREE_NULL_LIST(*test->preempted);
	if (!told.all && !tb_preempt_must_end(victims))
		return;
	told.list = list_create(NULL);
	list_for_each(victims, tell_victim, &told);
	*test->preempted = told.list;
}

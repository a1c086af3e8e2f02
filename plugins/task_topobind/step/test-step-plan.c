/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "step_plan.h"

#define MAIN TB_MEMORY_BIT(TB_MEMORY_MAIN)
#define HBM TB_MEMORY_BIT(TB_MEMORY_HBM)

/* Two sockets of four cores, and the same with two threads for a core. */
#define PLAIN "SCCCCSCCCC"
#define THREADED "SCTTCTTCTTCTTSCTTCTTCTTCTT"
/* Two sockets with two L3 caches of two cores each. */
#define CACHES "SXCCXCCSXCCXCC"
#define MAX_TASKS 4

/* tasks: lists of logical threads; no first list: it must fail. */
struct planning {
	const char *topology;
	unsigned node_cores;
	const char *job_cores, *step_cores;
	const char *job, *step; /* requests, NULL for none */
	unsigned tasks;
	bool whole, shares;
	const char *task[MAX_TASKS];
	int slot[MAX_TASKS];
};

static const struct planning plannings[] = {
	/* clang-format off */
	{ PLAIN, 8, "0-3", "0-3", "bamount=2", NULL, 2, false, false,
	  { "0-1", "2-3" }, { 0, 1 } },
	{ PLAIN, 8, "1,3,5,7", "1,3,5,7", "bamount=2", NULL, 2, false, false,
	  { "1,3", "5,7" }, { 0, 1 } },
	{ PLAIN, 8, "0-3", "0-3", "bamount=2", NULL, 3, false, false,
	  { NULL }, { 0 } },
	{ PLAIN, 8, "0-3", "0-3", "bamount=2", NULL, 3, false, true,
	  { "0-1", "2-3", "0-1" }, { 0, 1, 0 } },
	{ PLAIN, 8, "0-3", "0-3", "bamount=4,btype=host", NULL, 3, false, false,
	  { "0-3", "0-3", "0-3" }, { 0, 0, 0 } },
	/* A batch script has what the job has. */
	{ PLAIN, 8, "0-3", "0-3", "bamount=2", NULL, 1, true, false,
	  { "0-3" }, { TB_NO_SLOT } },
	/* A step with half of the job's cores. */
	{ PLAIN, 8, "0-3", "2-3", "bamount=2", NULL, 1, false, false,
	  { "2-3" }, { 0 } },
	{ PLAIN, 8, "0-3", "2", "bamount=2", NULL, 1, false, false,
	  { NULL }, { 0 } },
	/* Cores of Slurm that are cores, and that are threads. */
	{ THREADED, 8, "0-1", "0-1", "bamount=1", NULL, 2, false, false,
	  { "0-1", "2-3" }, { 0, 1 } },
	{ THREADED, 16, "0-1", "0-1", "bunit=T,bamount=1", NULL, 2, false,
	  false, { "0", "1" }, { 0, 1 } },
	{ THREADED, 16, "0-3", "0-3", "bamount=1", NULL, 2, false, false,
	  { "0-1", "2-3" }, { 0, 1 } },
	{ THREADED, 7, "0-3", "0-3", "bamount=1", NULL, 1, false, false,
	  { NULL }, { 0 } },
	/* Caches. */
	{ CACHES, 8, "0-1,6-7", "0-1,6-7", "bunit=X,bamount=1", NULL, 2, false,
	  false, { "0-1", "6-7" }, { 0, 1 } },
	{ CACHES, 8, "0-2", "0-2", "bunit=X,bamount=1", NULL, 2, false, false,
	  { NULL }, { 0 } },
	/* Alternatives of the job: what fills its cores, with a slot for each task. */
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1|S:1", NULL, 1, false, false,
	  { "0-3" }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1|S:1", NULL, 2, false, false,
	  { "0-1", "2-3" }, { 0, 1 } },
	{ CACHES, 8, "0-3", "2-3", "bunit=S:1|X:1", NULL, 1, false, false,
	  { "2-3" }, { 0 } },
	{ CACHES, 8, "0-1", "0-1", "bunit=S:1|X:1", NULL, 1, false, false,
	  { "0-1" }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=C:4|C:2", NULL, 2, false, false,
	  { "0-1", "2-3" }, { 0, 1 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1|S:1,btype=host", NULL, 2, false,
	  false, { "0-3", "0-3" }, { 0, 0 } },
	{ CACHES, 8, "0-1", "0-1", "bunit=S:1|X:1,btype=host", NULL, 2, false,
	  false, { "0-1", "0-1" }, { 0, 0 } },
	{ CACHES, 8, "0-1", "0-1", "bunit=S:1|X:1", NULL, 2, false, false,
	  { NULL }, { 0 } },
	{ CACHES, 8, "0-1", "0-1", "bunit=S:1|X:1", NULL, 2, false, true,
	  { "0-1", "0-1" }, { 0, 0 } },
	{ CACHES, 8, "0", "0", "bunit=S:1|X:1", NULL, 1, false, false,
	  { NULL }, { 0 } },
	{ CACHES, 8, "0-1", "0-1", "bunit=S:1|X:1,bamount=0", NULL, 1, false,
	  false, { "0-1" }, { TB_NO_SLOT } },
	{ THREADED, 8, "0-1", "0-1", "bunit=C:4|T:3", NULL, 1, false, false,
	  { "0-2" }, { 0 } },
	{ THREADED, 16, "0-1", "0-1", "bunit=C:2|T:1", NULL, 2, false, false,
	  { "0", "1" }, { 0, 1 } },
	/* Of a step: the first with a slot for each task. */
	{ CACHES, 8, "0-3", "0-3", "bunit=S,bamount=1", "bunit=S:1|X:1", 2,
	  false, false, { "0-1", "2-3" }, { 0, 1 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=S,bamount=1", "bunit=X:1|S:1", 1,
	  false, false, { "0-1" }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=S:1|X:1", "bunit=S:2|X:3", 1, false,
	  false, { NULL }, { 0 } },
	/* Parts: all tasks have both; a step can have some of the cores. */
	{ CACHES, 8, "0-2", "0-2", "bunit=X:1+C:1,btype=host", NULL, 2, false,
	  false, { "0-2", "0-2" }, { 0, 0 } },
	{ CACHES, 8, "0-2", "1", "bunit=X:1+C:1,btype=host", NULL, 1, false,
	  false, { "1" }, { 0 } },
	{ CACHES, 8, "0-2", "0-2", "bunit=X:1+C:1,btype=host", NULL, 1, true,
	  false, { "0-2" }, { TB_NO_SLOT } },
	{ CACHES, 8, "0-1", "0-1", "bunit=X:1+C:1,btype=host", NULL, 1, false,
	  false, { NULL }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1+C:2,btype=host",
	  "bunit=C:1+X:1,btype=host", 1, false, false, { "0-2" }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1+C:2,btype=host",
	  "bunit=C:1+X:2,btype=host", 1, false, false, { NULL }, { 0 } },
	{ CACHES, 8, "0-3", "0-3", "bunit=X:1+C:2,btype=host",
	  "bunit=X,bamount=1", 2, false, false, { "0-1", "2-3" }, { 0, 1 } },
	/* A step of its own inside its job. */
	{ CACHES, 8, "0-7", "0-7", "bunit=X,bamount=1", "bamount=1", 2, false,
	  false, { "0", "1" }, { 0, 1 } },
	{ CACHES, 8, "0-7", "0-7", "bunit=X,bamount=1",
	  "bamount=1,bstrategy=scatter", 2, false, false, { "0", "4" },
	  { 0, 1 } },
	{ CACHES, 8, "2-3", "2-3", NULL, "bunit=S,bamount=1", 1, false, false,
	  { NULL }, { 0 } },
	{ CACHES, 8, "2-7", "2-7", NULL, "bunit=S,bamount=1", 1, false, false,
	  { "4-7" }, { 0 } },
	{ CACHES, 8, "0-7", "0-7", NULL,
	  "bamount=1,bfilter=SCC", 1, false, false, { NULL }, { 0 } },
	/* A step without slots stays inside its job. */
	{ CACHES, 8, "2-3", "2-3", "bunit=X,bamount=1", "bamount=0", 2, false,
	  false, { "2-3", "2-3" }, { TB_NO_SLOT, TB_NO_SLOT } },
	/* CPUs by name: the threads of the list, not their whole cores. */
	{ THREADED, 8, "0-2", "0-2", "bcpus=1+4", NULL, 2, false, false,
	  { "1,4", "1,4" }, { 0, 0 } },
	{ THREADED, 8, "0-2", "0-2", "bcpus=1+4", NULL, 1, true, false,
	  { "0-5" }, { TB_NO_SLOT } },
	{ THREADED, 8, "0,2", "2", "bcpus=1+4", NULL, 1, false, false,
	  { "4" }, { 0 } },
	{ THREADED, 8, "0,2", "1", "bcpus=1+4", NULL, 1, false, false,
	  { NULL }, { 0 } },
	{ THREADED, 16, "1,4", "1,4", "bcpus=1+4", NULL, 1, false, false,
	  { "1,4" }, { 0 } },
	/* Of OS numbers that are not known: all of what was granted for them. */
	{ THREADED, 8, "0,2", "0,2", "bcpus=os:1+9", NULL, 1, false, false,
	  { "0-1,4-5" }, { 0 } },
	{ CACHES, 8, "0-7", "0-7", "bunit=X,bamount=1", "bcpus=2+5", 2, false,
	  false, { "2,5", "2,5" }, { 0, 0 } },
	{ CACHES, 8, "2-3", "2-3", "bunit=X,bamount=1", "bcpus=3-4", 1, false,
	  false, { NULL }, { 0 } },
	{ CACHES, 8, "0-7", "0-7", NULL, "bamount=1,btopology=" CACHES, 1,
	  false, false, { "0" }, { 0 } },
	{ CACHES, 8, "0-7", "0-7", NULL, "bamount=1,btopology=" PLAIN, 1,
	  false, false, { NULL }, { 0 } },
	/* Lists that cannot be. */
	{ PLAIN, 8, "0-8", "0", "bamount=1", NULL, 1, false, false, { NULL },
	  { 0 } },
	{ PLAIN, 8, "0", "x", "bamount=1", NULL, 1, false, false, { NULL },
	  { 0 } },
	{ PLAIN, 8, NULL, NULL, "bamount=1", NULL, 1, false, false, { NULL },
	  { 0 } },
	/* clang-format on */
};

static void read_request(struct tb_request *request, const char *line)
{
	struct tb_error err;

	tb_request_init(request);
	if (line != NULL && tb_request_parse(request, line, &err) < 0)
		fail_msg("%s", err.text);
}

static void compare(const struct planning *planning,
		    const struct tb_step_plan *plan, size_t row)
{
	assert_int_equal(plan->tasks, planning->tasks);
	for (unsigned i = 0; i < plan->tasks; i++) {
		char *list = tb_bitset_print_list(plan->task[i]);

		if (strcmp(list, planning->task[i]) != 0)
			fail_msg("row %zu, task %u has %s instead of %s", row,
				 i, list, planning->task[i]);
		assert_int_equal(plan->slot[i], planning->slot[i]);
		assert_true(tb_bitset_contains(plan->job, plan->task[i]));
		free(list);
	}
}

static void try(const struct planning *planning, unsigned threads_per_core,
		size_t row)
{
	struct tb_request job, step;
	struct tb_topology *topology;
	struct tb_error err = { "" };
	struct tb_step_plan plan;
	int rc;

	topology = tb_topology_parse(planning->topology, NULL, &err);
	assert_non_null(topology);
	read_request(&job, planning->job);
	read_request(&step, planning->step);
	struct tb_step_plan_input input = {
		.topology = topology,
		.node_cores = planning->node_cores,
		.job_cores = planning->job_cores,
		.step_cores = planning->step_cores,
		.job = &job,
		.step = &step,
		.tasks = planning->tasks,
		.whole = planning->whole,
		.shares = planning->shares,
		.threads_per_core = threads_per_core,
	};

	rc = tb_step_plan_make(&plan, &input, &err);
	if (planning->task[0] == NULL) {
		if (rc != -1)
			fail_msg("row %zu was planned", row);
		assert_string_not_equal(err.text, "");
	} else {
		if (rc != 0)
			fail_msg("row %zu: %s", row, err.text);
		compare(planning, &plan, row);
	}
	tb_step_plan_clear(&plan);
	tb_request_clear(&job);
	tb_request_clear(&step);
	tb_topology_destroy(topology);
}

/* Where the job's cores are no units any more, that is what is told. */
static const struct {
	const char *topology, *job, *step_cores;
	bool changed;
} changes[] = {
	{ "SXCCCXCCC", "bunit=X,bamount=1", "0-2", false },
	{ "SXCCCXCCC", "bunit=X,bamount=1", "0", false },
	{ "SXCCCCXCC", "bunit=X,bamount=1", "0-2", true },
	{ "SXCCCCXCC", "bunit=X,bamount=1,btype=host", "0-2", true },
	{ "SXCCXCCXCC", "bunit=X,bamount=1", "0-2", false },
	{ "SXEEEXEEE", "bunit=X,bamount=1", "0-2", true },
	{ "SXEEEXEEE", "bcpus=5", "0-2", false },
};

static void tells_of_a_changed_topology(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct tb_request job, step;
		struct tb_error err = { "" };
		struct tb_step_plan plan;
		struct tb_step_plan_input input = {
			.topology = tb_topology_parse(changes[i].topology, NULL,
						      &err),
			.node_cores = 6,
			.job_cores = "0-2",
			.step_cores = changes[i].step_cores,
			.job = &job,
			.step = &step,
			.tasks = 3,
		};

		assert_non_null(input.topology);
		read_request(&job, changes[i].job);
		read_request(&step, NULL);
		assert_int_equal(tb_step_plan_make(&plan, &input, &err), -1);
		assert_int_equal(strstr(err.text, "has changed") != NULL,
				 changes[i].changed);
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_topology_destroy((struct tb_topology *)input.topology);
	}
}

/* A job that was plain when it started: no units, and no reason to fail. */
static void gives_all_of_a_plain_job(void **state)
{
	struct tb_request job, step;
	struct tb_error err = { "" };
	struct tb_step_plan plan;
	struct tb_step_plan_input input = {
		.topology = tb_topology_parse(CACHES, NULL, &err),
		.node_cores = 8,
		.job_cores = "1-2",
		.step_cores = "1-2",
		.job = &job,
		.step = &step,
		.implicit = true,
		.tasks = 2,
	};

	(void)state;
	assert_non_null(input.topology);
	read_request(&job, "bunit=X,bamount=1,btype=host");
	read_request(&step, NULL);
	assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
	for (unsigned i = 0; i < plan.tasks; i++) {
		assert_true(tb_bitset_equal(plan.task[i], plan.step));
		assert_int_equal(plan.slot[i], TB_NO_SLOT);
	}
	tb_step_plan_clear(&plan);
	/* Units that it happens to have are used. */
	input.step_cores = input.job_cores = "1-3";
	assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
	assert_int_equal(tb_bitset_count(plan.task[0]), 2);
	tb_step_plan_clear(&plan);
	tb_request_clear(&job);
	tb_topology_destroy((struct tb_topology *)input.topology);
}

static void plans_a_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(plannings) / sizeof(plannings[0]); i++)
		try(&plannings[i], 0, i);
}

/* Some threads of each core; a batch script has them all. */
static const struct {
	unsigned threads_per_core;
	struct planning planning;
} limits[] = {
	/* clang-format off */
	{ 1, { THREADED, 8, "0-1", "0-1", "bamount=1", NULL, 2, false, false,
	       { "0", "2" }, { 0, 1 } } },
	{ 2, { THREADED, 8, "0-1", "0-1", "bamount=1", NULL, 2, false, false,
	       { "0-1", "2-3" }, { 0, 1 } } },
	{ 1, { THREADED, 16, "0-3", "0-3", "bamount=2", NULL, 1, false, false,
	       { "0,2" }, { 0 } } },
	{ 1, { THREADED, 8, "0-1", "0-1", "bamount=1", "bamount=2", 1, false,
	       false, { "0,2" }, { 0 } } },
	{ 1, { THREADED, 8, "0-1", "0-1", "bamount=1", NULL, 1, true, false,
	       { "0-3" }, { TB_NO_SLOT } } },
	/* clang-format on */
};

static void leaves_threads_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		try(&limits[i].planning, limits[i].threads_per_core, i);
}

/* Who binds, by the requests of job and step. */
static const struct {
	const char *job, *step;
	enum tb_instance instance;
} instances[] = {
	{ "bamount=1", NULL, TB_SET },
	{ "bamount=1,binstance=env", NULL, TB_ENV },
	{ "bamount=1,binstance=pe", NULL, TB_PE },
	{ "bamount=1,binstance=env", "bamount=1", TB_SET },
	{ "bamount=1", "bamount=1,binstance=env", TB_ENV },
	/* A step that only switches off its slots. */
	{ "bamount=1,binstance=env", "bamount=0", TB_ENV },
	{ "bamount=1", "bamount=0,binstance=env", TB_SET },
	{ NULL, "bcpus=0,binstance=env", TB_ENV },
};

static void knows_who_binds(void **state)
{
	struct tb_topology *topology = tb_topology_parse(PLAIN, NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(instances) / sizeof(instances[0]); i++) {
		struct tb_request job, step;
		struct tb_error err;
		struct tb_step_plan plan;

		read_request(&job, instances[i].job);
		read_request(&step, instances[i].step);
		struct tb_step_plan_input input = {
			.topology = topology,
			.node_cores = 8,
			.job_cores = "0",
			.step_cores = "0",
			.job = &job,
			.step = &step,
			.tasks = 1,
		};

		assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
		assert_int_equal(plan.instance, instances[i].instance);
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_request_clear(&step);
	}
	tb_topology_destroy(topology);
}

/*
 * Where memory comes from: the policy of the tasks, and whether nobody in the
 * job may leave the memory near it.
 */
static const struct {
	const char *job, *step;
	enum tb_memory site, memory;
	bool job_is_local;
	/* the threads near which memory is, by preference and by force */
	const char *near, *constrained;
} memories[] = {
	{ "bamount=1", NULL, TB_MEMORY_NONE, TB_MEMORY_NONE, false, NULL,
	  NULL },
	{ "bamount=1,bmem=prefer", NULL, TB_MEMORY_NONE, TB_MEMORY_PREFER,
	  false, "0-1", NULL },
	{ "bamount=1,bmem=local", NULL, TB_MEMORY_NONE, TB_MEMORY_LOCAL, true,
	  "0-1", "0-1" },
	/* the site's, for a request and for none */
	{ "bamount=1", NULL, TB_MEMORY_LOCAL, TB_MEMORY_LOCAL, true, "0-1",
	  "0-1" },
	{ NULL, NULL, TB_MEMORY_LOCAL, TB_MEMORY_LOCAL, true, "0-3", "0-3" },
	{ "bamount=1,bmem=none", NULL, TB_MEMORY_LOCAL, TB_MEMORY_NONE, false,
	  NULL, NULL },
	/* a step's own request */
	{ "bamount=1,bmem=prefer", "bamount=1", TB_MEMORY_NONE, TB_MEMORY_NONE,
	  false, NULL, NULL },
	{ "bamount=1", "bamount=1,bmem=local", TB_MEMORY_NONE, TB_MEMORY_LOCAL,
	  false, "0-1", "0-1" },
	{ "bamount=1,bmem=local", "bamount=1,bmem=none", TB_MEMORY_NONE,
	  TB_MEMORY_NONE, true, "0-3", "0-3" },
	{ "bamount=1,bmem=local", "bamount=1,bmem=prefer", TB_MEMORY_NONE,
	  TB_MEMORY_PREFER, true, "0-1", "0-3" },
	/* slots are switched off, the policy is not */
	{ "bamount=1,bmem=local", "bamount=0", TB_MEMORY_NONE, TB_MEMORY_LOCAL,
	  true, "0-3", "0-3" },
	/* nobody binds the job */
	{ "bamount=1,binstance=env,bmem=local", "bamount=1,bmem=none",
	  TB_MEMORY_NONE, TB_MEMORY_NONE, false, NULL, NULL },
};

static void compare_threads(const struct tb_bitset *threads, const char *wanted,
			    size_t row)
{
	char *list = threads != NULL ? tb_bitset_print_list(threads) : NULL;

	if ((list == NULL) != (wanted == NULL) ||
	    (list != NULL && strcmp(list, wanted) != 0))
		fail_msg("row %zu: %s instead of %s", row,
			 list != NULL ? list : "all memory",
			 wanted != NULL ? wanted : "all memory");
	free(list);
}

static void knows_where_memory_is(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SCTTCTT", NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++) {
		struct tb_request job, step;
		struct tb_error err;
		struct tb_step_plan plan;

		read_request(&job, memories[i].job);
		read_request(&step, memories[i].step);
		struct tb_step_plan_input input = {
			.topology = topology,
			.node_cores = 2,
			.job_cores = "0-1",
			.step_cores = "0-1",
			.job = &job,
			.step = &step,
			.site = { memories[i].site, MAIN },
			.tasks = 1,
		};

		assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
		assert_int_equal(plan.memory.where, memories[i].memory);
		assert_int_equal(plan.job_is_local, memories[i].job_is_local);
		compare_threads(tb_step_plan_near(&plan, 0).threads,
				memories[i].near, i);
		compare_threads(tb_step_plan_constrained(&plan, 0).threads,
				memories[i].constrained, i);
		/* The step's cpuset has what all its tasks may have. */
		compare_threads(tb_step_plan_step_constrained(&plan).threads,
				memories[i].constrained ? "0-3" : NULL, i);
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_request_clear(&step);
	}
	tb_topology_destroy(topology);
}

/* A step never has other kinds of memory than its job. */
static void keeps_kinds_of_job(void **state)
{
	static const struct {
		const char *job, *step;
		unsigned kinds;
	} rows[] = {
		{ "bamount=1,bmem=local+hbm", NULL, MAIN | HBM },
		{ "bamount=1,bmem=local", "bamount=1,bmem=local+hbm", MAIN },
		{ "bamount=1,bmem=local", "bamount=1,bmem=prefer+hbm", MAIN },
		{ "bamount=1,bmem=local+hbm", "bamount=1,bmem=local", MAIN },
		{ "bamount=1,bmem=prefer", "bamount=1,bmem=local+hbm",
		  MAIN | HBM },
		{ "bamount=1", "bamount=1,bmem=prefer+hbm", MAIN | HBM },
		{ "bamount=1,bmem=local+hbm", "bamount=1,bmem=none",
		  MAIN | HBM },
	};
	struct tb_topology *topology = tb_topology_parse("SCTTCTT", NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tb_request job, step;
		struct tb_error err;
		struct tb_step_plan plan;

		read_request(&job, rows[i].job);
		read_request(&step, rows[i].step);
		struct tb_step_plan_input input = {
			.topology = topology,
			.node_cores = 2,
			.job_cores = "0-1",
			.step_cores = "0-1",
			.job = &job,
			.step = &step,
			.site = tb_any_memory(),
			.tasks = 1,
		};

		assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
		assert_int_equal(tb_step_plan_near(&plan, 0).kinds,
				 rows[i].kinds);
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_request_clear(&step);
	}
	tb_topology_destroy(topology);
}

/* Who decides how soft tasks are, and where those of the first slot spread. */
static const struct {
	const char *job, *step;
	bool whole;
	unsigned threads_per_core;
	enum tb_hardness mode, job_mode;
	const char *scope; /* of soft ones */
	enum tb_hardness site;
} softness[] = {
	{ "bamount=1", NULL, false, 0, TB_HARD, TB_HARD, NULL, TB_HARD },
	{ "bamount=1,bmode=soft", NULL, false, 0, TB_SOFT, TB_SOFT, "0-7",
	  TB_HARD },
	{ "bamount=1,bmode=soft,ballow=X", NULL, false, 0, TB_SOFT, TB_SOFT,
	  "0-3", TB_HARD },
	{ "bamount=1,bmode=soft", NULL, true, 0, TB_SOFT, TB_SOFT, "0-7",
	  TB_HARD },
	{ "bamount=1,bmode=soft,ballow=X", NULL, false, 1, TB_SOFT, TB_SOFT,
	  "0,2", TB_HARD },
	/* A step's own request takes nothing over. */
	{ "bamount=1,bmode=soft", "bamount=1", false, 0, TB_HARD, TB_SOFT, NULL,
	  TB_HARD },
	{ "bamount=1", "bamount=1,bmode=soft,ballow=S", false, 0, TB_SOFT,
	  TB_HARD, "0-3", TB_HARD },
	{ NULL, "bamount=1,bmode=soft", false, 0, TB_SOFT, TB_HARD, "0-7",
	  TB_HARD },
	/* One that only has no slots is as soft as its job. */
	{ "bamount=1,bmode=soft", "bamount=0", false, 0, TB_SOFT, TB_SOFT,
	  "0-7", TB_HARD },
	/* The site, for those who do not say it; a step is as its job says. */
	{ "bamount=1", NULL, false, 0, TB_SOFT, TB_SOFT, "0-7", TB_SOFT },
	{ "bamount=1,bmode=hard", NULL, false, 0, TB_HARD, TB_HARD, NULL,
	  TB_SOFT },
	{ "bamount=1", "bamount=1", false, 0, TB_SOFT, TB_SOFT, "0-7",
	  TB_SOFT },
	{ "bamount=1", "bamount=1,bmode=hard", false, 0, TB_HARD, TB_SOFT, NULL,
	  TB_SOFT },
	{ "bamount=1,bmode=hard", "bamount=1", false, 0, TB_HARD, TB_HARD, NULL,
	  TB_SOFT },
	{ "bamount=1,bmode=soft", "bamount=1", false, 0, TB_HARD, TB_SOFT, NULL,
	  TB_SOFT },
	{ NULL, "bamount=1", false, 0, TB_SOFT, TB_HARD, "0-7", TB_SOFT },
	{ "bamount=1,binstance=env", NULL, false, 0, TB_HARD, TB_HARD, NULL,
	  TB_SOFT },
};

static void knows_what_is_soft(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SXCTTCTTSXCTTCTT",
							 NULL, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(softness) / sizeof(softness[0]); i++) {
		struct tb_bitset *scope;
		struct tb_request job, step;
		struct tb_error err;
		struct tb_step_plan plan;

		read_request(&job, softness[i].job);
		read_request(&step, softness[i].step);
		struct tb_step_plan_input input = {
			.topology = topology,
			.node_cores = 4,
			.job_cores = "0",
			.step_cores = "0",
			.job = &job,
			.step = &step,
			.tasks = 1,
			.whole = softness[i].whole,
			.site_mode = softness[i].site,
			.threads_per_core = softness[i].threads_per_core,
		};

		assert_int_equal(tb_step_plan_make(&plan, &input, &err), 0);
		assert_int_equal(plan.mode, softness[i].mode);
		assert_int_equal(plan.job_mode, softness[i].job_mode);
		if (softness[i].scope != NULL) {
			scope = tb_step_plan_scope(&plan, topology,
						   input.threads_per_core, 0);
			assert_non_null(scope);
			compare_threads(scope, softness[i].scope, i);
			tb_bitset_destroy(scope);
		}
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_request_clear(&step);
	}
	tb_topology_destroy(topology);
}

/* What the site masks; and tasks, if the step has any. */
static const struct masking {
	const char *topology, *filter, *cores, *job, *step;
	unsigned tasks;
	const char *task[2];
	const char *step_cpus; /* of the step's cpuset */
} maskings[] = {
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=S,bamount=1",
	  NULL,
	  1,
	  { "1-3" },
	  "1-3" },
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=X,bamount=1",
	  NULL,
	  2,
	  { "1", "2-3" },
	  "1-3" },
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=S,bamount=1",
	  "bamount=1",
	  2,
	  { "1", "2" },
	  "1-3" },
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=S,bamount=1",
	  "bamount=0",
	  1,
	  { "1-3" },
	  "1-3" },
	/* of another shape; and a plain job */
	{ CACHES, "sCC", "0-3", "bunit=S,bamount=1", NULL, 1, { "0-3" }, "0-3" },
	{ CACHES, "first_core", "0-3", NULL, NULL, 1, { "0-3" }, "0-3" },
	/* The job is older than the filter. */
	{ CACHES,
	  "first_core",
	  "0-1",
	  "bamount=1",
	  NULL,
	  2,
	  { "0", "1" },
	  "0-1" },
	{ CACHES,
	  "first_core",
	  "0-1",
	  "bamount=1",
	  "bamount=1",
	  2,
	  { "0", "1" },
	  "0-1" },
	{ CACHES,
	  "sxccXCCSXCCXCC",
	  "0-3",
	  "bunit=X,bamount=1",
	  NULL,
	  2,
	  { "0-1", "2-3" },
	  "0-3" },
	/* All of the node: --exclusive, or a job that is older. */
	{ CACHES,
	  "first_core",
	  "0-7",
	  "bamount=1",
	  NULL,
	  2,
	  { "1", "2" },
	  "1-7" },
	{ "SCC", "first_core", "0-1", "bamount=1", NULL, 2, { "0", "1" }, "0-1" },
	/* Alternatives of a job, one of which is older; and of a step. */
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=X:1|S:1",
	  NULL,
	  1,
	  { "1-3" },
	  "1-3" },
	{ CACHES, "first_core", "0-1", "bunit=S:1|X:1", NULL, 1, { "1" }, "1" },
	{ CACHES,
	  "SxccXCCSXCCXCC",
	  "0-1",
	  "bunit=S:1|X:1",
	  NULL,
	  1,
	  { "0-1" },
	  "0-1" },
	{ CACHES,
	  "SxccXCCSXCCXCC",
	  "0-3",
	  "bunit=X:1|S:1",
	  NULL,
	  1,
	  { "2-3" },
	  "2-3" },
	{ CACHES,
	  "first_core",
	  "0-3",
	  "bunit=S,bamount=1",
	  "bunit=C:2|C:1",
	  2,
	  { "1", "2" },
	  "1-3" },
	{ CACHES,
	  "SxccXCCSXCCXCC",
	  "0-1",
	  "bunit=X,bamount=1",
	  "bunit=C:2|C:1",
	  2,
	  { "0", "1" },
	  "0-1" },
	/* Threads of a core. */
	{ "SCTTCTT", "SCtTCTT", "0", "bamount=1", NULL, 1, { "1" }, "1" },
};

static void leaves_out_what_is_masked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(maskings) / sizeof(maskings[0]); i++) {
		const struct masking *m = &maskings[i];
		struct tb_topology *topology = tb_topology_parse(m->topology,
								 NULL, NULL);
		struct tb_filter *filter = tb_filter_parse(m->filter, NULL);
		struct tb_request job, step;
		struct tb_step_plan plan;
		struct tb_error err;

		read_request(&job, m->job);
		read_request(&step, m->step);
		struct tb_step_plan_input input = {
			.topology = topology,
			.node_cores = tb_topology_cores(topology),
			.job_cores = m->cores,
			.step_cores = m->cores,
			.job = &job,
			.step = &step,
			.filter = filter,
			.tasks = m->tasks,
		};

		if (tb_step_plan_make(&plan, &input, &err) < 0)
			fail_msg("%zu: %s", i, err.text);
		for (unsigned task = 0; task < m->tasks; task++)
			compare_threads(plan.task[task], m->task[task], i);
		tb_step_plan_drop_masked(&plan, plan.step);
		compare_threads(plan.step, m->step_cpus, i);
		tb_step_plan_clear(&plan);
		tb_request_clear(&job);
		tb_request_clear(&step);
		tb_filter_destroy(filter);
		tb_topology_destroy(topology);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_a_table),
		cmocka_unit_test(tells_of_a_changed_topology),
		cmocka_unit_test(gives_all_of_a_plain_job),
		cmocka_unit_test(leaves_threads_out),
		cmocka_unit_test(knows_who_binds),
		cmocka_unit_test(knows_where_memory_is),
		cmocka_unit_test(keeps_kinds_of_job),
		cmocka_unit_test(knows_what_is_soft),
		cmocka_unit_test(leaves_out_what_is_masked),
	};

	return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps that take slots of their job: which ones, and that no two have the same.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "step_slots.h"

/* Two sockets with two L3 caches of two cores each; and with threads. */
#define CACHES "SXCCXCCSXCCXCC"
#define THREADED "SXCTTCTTXCTTCTTSXCTTCTTXCTTCTT"

/* Lists of Slurm's cores; no cores: there are too few. */
struct choosing {
	const char *topology;
	unsigned node_cores;
	const char *job, *step; /* requests, NULL for none */
	const char *job_cores, *picked, *others;
	unsigned tasks;
	bool shares;
	const char *cores;
};

static const struct choosing choosings[] = {
	/* clang-format off */
	/* One core was picked, a slot has two. */
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "0", "", 1, false, "0-1" },
	/* That of another step was picked, or lies in its slot. */
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "0", "0-1", 1, false, "2-3" },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "1", "0-1,4-5", 1, false, "2-3" },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "6", "0-1", 1, false, "6-7" },
	/* Two halves. */
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "1-2", "", 1, false, "0-1" },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "1-2", "", 2, false, "0-3" },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "3-4", "0-1", 2, false, "2-5" },
	/* A task with the CPUs of two slots. */
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "2-5", "", 1, false, "2-5" },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "2-4", "", 1, false, "2-5" },
	/* Too few. */
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-3", "0", "0-3", 1, false, NULL },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-3", "0", "1", 2, false, NULL },
	{ CACHES, 8, "bunit=X,bamount=1", NULL, "0-3", "0", "1", 2, true, "2-3" },
	{ CACHES, 8, "bunit=S,bamount=1", NULL, "0-7", "0", "5", 1, false, "0-3" },
	{ CACHES, 8, "bunit=S,bamount=1", NULL, "0-7", "4", "5", 1, false, "0-3" },
	/* Units of a host are dealt out one by one. */
	{ CACHES, 8, "bunit=X,bamount=4,btype=host", NULL, "0-7", "0", "0-1", 1, false, "2-3" },
	{ CACHES, 8, "bunit=X,bamount=4,btype=host", NULL, "0-7", "0-2", "", 3, false, "0-3" },
	/* A binding of its own lies in slots of the job. */
	{ CACHES, 8, "bunit=S,bamount=1", "bunit=C,bamount=1", "0-7", "4-5", "", 2, false, "4-7" },
	/* Threads: of cores, and as Slurm's cores. */
	{ THREADED, 8, "bunit=X,bamount=1", NULL, "0-7", "2", "0-1", 1, false, "2-3" },
	{ THREADED, 16, "bunit=C,bamount=1", NULL, "0-15", "1", "0-1", 1, false, "2-3" },
	{ THREADED, 16, "bunit=T,bamount=1", NULL, "0-3", "0", "0,2", 2, false, "1,3" },
	/* No slots. */
	{ CACHES, 8, NULL, NULL, "0-7", "0", "", 1, false, NULL },
	{ CACHES, 8, "bunit=X:1+C:1,btype=host", NULL, "0-2", "0", "", 1, false, NULL },
	/* clang-format on */
};

struct asked {
	struct tb_topology *topology;
	struct tb_request job, step;
	struct tb_step_plan_input input;
};

static void read_request(struct tb_request *request, const char *text)
{
	struct tb_error err;

	tb_request_init(request);
	if (text != NULL)
		assert_int_equal(tb_request_parse(request, text, &err), 0);
}

static void ask(struct asked *asked, const struct choosing *row)
{
	struct tb_error err;

	asked->topology = tb_topology_parse(row->topology, NULL, &err);
	assert_non_null(asked->topology);
	read_request(&asked->job, row->job);
	read_request(&asked->step, row->step);
	asked->input = (struct tb_step_plan_input){
		.topology = asked->topology,
		.node_cores = row->node_cores,
		.job_cores = row->job_cores,
		.step_cores = row->picked,
		.job = &asked->job,
		.step = &asked->step,
		.tasks = row->tasks,
		.shares = row->shares,
	};
}

static void clear_asked(struct asked *asked)
{
	tb_request_clear(&asked->job);
	tb_request_clear(&asked->step);
	tb_topology_destroy(asked->topology);
}

static void test_choose(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(choosings) / sizeof(*choosings); i++) {
		const struct choosing *row = &choosings[i];
		struct asked asked;
		struct tb_error err;
		char *cores;

		ask(&asked, row);
		assert_int_equal(tb_step_slots_choose(&asked.input, row->others,
						      &cores, &err),
				 0);
		if (row->cores != NULL) {
			assert_non_null(cores);
			assert_string_equal(cores, row->cores);
		} else {
			assert_null(cores);
		}
		free(cores);
		clear_asked(&asked);
	}
}

/* ---- taken by steps that live ---- */

static const struct choosing four_caches = {
	CACHES, 8, "bunit=X,bamount=1", NULL, "0-7", "0", "", 1, false, NULL
};

static int make_spool(void **state)
{
	char *path = strdup("/tmp/topobind-test-XXXXXX");

	*state = path;
	return path != NULL && mkdtemp(path) != NULL ? 0 : -1;
}

/* No file is left in it. */
static int remove_spool(void **state)
{
	char *path;
	int rc;

	if (asprintf(&path, "%s/topobind_slots", (char *)*state) < 0)
		return -1;
	rc = rmdir(path) < 0 || rmdir(*state) < 0 ? -1 : 0;
	free(path);
	free(*state);
	return rc;
}

static void test_take(void **state)
{
	struct tb_step_slots_id id = { *state, 1, 0 };
	struct tb_step_slots *taken[4], *again;
	static const char *const cores[] = { "0-1", "2-3", "4-5", "6-7" };
	struct asked asked;

	ask(&asked, &four_caches);
	for (id.step = 0; id.step < 4; id.step++) {
		taken[id.step] = tb_step_slots_take(&id, &asked.input);
		assert_non_null(taken[id.step]);
		assert_string_equal(tb_step_slots_cores(taken[id.step]),
				    cores[id.step]);
	}
	assert_null(tb_step_slots_take(&id, &asked.input));
	/* Another job has its own, also one whose number ends alike. */
	id.job = 21;
	again = tb_step_slots_take(&id, &asked.input);
	assert_string_equal(tb_step_slots_cores(again), "0-1");
	tb_step_slots_give_back(again);
	id.job = 1;
	tb_step_slots_give_back(taken[2]);
	again = tb_step_slots_take(&id, &asked.input);
	assert_string_equal(tb_step_slots_cores(again), "4-5");
	tb_step_slots_give_back(again);
	for (int i = 0; i < 4; i++)
		if (i != 2)
			tb_step_slots_give_back(taken[i]);
	/* All that is picked is all of the job: nothing is to be chosen. */
	asked.input.step_cores = "0-7";
	assert_null(tb_step_slots_take(&id, &asked.input));
	clear_asked(&asked);
}

/* One that was killed has nothing any more, and one is waited for that ends. */
static void test_killed(void **state)
{
	struct tb_step_slots_id id = { *state, 1, 0 };
	struct tb_step_slots *taken;
	struct asked asked;
	int ready[2], status;
	pid_t pid;

	ask(&asked, &four_caches);
	asked.input.job_cores = "0-1";
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (tb_step_slots_take(&id, &asked.input) != NULL &&
		    write(ready[1], "", 1) == 1)
			usleep(300 * 1000);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(read(ready[0], &status, 1), 1);
	id.step = 1;
	taken = tb_step_slots_take(&id, &asked.input);
	assert_non_null(taken);
	assert_string_equal(tb_step_slots_cores(taken), "0-1");
	tb_step_slots_give_back(taken);
	waitpid(pid, &status, 0);
	close(ready[0]);
	close(ready[1]);
	clear_asked(&asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_choose),
		cmocka_unit_test_setup_teardown(test_take, make_spool,
						remove_spool),
		cmocka_unit_test_setup_teardown(test_killed, make_spool,
						remove_spool),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

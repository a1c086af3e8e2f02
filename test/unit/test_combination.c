/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's own options together with a binding.
 */
#include "unit_test.h"

#include "core/request/combination.h"
#include "core/request/job_options.h"

static const struct {
	const char *request, *option, *value;
	bool job, step; /* is it refused to a job, to a step? */
} table[] = {
	{ "bamount=1", "ntasks-per-socket", "1", true, true },
	{ "bamount=1,btype=host", "ntasks-per-socket", "2", true, true },
	{ "bcpus=0-3", "ntasks-per-socket", "2", true, true },
	{ "bamount=1", "ntasks-per-socket", "0", false, false },
	{ "bamount=0", "ntasks-per-socket", "1", false, false },
	{ "", "ntasks-per-socket", "1", false, false },
	{ "bamount=1", "ntasks-per-core", "1", false, false },
	{ "bunit=X,bamount=2", "ntasks-per-core", "2", false, false },
	{ "bunit=T,bamount=2", "ntasks-per-core", "1", true, true },
	{ "bunit=ET,bamount=2", "ntasks-per-core", "1", true, true },
	{ "bamount=1,btype=host", "ntasks-per-core", "1", true, true },
	{ "bcpus=0", "ntasks-per-core", "1", true, true },
	{ "bamount=1", "threads-per-core", "1", false, false },
	{ "bunit=T,bamount=1", "threads-per-core", "1", true, true },
	{ "bcpus=0-1", "threads-per-core", "2", true, true },
	{ "bunit=T,bamount=1", "extra-node-info", "2", false, false },
	{ "bunit=T,bamount=1", "extra-node-info", "2:24", false, false },
	{ "bunit=T,bamount=1", "extra-node-info", "2:24:1", true, true },
	{ "bamount=1", "extra-node-info", "2:24:1", false, false },
	{ "bamount=1", "hint", "memory_bound", true, true },
	{ "bamount=1", "hint", "multithread,memory_bound", true, true },
	{ "bamount=1", "hint", "multithread", false, false },
	{ "bamount=1", "hint", "nomultithread", false, false },
	{ "bunit=T,bamount=1", "hint", "multithread", false, false },
	{ "bunit=T,bamount=1", "hint", "nomultithread", true, true },
	{ "bcpus=0", "hint", "compute_bound", true, true },
	/* For a step it means something else. */
	{ "bamount=1,btype=host", "exclusive", "exclusive", true, false },
	{ "bamount=1,bstart=S", "exclusive", "exclusive", true, false },
	{ "bamount=1,bstop=S", "exclusive", "exclusive", true, false },
	{ "bamount=1,bstart=S", "exclusive", "user", false, false },
	{ "bamount=1", "exclusive", "exclusive", false, false },
	{ "bamount=1,btype=host", "exclusive", "user", false, false },
	{ "bcpus=0", "exclusive", "exclusive", false, false },
	{ "bamount=1", "mincpus", "4", true, false },
	{ "bamount=1", "core-spec", "1", true, false },
	{ "bamount=1", "core-spec", "0", false, false },
	{ "bamount=1", "thread-spec", "2", true, false },
	{ "bamount=1", "distribution", "block", false, false },
	{ "bamount=1", "distribution", "cyclic", false, false },
	{ "bamount=1", "distribution", "block,nopack", false, false },
	{ "bamount=1", "distribution", "block,pack", true, true },
	{ "bamount=1", "distribution", "cyclic:block", true, true },
	{ "bamount=1", "distribution", "plane=4", true, true },
	{ "bamount=1", "distribution", "arbitrary", true, true },
	{ "bamount=1", "cpu-bind", "none", false, false },
	{ "bamount=1", "cpu-bind", "verbose,none", false, false },
	{ "bamount=1", "cpu-bind", "quiet", false, false },
	{ "bamount=1", "cpu-bind", "quiet,rank", true, true },
	{ "bamount=1", "cpu-bind", "map_cpu:0,1", true, true },
	{ "bamount=1,binstance=env", "cpu-bind", "cores", false, false },
	{ "bamount=1", "mem-bind", "local", false, false },
	{ "bamount=1,bmem=local", "mem-bind", "local", false, false },
	{ "bamount=1,bmem=none", "mem-bind", "map_mem:0,1", false, false },
	{ "bamount=1,bmem=prefer", "mem-bind", "local", true, true },
	{ "bcpus=0,bmem=prefer", "mem-bind", "prefer,map_mem:0,1", true, true },
	{ "bamount=1,bmem=prefer", "mem-bind", "verbose,rank", true, true },
	{ "bamount=1,bmem=prefer", "mem-bind", "verbose,none", false, false },
	{ "bamount=1,bmem=prefer", "mem-bind", "sort", false, false },
	{ "bamount=1,binstance=env,bmem=prefer", "mem-bind", "local", false,
	  false },
	{ "bamount=0,bmem=prefer", "mem-bind", "local", false, false },
	{ "bamount=1", "cpus-per-gpu", "2", true, false },
	{ "bamount=1", "gpus-per-socket", "gpu:1", true, false },
	{ "bunit=X:1+C:1,btype=host", "gres-flags", "enforce-binding", true,
	  false },
	{ "bunit=X:1+C:1,btype=host", "gres-flags", "disable-binding", false,
	  false },
	{ "bamount=1", "gres-flags", "enforce-binding", false, false },
	{ "bamount=1", "nodelist", "a", false, false },
	{ "bamount=1", "", "", false, false },
};

#define ROWS (sizeof(table) / sizeof(table[0]))

static void check(const struct tb_request *request, enum tb_asker asker,
		  size_t row, bool refused)
{
	struct tb_error err = { "" };
	int rc = tb_combination_check(request, asker, table[row].option,
				      table[row].value, &err);

	if ((rc != 0) != refused)
		fail_msg("%s with --%s=%s: %d, %s", table[row].request,
			 table[row].option, table[row].value, rc, err.text);
	if (!refused)
		return;
	/* Named, with the value, and cut nowhere. */
	assert_int_equal(strncmp(err.text, "--", 2), 0);
	assert_non_null(strstr(err.text, table[row].option));
	assert_non_null(strstr(err.text, table[row].value));
	assert_true(strlen(err.text) < TB_ERROR_TEXT_SIZE - 110);
	assert_int_equal(tb_combination_check(request, asker, table[row].option,
					      table[row].value, NULL),
			 -1);
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct tb_request request;

		tb_request_init(&request);
		if (table[i].request[0])
			assert_int_equal(tb_request_parse(&request,
							  table[i].request,
							  NULL),
					 0);
		if (tb_request_is_given(&request))
			assert_int_equal(tb_request_complete(&request, NULL),
					 0);
		check(&request, TB_JOB, i, table[i].job);
		check(&request, TB_JOB_STEP, i, table[i].step);
		tb_request_clear(&request);
	}
}

/* What a client asks Slurm for is what there are rules for. */
static void test_every_option_is_refused_somewhere(void **state)
{
	(void)state;
	for (int i = 0; tb_combination_options[i]; i++) {
		bool refused = false;

		for (size_t row = 0; row < ROWS; row++)
			refused = refused ||
				  (table[row].job &&
				   strcmp(table[row].option,
					  tb_combination_options[i]) == 0);
		if (!refused)
			fail_msg("no row for %s", tb_combination_options[i]);
	}
}

/* And the other way round. */
static void test_every_rule_has_its_option(void **state)
{
	(void)state;
	for (size_t row = 0; row < ROWS; row++) {
		bool listed = !table[row].job;

		for (int i = 0; tb_combination_options[i]; i++)
			listed = listed ||
				 strcmp(table[row].option,
					tb_combination_options[i]) == 0;
		if (!listed)
			fail_msg("%s is not listed", table[row].option);
	}
}

static void test_long_value(void **state)
{
	struct tb_request request;
	struct tb_error err;
	char value[70000];

	(void)state;
	memset(value, 'x', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=1", NULL), 0);
	assert_int_equal(tb_combination_check(&request, TB_JOB, "distribution",
					      value, &err),
			 -1);
	assert_non_null(strstr(err.text, "--bstrategy"));
	tb_request_clear(&request);
}

/* ---- what a job's record says ---- */

static const struct tb_job_options nothing_said = {
	.tasks_per_core = TB_OPTION_NOT_SAID,
	.tasks_per_socket = TB_OPTION_NOT_SAID,
	.threads_per_core = TB_OPTION_NOT_SAID,
	.spec_cores = TB_OPTION_NOT_SAID,
	.spec_threads = TB_OPTION_NOT_SAID,
};

/* Is a job that asks for host type refused; does its site's binding give way? */
static void check_options(struct tb_job_options options, bool refused,
			  bool comes_first)
{
	struct tb_request request;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=1,btype=host",
					  NULL),
			 0);
	assert_int_equal(tb_job_options_check(&options, &request, NULL),
			 refused ? -1 : 0);
	assert_int_equal(tb_job_options_come_first(&options, &request),
			 comes_first);
	tb_request_clear(&request);
}

static void test_options_of_job(void **state)
{
	struct tb_job_options options = nothing_said;

	(void)state;
	check_options(options, false, false);
	options.threads_per_core = 1;
	options.near_devices = true;
	check_options(options, false, false);
	options.tasks_per_core = 1;
	check_options(options, true, false);
	options = nothing_said;
	options.exclusive = true;
	check_options(options, true, false);
	options.spec_cores = 0;
	check_options(options, true, false);
	options = nothing_said;
	options.tasks_per_socket = 1;
	check_options(options, true, true);
	options = nothing_said;
	options.spec_threads = 2;
	check_options(options, true, true);
	options = nothing_said;
	options.arbitrary = true;
	check_options(options, true, true);
	options = nothing_said;
	options.plane = true;
	check_options(options, true, true);
	options = nothing_said;
	options.cpus_per_gpu = "gres:gpu:2";
	check_options(options, true, true);
	options = nothing_said;
	options.gpus_per_socket = "gres:gpu:1";
	check_options(options, true, true);
}

static void test_cpus_of_nodes(void **state)
{
	struct tb_job_options options = nothing_said;

	(void)state;
	options.node_cpus = 1;
	check_options(options, false, false);
	options.node_cpus = 2;
	check_options(options, false, true);
	options.task_cpus = 2;
	check_options(options, false, false);
	options.node_cpus = 6;
	check_options(options, false, true);
	options.tasks_of_node = 3;
	check_options(options, false, false);
	options.node_cpus = 7;
	check_options(options, false, true);
	options.task_cpus = 0;
	options.node_cpus = 3;
	check_options(options, false, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_every_option_is_refused_somewhere),
		cmocka_unit_test(test_every_rule_has_its_option),
		cmocka_unit_test(test_long_value),
		cmocka_unit_test(test_options_of_job),
		cmocka_unit_test(test_cpus_of_nodes),
	};

	return cmocka_run_group_tests_name("combination", tests, NULL, NULL);
}

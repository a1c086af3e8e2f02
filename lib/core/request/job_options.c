/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_options.h"

#include "combination.h"

struct check {
	const struct tb_request *request;
	struct tb_error *err;
};

static int check_number(const struct check *check, const char *option,
			uint16_t number)
{
	char digits[sizeof("65535")] = "";
	char *value = &digits[sizeof(digits) - 1];

	if (number == TB_OPTION_NOT_SAID)
		return 0;
	do {
		*--value = (char)('0' + number % 10);
	} while (number /= 10);
	return tb_combination_check(check->request, TB_JOB, option, value,
				    check->err);
}

static int check_word(const struct check *check, bool said, const char *option,
		      const char *value)
{
	if (!said)
		return 0;
	return tb_combination_check(check->request, TB_JOB, option, value,
				    check->err);
}

static int check_rest(const struct tb_job_options *options,
		      const struct tb_request *request, struct tb_error *err)
{
	const struct check check = { request, err };

	if (tb_request_check_window(request, err) ||
	    check_number(&check, "ntasks-per-socket",
			 options->tasks_per_socket) ||
	    check_number(&check, "threads-per-core",
			 options->threads_per_core) ||
	    check_number(&check, "core-spec", options->spec_cores) ||
	    check_number(&check, "thread-spec", options->spec_threads) ||
	    check_word(&check, options->plane, "distribution", "plane") ||
	    check_word(&check, options->arbitrary, "distribution",
		       "arbitrary") ||
	    check_word(&check, options->cpus_per_gpu != NULL, "cpus-per-gpu",
		       options->cpus_per_gpu) ||
	    check_word(&check, options->gpus_per_socket != NULL,
		       "gpus-per-socket", options->gpus_per_socket) ||
	    check_word(&check, options->near_devices, "gres-flags",
		       "enforce-binding"))
		return -1;
	return 0;
}

int tb_job_options_check(const struct tb_job_options *options,
			 const struct tb_request *request, struct tb_error *err)
{
	const struct check check = { request, err };

	if (check_number(&check, "ntasks-per-core", options->tasks_per_core) ||
	    check_word(&check, options->exclusive, "exclusive", "exclusive"))
		return -1;
	return check_rest(options, request, err);
}

static bool asks_for_cpus_of_nodes(const struct tb_job_options *options)
{
	uint32_t of_task = options->task_cpus ? options->task_cpus : 1;

	return options->node_cpus > of_task &&
	       options->node_cpus > options->tasks_of_node * of_task;
}

bool tb_job_options_come_first(const struct tb_job_options *options,
			       const struct tb_request *site)
{
	return asks_for_cpus_of_nodes(options) ||
	       check_rest(options, site, NULL);
}

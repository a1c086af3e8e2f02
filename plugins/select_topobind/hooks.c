/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hooks.h"

#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/read_config.h"

#include "common/conf.h"
#include "common/request_env.h"

#include "job_test.h"
#include "ledger.h"
#include "nodes.h"
#include "show.h"

static struct tb_conf *site;

int tb_hook_init(void)
{
	struct tb_error why;

	site = tb_conf_load(&why);
	if (!site) {
		error("topobind: %s", why.text);
		return SLURM_ERROR;
	}
	return SLURM_SUCCESS;
}

void tb_hook_fini(void)
{
	tb_nodes_fini();
	tb_ledger_fini();
	tb_conf_destroy(site);
	site = NULL;
}

/* What the job asks for.  False: it asks for no binding, or for nonsense. */
static bool bound_request(const job_record_t *job, struct tb_request *request)
{
	if (!tb_conf_enabled(site) ||
	    tb_request_from_env(request, job->spank_job_env,
				job->spank_job_env_size, NULL)) {
		tb_request_init(request);
		return false;
	}
	return tb_request_binds(request);
}

static bool is_bound(const job_record_t *job)
{
	struct tb_request request;
	bool bound = bound_request(job, &request);

	tb_request_clear(&request);
	return bound;
}

/* An administrator's suspension, priority 0, frees the cores; a gang's not. */
static bool holds_cores(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) ||
	       (IS_JOB_SUSPENDED(job) && job->priority != 0);
}

static int add_job(void *item, void *arg)
{
	job_record_t *job = item;

	(void)arg;
	if (holds_cores(job))
		tb_ledger_put(job, is_bound(job));
	return 0;
}

static void rebuild(void)
{
	tb_ledger_reset();
	tb_nodes_reset(site);
	if (job_list)
		list_for_each(job_list, add_job, NULL);
}

void tb_hook_node_init(void)
{
	rebuild();
}

void tb_hook_reconfigure(void)
{
	struct tb_error why;
	struct tb_conf *read = tb_conf_load(&why);

	if (!read)
		error("topobind: %s; the running configuration is kept",
		      why.text);
	tb_nodes_fini();
	if (read) {
		tb_conf_destroy(site);
		site = read;
	}
	rebuild();
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (node_record_table_ptr[node])
			tb_node_show(node);
}

/* Whole sockets are taken whatever the mask allows. */
static bool parameters_allow_binding(const job_record_t *job)
{
	uint16_t type = job->part_ptr && job->part_ptr->cr_type
		? job->part_ptr->cr_type : slurm_conf.select_type_param;

	return !(type & CR_SOCKET);
}

static int test_bound(struct tb_test *test, const struct tb_request *request)
{
	if (parameters_allow_binding(test->job))
		return tb_test_bound_job(test, request);
	if (tb_test_mode(test) == TB_TEST_ONLY)
		info("topobind: %pJ asks for a binding, which needs SelectTypeParameters=CR_Core, CR_Core_Memory, CR_CPU or CR_CPU_Memory",
		     test->job);
	return SLURM_ERROR;
}

int tb_hook_job_test(struct tb_test *test)
{
	struct tb_request request;
	struct tb_error why;
	int rc;

	if (!test->job->details)
		return EINVAL;
	/* Without nodes (burst buffers) there is nothing to bind. */
	if (!tb_conf_enabled(site) || !test->job->spank_job_env_size ||
	    !test->max_nodes)
		return tb_test_plain_job(test);
	if (tb_request_from_env(&request, test->job->spank_job_env,
				test->job->spank_job_env_size, &why)) {
		/* The client's check was bypassed: refused at submission. */
		if (tb_test_mode(test) == TB_TEST_ONLY)
			info("topobind: %pJ refused: %s", test->job, why.text);
		return SLURM_ERROR;
	}
	rc = tb_request_binds(&request) ? test_bound(test, &request)
					: tb_test_plain_job(test);
	tb_request_clear(&request);
	return rc;
}

void tb_hook_job_begin(job_record_t *job)
{
	struct tb_request request;

	if (bound_request(job, &request) && job->job_resrcs) {
		tb_show_grant(job, &request);
		last_job_update = time(NULL);
	}
	tb_request_clear(&request);
}

static void put(job_record_t *job)
{
	/* Nodes that the job gave back are in its allocation still. */
	if (tb_ledger_put(job, is_bound(job)))
		tb_show_nodes_of(job);
}

void tb_hook_job_ended(job_record_t *job)
{
	if (tb_ledger_remove(job))
		tb_show_nodes_of(job);
}

void tb_hook_job_changed(job_record_t *job)
{
	if (holds_cores(job))
		put(job);
	else
		tb_hook_job_ended(job);
}

void tb_hook_job_resumed(job_record_t *job)
{
	put(job);
}

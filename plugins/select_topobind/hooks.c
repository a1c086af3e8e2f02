/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hooks.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "combinations.h"
#include "common/conf.h"
#include "common/conf_metrics.h"
#include "common/request_env.h"
#include "common/soft_record.h"
#include "account.h"
#include "consumption.h"
#include "effective.h"
#include "expand.h"
#include "job_test.h"
#include "learning.h"
#include "ledger.h"
#include "metrics.h"
#include "metrics_file.h"
#include "names.h"
#include "node_order.h"
#include "nodes.h"
#include "reasons.h"
#include "sharing.h"
#include "show.h"
#include "steps.h"

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
	tb_metrics_file_end();
	tb_account_fini();
	tb_learning_fini();
	tb_consumption_fini();
	tb_reasons_fini();
	tb_sharing_fini();
	tb_nodes_fini();
	tb_ledger_fini();
	tb_conf_destroy(site);
	site = NULL;
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
	bool bound = tb_show_is_bound(job);

	(void)arg;
	if (IS_JOB_PENDING(job))
		tb_reasons_recovered(job);
	if (holds_cores(job) && tb_ledger_put(job, bound)) {
		tb_sharing_note(job);
		tb_consumption_put(job);
	}
	if (bound && !IS_JOB_PENDING(job) && tb_conf_job_record(site))
		tb_account_recovered(job);
	return 0;
}

static void rebuild(void)
{
	tb_account_reset();
	tb_reasons_reset();
	tb_ledger_reset();
	tb_sharing_reset();
	tb_consumption_reset();
	tb_nodes_reset(site);
	if (job_list)
		list_for_each(job_list, add_job, NULL);
	tb_learning_reset();
}

/* A wrong file changes nothing. */
static void read_again(void)
{
	struct tb_error why;
	struct tb_conf *read = tb_conf_load(&why);

	if (!read) {
		error("topobind: %s; the running configuration is kept",
		      why.text);
		return;
	}
	/* Shapes point into the old one. */
	tb_nodes_fini();
	tb_conf_destroy(site);
	site = read;
}

static void set_metrics_file(void)
{
	const struct tb_conf_metrics *metrics = tb_conf_metrics(site);

	tb_metrics_file_set(metrics->file, metrics->interval);
}

void tb_hook_node_init(void)
{
	read_again();
	set_metrics_file();
	tb_names_check(site);
	rebuild();
}

void tb_hook_reconfigure(void)
{
	rebuild();
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (node_record_table_ptr[node])
			tb_node_show(node);
}

/* Updates of nodes move last_node_update, by the second. */
void tb_hook_nodes_shown(void)
{
	static time_t looked_at;

	if (!job_list || looked_at > last_node_update)
		return;
	looked_at = time(NULL);
	tb_learning_look_at_nodes();
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (node_record_table_ptr[node])
			tb_node_show_again(node);
}

static int test_bound(struct tb_test *test, const struct tb_request *request)
{
	if (tb_partition_can_bind(test->job))
		return tb_test_bound_job(test, request);
	if (tb_test_mode(test) == TB_TEST_ONLY)
		info("topobind: %pJ asks for a binding, which needs SelectTypeParameters=CR_Core, CR_Core_Memory, CR_CPU or CR_CPU_Memory",
		     test->job);
	return SLURM_ERROR;
}

static int limit_expansion(struct tb_test *test,
			   const struct tb_effective *effective)
{
	char *binding;
	int rc;

	if (!test->job->details->expanding_jobid)
		return SLURM_SUCCESS;
	binding = tb_effective_print(effective, site, test->job);
	rc = tb_expand_limit(test, binding);
	xfree(binding);
	return rc;
}

/*
 * The client's check was bypassed: refused at submission.  A job that was
 * changed since waits, and says for what.
 */
static int refuse(const struct tb_test *test, const struct tb_error *why)
{
	tb_metrics_refused(TB_REFUSED_REQUEST);
	if (tb_test_mode(test) == TB_TEST_ONLY)
		info("topobind: %pJ refused: %s", test->job, why->text);
	else
		tb_reasons_tell(test->job, why->text);
	return SLURM_ERROR;
}

/* Placing goes task by task; the node's tasks then share their units. */
static int test_request(struct tb_test *test, struct tb_effective *effective)
{
	struct tb_error why;

	if (!tb_request_binds(&effective->request))
		return tb_test_plain_job(test);
	if (tb_job_combinations(test->job, &effective->request,
				effective->implicit_cpus != 0, &why))
		return refuse(test, &why);
	test->implicit_cpus = effective->implicit_cpus;
	if (effective->implicit_cpus)
		effective->request.type = TB_SLOT;
	return test_bound(test, &effective->request);
}

static int test_effective(struct tb_test *test, struct tb_effective *effective)
{
	struct tb_test call = *test;
	struct tb_choice choice;
	int rc = limit_expansion(&call, effective);

	if (rc != SLURM_SUCCESS)
		return rc;
	if (tb_choice_find(&choice, site, test->job, &effective->request))
		call.choice = &choice;
	return test_request(&call, effective);
}

static void show_request(const struct tb_effective *effective,
			 job_record_t *job)
{
	char *shown;

	if (!IS_JOB_PENDING(job))
		return;
	shown = tb_effective_print(effective, site, job);
	tb_show_request(job, shown);
	xfree(shown);
}

/* With a binding: a request that makes no sense is one, too. */
static int test_counted(struct tb_test *test, struct tb_effective *effective,
			const struct tb_error *wrong)
{
	struct tb_measure measure = tb_metrics_begin();
	int rc = wrong ? refuse(test, wrong) : test_effective(test, effective);

	tb_metrics_end(&measure, test, rc);
	return rc;
}

int tb_hook_job_test(struct tb_test *test)
{
	struct tb_effective effective;
	struct tb_error why;
	int rc;

	if (!test->job->details)
		return EINVAL;
	/* Without nodes (burst buffers) there is nothing to bind. */
	if (!test->max_nodes)
		return tb_test_plain_job(test);
	tb_nodes_hold();
	if (tb_effective_find(&effective, site, test->job, &why)) {
		rc = test_counted(test, &effective, &why);
	} else {
		show_request(&effective, test->job);
		rc = tb_request_binds(&effective.request)
			? test_counted(test, &effective, NULL)
			: test_effective(test, &effective);
	}
	tb_effective_clear(&effective);
	tb_nodes_release();
	return rc;
}

/* Of the run before, when it was requeued. */
static void drop_soft_counts(job_record_t *job)
{
	char *rest = tb_soft_record_drop(job->admin_comment);

	if (!rest)
		return;
	xfree(job->admin_comment);
	job->admin_comment = xstrdup(rest);
	free(rest);
}

void tb_hook_job_begin(job_record_t *job)
{
	struct tb_effective effective;
	char *shown;

	drop_soft_counts(job);
	tb_effective_find(&effective, site, job, NULL);
	shown = job->job_resrcs ? tb_effective_print(&effective, site, job)
				: NULL;
	tb_show_grant(job, shown);
	tb_effective_record(&effective, site, job);
	if (shown)
		last_job_update = time(NULL);
	if (shown && tb_conf_job_record(site))
		tb_account_started(job);
	xfree(shown);
	tb_effective_clear(&effective);
}

static void put(job_record_t *job)
{
	bool bound = tb_show_is_bound(job);

	if (!tb_ledger_put(job, bound))
		return;
	tb_sharing_note(job);
	tb_consumption_put(job);
	tb_learning_nodes_changed(job);
	/* Nodes that the job gave back are in its allocation still. */
	tb_show_nodes_of(job);
}

void tb_hook_job_ended(job_record_t *job)
{
	/* Requeued: it waits with its request, the grant was another run's. */
	if (IS_JOB_PENDING(job))
		tb_show_requeued(job);
	if (!tb_ledger_remove(job))
		return;
	tb_show_nodes_of(job);
	tb_consumption_remove(job);
	tb_learning_nodes_changed(job);
}

void tb_hook_job_finished(job_record_t *job)
{
	if (tb_ledger_has(job))
		tb_learning_job_ended(job);
	tb_hook_job_ended(job);
}

/*
 * A backup controller that goes back to standing by has no jobs and no
 * connection to the database until its next term.
 */
void tb_hook_state_saved(const char *directory)
{
	if (directory)
		tb_learning_save(directory);
	if (slurmctld_config.shutdown_time) {
		tb_metrics_file_end();
		tb_account_stop();
	}
}

void tb_hook_state_restored(const char *directory)
{
	if (directory)
		tb_learning_restore(directory);
}

void tb_hook_job_changed(job_record_t *job)
{
	if (holds_cores(job))
		put(job);
	else
		tb_hook_job_ended(job);
}

/* A bound job holds other cores of the same request. */
static void show_resized(job_record_t *job)
{
	if (!job->job_resrcs || !tb_show_is_bound(job))
		return;
	tb_show_grant_again(job);
	if (tb_conf_job_record(site))
		tb_account_resized(job);
}

void tb_hook_job_resized(job_record_t *job, uint32_t node)
{
	tb_hook_job_changed(job);
	show_resized(job);
	/* It is not in the job's allocation any more. */
	tb_node_show(node);
}

void tb_hook_job_expanded(job_record_t *from, job_record_t *to)
{
	tb_hook_job_changed(from);
	tb_hook_job_changed(to);
	show_resized(from);
	show_resized(to);
}

int tb_hook_job_may_resume(const job_record_t *job)
{
	bool bound = tb_show_is_bound(job);

	if (!tb_ledger_clashes(job, bound) ||
	    (bound && tb_sharing_may_return(job)))
		return SLURM_SUCCESS;
	info("topobind: %pJ stays suspended: cores that it had are granted to others now; resume it when they have ended",
	     job);
	return ESLURM_NODES_BUSY;
}

bool tb_hook_job_holds(const job_record_t *job)
{
	return tb_ledger_has(job);
}

void tb_hook_job_resumed(job_record_t *job)
{
	put(job);
}

/* Whatever topobind.conf says by now: a request of its own, or what is shown. */
static int find_granted_request(const job_record_t *job,
				struct tb_request *request)
{
	struct tb_request shown;
	int rc = -1;

	if (tb_request_from_env(request, job->spank_job_env,
				job->spank_job_env_size, NULL))
		return -1;
	if (tb_request_has_binding(request))
		return 0;
	tb_request_init(&shown);
	if (tb_show_read_request(job, &shown))
		rc = tb_request_bind_implicitly(request, &shown, NULL);
	tb_request_clear(&shown);
	return rc;
}

void tb_hook_step_start(step_record_t *step)
{
	struct tb_request request;

	if (!tb_show_is_bound(step->job_ptr))
		return;
	tb_request_init(&request);
	if (!find_granted_request(step->job_ptr, &request) &&
	    tb_request_binds(&request))
		tb_step_place(step, &request);
	tb_request_clear(&request);
}

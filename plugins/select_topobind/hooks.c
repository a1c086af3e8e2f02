/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/conf/conf.h"
#include "common/conf/conf_metrics.h"
#include "common/job/usage_record.h"
#include "common/soft/soft_record.h"
#include "select_topobind/show/accounting.h"
#include "select_topobind/order/consumption.h"
#include "select_topobind/request/effective_request.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/kept_request.h"
#include "select_topobind/answer/job_test.h"
#include "select_topobind/books/late_resume.h"
#include "select_topobind/later/late_work.h"
#include "select_topobind/order/learning.h"
#include "select_topobind/order/learning_file.h"
#include "select_topobind/job_books.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/memory_books.h"
#include "select_topobind/books/unit_tres.h"
#include "select_topobind/show/metrics_file.h"
#include "select_topobind/nodes/conf_names.h"
#include "select_topobind/order/node_network.h"
#include "select_topobind/order/site_policies.h"
#include "select_topobind/books/extra_writer.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/show/new_jobs.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/show/running_conf.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/show/job_record.h"
#include "select_topobind/show/waiting_job.h"
#include "select_topobind/steps/steps.h"
#include "select_topobind/try/kept_placements.h"

static struct tb_conf *site;
/* slurmctld reads all of its configuration anew, with all locks for writing. */
static bool all_is_new;

/* With the plugins that it names. */
static struct tb_conf *load_conf(struct tb_error *err)
{
	struct tb_conf *read = tb_conf_load(err);

	if (!read || !tb_site_policies_load(read, err))
		return read;
	tb_conf_destroy(read);
	return NULL;
}

int tb_hook_init(void)
{
	struct tb_error why;

	site = load_conf(&why);
	if (!site) {
		error("topobind: %s", why.text);
		return SLURM_ERROR;
	}
	return SLURM_SUCCESS;
}

void tb_hook_fini(void)
{
	tb_metrics_file_end();
	tb_new_jobs_fini();
	tb_late_work_fini();
	tb_late_resume_fini();
	tb_accounting_fini();
	tb_kept_placements_forget();
	tb_learning_fini();
	tb_consumption_fini();
	tb_node_network_reset();
	tb_reasons_fini();
	tb_sharing_fini();
	tb_memory_books_fini();
	tb_extra_writer_fini();
	tb_nodes_fini();
	tb_ledger_fini();
	tb_running_conf_fini();
	tb_kept_requests_fini();
	tb_site_policies_fini();
	tb_conf_destroy(site);
	site = NULL;
}

static int restore_record(void *item, void *arg)
{
	(void)arg;
	if (tb_ledger_is_bound(item))
		tb_job_record_restore_grant(item, site);
	return 0;
}

/* When the file has an error, the running configuration stays. */
static void reload_conf(void)
{
	struct tb_error why;
	struct tb_conf *read = load_conf(&why);

	if (!read) {
		error("topobind: %s; the running configuration is kept",
		      why.text);
		return;
	}
	/* These point into the old configuration. */
	tb_kept_placements_forget();
	tb_kept_requests_forget_site();
	tb_extra_writer_fini();
	tb_nodes_fini();
	tb_conf_destroy(site);
	site = read;
	/* Now: it looks up the lines of the file. */
	tb_running_conf_set(site);
	tb_unit_tres_set(site);
}

static void set_metrics_file(void)
{
	const struct tb_conf_metrics *metrics = tb_conf_metrics(site);

	tb_metrics_file_set(metrics->file, metrics->interval);
}

static void look_at_new_job(job_record_t *job)
{
	tb_waiting_job_look(job, site);
}

static void restore_nodes(void)
{
	tb_nodes_drop_unused();
	tb_extra_write_reserved();
	if (!tb_extra_restore_some())
		tb_late_work_add(TB_LATE_NODES);
}

void tb_hook_node_init(void)
{
	all_is_new = true;
	tb_late_work_set(TB_LATE_NODES, restore_nodes);
	reload_conf();
	set_metrics_file();
	tb_conf_names_check(site);
	tb_job_books_rebuild(site);
	tb_new_jobs_watch(look_at_new_job);
}

/*
 * Also called when a partition or a node has changed, or debug flags.  Then jobs may be
 * locked for reading only, and their records are as slurmctld wrote them.
 */
void tb_hook_reconfigure(void)
{
	tb_job_books_rebuild(site);
	if (all_is_new && job_list)
		list_for_each(job_list, restore_record, NULL);
	all_is_new = false;
	tb_new_jobs_watch(look_at_new_job);
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (node_record_table_ptr[node])
			tb_extra_write(node);
}

/*
 * From 24.11 on slurmctld ends its own work for a reconfigure, and takes it up again
 * when the new slurmctld refuses the configuration.  Then it shows the nodes first.
 */
static void go_on_if_stopped(void)
{
	if (slurmctld_config.shutdown_time)
		return;
	tb_metrics_file_go_on();
	tb_reasons_go_on();
	tb_accounting_go_on();
}

/* An update of a node sets last_node_update, in seconds; reservations have their own. */
void tb_hook_nodes_shown(bool may_write)
{
	static time_t looked_at;

	go_on_if_stopped();
	if (!job_list || looked_at > MAX(last_node_update, last_resv_update))
		return;
	looked_at = time(NULL);
	tb_learning_look_at_nodes();
	if (may_write)
		restore_nodes();
	else
		tb_late_work_add(TB_LATE_NODES);
}

int tb_hook_job_test(struct tb_test *test)
{
	return tb_job_test(test, site);
}

static void drop_word(job_record_t *job, char *(*drop)(const char *comment))
{
	char *rest = drop(job->admin_comment);

	if (!rest)
		return;
	xfree(job->admin_comment);
	job->admin_comment = xstrdup(rest);
	free(rest);
}

/* A requeued job has those of its run before. */
static void drop_records(job_record_t *job)
{
	drop_word(job, tb_soft_record_drop);
	drop_word(job, tb_usage_record_drop);
}

void tb_hook_job_begin(job_record_t *job)
{
	struct tb_effective_request effective;
	char *shown;

	drop_records(job);
	tb_effective_request_find(&effective, site, job, NULL);
	tb_granted_settle(job, &effective.held.request);
	if (tb_request_binds(&effective.held.request))
		tb_unit_tres_count(job, &effective.held.request);
	shown = job->job_resrcs ? tb_effective_request_print(&effective) : NULL;
	tb_job_record_set_grant(job, shown, site);
	tb_granted_record(job, shown);
	tb_granted_tell_leader(job, shown);
	if (shown)
		last_job_update = time(NULL);
	if (shown && tb_conf_job_record(site))
		tb_accounting_job_started(job);
	xfree(shown);
	tb_effective_request_clear(&effective);
}

void tb_hook_job_suspended(job_record_t *job)
{
	/* A requeued job still has its request, but no grant. */
	if (IS_JOB_PENDING(job))
		tb_job_record_drop_grant(job);
	tb_job_books_remove(job);
}

void tb_hook_job_ended(job_record_t *job)
{
	bool had_cores = tb_ledger_has(job);
	bool had_memory = tb_memory_books_remove(job);

	tb_hook_job_suspended(job);
	if (had_memory && !had_cores)
		tb_extra_write_nodes_of(job);
	/* Not when slurmctld itself ends. */
	if (!IS_JOB_SUSPENDED(job))
		tb_late_resume_forget(job);
}

void tb_hook_job_finished(job_record_t *job)
{
	if (tb_ledger_has(job))
		tb_learning_job_ended(job);
	tb_hook_job_ended(job);
}

void tb_hook_control_begins(void)
{
	tb_learning_file_begin();
}

/*
 * A backup controller that gives control back has no jobs and no connection to
 * the database until it takes control again.
 */
void tb_hook_control_ends(void)
{
	tb_learning_file_end();
	tb_metrics_file_end();
	tb_accounting_stop();
}

void tb_hook_job_changed(job_record_t *job)
{
	if (tb_job_books_hold_cores(job))
		tb_job_books_put(job);
	else if (IS_JOB_SUSPENDED(job))
		tb_hook_job_suspended(job);
	else
		tb_hook_job_ended(job);
}

void tb_hook_job_memory_reduced(job_record_t *job)
{
	tb_job_books_put_memory(job);
	if (tb_ledger_has(job))
		tb_consumption_put(job, time(NULL));
	tb_extra_is_outdated(job);
	tb_late_work_add(TB_LATE_NODES);
}

/* A bound job holds other cores than before, by the same request. */
static void show_resized(job_record_t *job)
{
	if (!job->job_resrcs || !tb_granted_is_bound(job))
		return;
	tb_job_record_renew_grant(job, site);
	if (tb_conf_job_record(site))
		tb_accounting_job_resized(job);
}

void tb_hook_job_resized(job_record_t *job, uint32_t node)
{
	tb_unit_tres_resized(job);
	tb_hook_job_changed(job);
	show_resized(job);
	/* The job's allocation does not have it any more. */
	tb_extra_write(node);
}

void tb_hook_job_expanding(job_record_t *from, job_record_t *to)
{
	tb_unit_tres_before_merge(from, to);
}

void tb_hook_job_expanded(job_record_t *from, job_record_t *to)
{
	tb_hook_job_changed(from);
	tb_hook_job_changed(to);
	tb_unit_tres_after_merge(to);
	show_resized(from);
	show_resized(to);
}

int tb_hook_job_may_resume(job_record_t *job)
{
	int rc;

	if (tb_job_books_may_return(job))
		return SLURM_SUCCESS;
	/* Paused for others: it waits for its turn, and for nobody's resume. */
	if (job->priority)
		return EBUSY;
	rc = tb_late_resume_wait(job);
	info("topobind: %pJ stays suspended: cores that it had are granted to others now; it is resumed when these have ended",
	     job);
	return rc;
}

bool tb_hook_job_holds(const job_record_t *job)
{
	return tb_ledger_has(job);
}

void tb_hook_job_resumed(job_record_t *job)
{
	tb_late_resume_forget(job);
	tb_job_books_put(job);
	if (tb_sharing_turns(job))
		tb_late_resume_in_turn(job);
}

/* A bound job's step that Slurm counts after plugins were asked, or NULL. */
static const step_record_t *step_to_count;

void tb_hook_step_start(step_record_t *step)
{
	struct tb_held_request held;

	step_to_count = NULL;
	if (tb_granted_find(step->job_ptr, &held)) {
		step_to_count = step;
		tb_step_place(step, &held.request);
		/* srun and slurmstepd are about to read it. */
		tb_job_record_restore_grant(step->job_ptr, site);
	}
	tb_held_request_release(&held);
}

void tb_hook_step_counted(void)
{
	if (step_to_count)
		tb_step_write_cores(step_to_count);
	step_to_count = NULL;
}

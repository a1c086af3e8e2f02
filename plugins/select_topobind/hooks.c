/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hooks.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/log.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/request/job_combinations.h"
#include "common/conf/conf.h"
#include "common/conf/conf_metrics.h"
#include "common/job/usage_record.h"
#include "common/soft/soft_record.h"
#include "core/request/prefer.h"
#include "select_topobind/show/accounting.h"
#include "select_topobind/order/consumption.h"
#include "select_topobind/request/changed_request.h"
#include "select_topobind/request/effective_request.h"
#include "select_topobind/request/expand.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/kept_request.h"
#include "select_topobind/answer/job_answer.h"
#include "select_topobind/late_resume.h"
#include "select_topobind/late_work.h"
#include "select_topobind/answer/plain_job.h"
#include "select_topobind/order/learning.h"
#include "select_topobind/order/learning_file.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/memory_books.h"
#include "select_topobind/books/unit_tres.h"
#include "select_topobind/show/metrics.h"
#include "select_topobind/show/metrics_file.h"
#include "select_topobind/nodes/conf_names.h"
#include "select_topobind/order/node_facts.h"
#include "select_topobind/order/node_network.h"
#include "select_topobind/order/node_order.h"
#include "select_topobind/order/site_policies.h"
#include "select_topobind/nodes/extra_writer.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/show/new_jobs.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/show/refusals.h"
#include "select_topobind/show/running_conf.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/show/job_record.h"
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

/*
 * A job that an administrator suspended has priority 0 and has given its cores
 * back.  One that the gang scheduler suspended still has them.
 */
static bool holds_cores(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) ||
	       (IS_JOB_SUSPENDED(job) && job->priority != 0);
}

/* A suspended job has its memory, whoever suspended it. */
static void put_memory(const job_record_t *job)
{
	struct tb_held_request held;
	bool local = tb_granted_find(job, &held) &&
		     tb_job_is_local(job, &held.request);

	tb_held_request_release(&held);
	tb_memory_books_put(job, local);
}

static int add_job(void *item, void *arg)
{
	job_record_t *job = item;
	bool bound = tb_granted_is_bound(job);

	(void)arg;
	if (IS_JOB_PENDING(job))
		tb_reasons_recovered(job);
	if (holds_cores(job) &&
	    tb_ledger_put(job, bound, tb_sharing_turns(job))) {
		tb_sharing_note(job);
		tb_consumption_put(job,
				   MAX(job->start_time, job->suspend_time));
	}
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		put_memory(job);
	tb_late_resume_recovered(job);
	if (bound && !IS_JOB_PENDING(job) && tb_conf_job_record(site))
		tb_accounting_job_recovered(job);
	return 0;
}

static int restore_record(void *item, void *arg)
{
	(void)arg;
	if (tb_ledger_is_bound(item))
		tb_job_record_restore_grant(item, site);
	return 0;
}

static bool may_have_cores_back(const job_record_t *job)
{
	const void *turns = tb_sharing_turns(job);
	bool bound = tb_granted_is_bound(job);

	return !tb_ledger_clashes(job, bound, turns) ||
	       (bound && tb_sharing_may_return(job));
}

static void rebuild_books(void)
{
	tb_kept_placements_forget();
	tb_accounting_reset();
	tb_reasons_reset();
	tb_ledger_reset();
	tb_sharing_reset();
	tb_memory_books_reset();
	tb_consumption_reset();
	tb_node_network_reset();
	tb_late_resume_reset(may_have_cores_back);
	tb_nodes_reset(site);
	tb_extra_writer_reset(site);
	if (job_list)
		list_for_each(job_list, add_job, NULL);
	tb_learning_reset();
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

static void show_request(const struct tb_effective_request *effective,
			 job_record_t *job)
{
	char *shown;

	if (!IS_JOB_PENDING(job))
		return;
	shown = tb_effective_request_print(effective);
	tb_job_record_set_request(job, shown);
	xfree(shown);
}

/* Why it waited until now was said of another binding. */
static bool take_change(job_record_t *job)
{
	bool changed = tb_changed_request_take(job, site);

	if (changed)
		tb_reasons_tell(job, NULL);
	return changed;
}

/* Slurm may not ask about it for long.  A wrong request is told when it does. */
static void show_new_job(job_record_t *job)
{
	struct tb_effective_request effective;
	bool changed = take_change(job);
	char *before;

	if (!job->details)
		return;
	before = xstrdup(job->system_comment);
	if (!tb_effective_request_find(&effective, site, job, NULL) &&
	    (changed || tb_request_binds(&effective.held.request)))
		show_request(&effective, job);
	if (xstrcmp(before, job->system_comment))
		last_job_update = time(NULL);
	xfree(before);
	tb_effective_request_clear(&effective);
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
	rebuild_books();
	tb_new_jobs_watch(show_new_job);
}

/*
 * Also called when a partition or a node has changed, or debug flags.  Then jobs may be
 * locked for reading only, and their records are as slurmctld wrote them.
 */
void tb_hook_reconfigure(void)
{
	rebuild_books();
	if (all_is_new && job_list)
		list_for_each(job_list, restore_record, NULL);
	all_is_new = false;
	tb_new_jobs_watch(show_new_job);
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

static int test_bound_request(struct tb_test *test,
			      const struct tb_request *request)
{
	if (tb_partition_can_bind(test->job))
		return tb_test_bound_job(test, request);
	if (tb_test_mode(test) == TB_TEST_ONLY)
		tb_refusals_info(
			"topobind: %pJ asks for a binding, which needs SelectTypeParameters=CR_Core, CR_Core_Memory, CR_CPU or CR_CPU_Memory",
			test->job);
	return SLURM_ERROR;
}

static int limit_expansion(struct tb_test *test,
			   const struct tb_effective_request *effective)
{
	char *binding;
	int rc;

	if (!test->job->details->expanding_jobid)
		return SLURM_SUCCESS;
	binding = tb_effective_request_print(effective);
	rc = tb_expand_limit(test, binding);
	xfree(binding);
	return rc;
}

/*
 * The client did not check the request, or the job was changed since.  In the
 * first case the submission is refused; in the second the job waits, and its
 * Reason says why.
 */
static int refuse_job(const struct tb_test *test, const struct tb_error *why)
{
	tb_metrics_refused(TB_REFUSED_REQUEST);
	if (tb_test_mode(test) == TB_TEST_ONLY)
		tb_refusals_info("topobind: %pJ refused: %s", test->job,
				 why->text);
	else
		tb_reasons_tell(test->job, why->text);
	return SLURM_ERROR;
}

/* An implicit binding is placed task by task; then the tasks share the units. */
static int test_request(struct tb_test *test,
			struct tb_effective_request *effective)
{
	struct tb_error why;

	if (!tb_request_binds(&effective->held.request))
		return tb_test_plain_job(test);
	if (tb_job_gpus_check(test->job, &effective->held.request, &why) ||
	    tb_job_isolation_check(site, test->job, &effective->held.request,
				   &why) ||
	    (!effective->implicit_cpus &&
	     tb_job_combinations_check(test->job, &effective->held.request,
				       false, &why)))
		return refuse_job(test, &why);
	test->implicit_cpus = effective->implicit_cpus;
	if (effective->implicit_cpus)
		effective->held.request.type = TB_SLOT;
	return test_bound_request(test, &effective->held.request);
}

static int test_effective(struct tb_test *test,
			  struct tb_effective_request *effective)
{
	struct tb_test call = *test;
	struct tb_node_choice choice;
	int rc = limit_expansion(&call, effective);
	struct tb_error why;

	if (rc != SLURM_SUCCESS)
		return rc;
	/* Not of a job that waits: features come and go. */
	if (tb_test_mode(test) == TB_TEST_ONLY &&
	    tb_request_check_features(&effective->held.request,
				      tb_feature_is_known, NULL, &why))
		return refuse_job(test, &why);
	if (tb_node_choice_find(&choice, site, test->job,
				&effective->held.request))
		call.choice = &choice;
	return test_request(&call, effective);
}

/* Before limits are looked at, whatever the answer will be. */
static void ask_for_units(const struct tb_test *test,
			  const struct tb_effective_request *effective)
{
	const struct tb_request *request = &effective->held.request;
	bool is_own = tb_request_binds(request) && !effective->implicit_cpus;

	tb_unit_tres_ask(test->job, is_own ? request : NULL,
			 tb_test_mode(test) == TB_TEST_ONLY);
}

/* The job can start, or will, and slurmctld is about to look at limits. */
static void count_units(const struct tb_test *test,
			const struct tb_effective_request *effective)
{
	struct tb_request request = effective->held.request;

	switch (tb_test_mode(test)) {
	case TB_RUN_NOW:
		tb_granted_settle(test->job, &request);
		tb_unit_tres_count(test->job, &request);
		break;
	case TB_WILL_RUN:
		if (!effective->implicit_cpus)
			tb_unit_tres_expect(test->job, &request, test->nodes);
		break;
	case TB_TEST_ONLY:
		break;
	}
}

/* Of a job with a binding, also of one whose request has an error. */
static int test_counted(struct tb_test *test,
			struct tb_effective_request *effective,
			const struct tb_error *wrong)
{
	struct tb_measure measure = tb_metrics_begin();
	int rc = wrong ? refuse_job(test, wrong)
		       : test_effective(test, effective);

	tb_metrics_end(&measure, test, rc);
	if (rc == SLURM_SUCCESS)
		count_units(test, effective);
	else if (!wrong && !effective->implicit_cpus)
		tb_unit_tres_wait(test->job, &effective->held.request);
	return rc;
}

int tb_hook_job_test(struct tb_test *test)
{
	struct tb_effective_request effective;
	struct tb_error why;
	int rc;

	if (!test->job->details)
		return EINVAL;
	if (tb_unit_tres_forget(test->job, &why))
		return refuse_job(test, &why);
	/* A job without nodes (burst buffers) has nothing to bind. */
	if (!test->max_nodes)
		return tb_test_plain_job(test);
	tb_nodes_freeze();
	take_change(test->job);
	if (tb_effective_request_find(&effective, site, test->job, &why)) {
		rc = test_counted(test, &effective, &why);
	} else {
		show_request(&effective, test->job);
		ask_for_units(test, &effective);
		rc = tb_request_binds(&effective.held.request)
			     ? test_counted(test, &effective, NULL)
			     : test_effective(test, &effective);
	}
	tb_effective_request_clear(&effective);
	tb_nodes_thaw();
	return rc;
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
	if (shown)
		last_job_update = time(NULL);
	if (shown && tb_conf_job_record(site))
		tb_accounting_job_started(job);
	xfree(shown);
	tb_effective_request_clear(&effective);
}

static void put_job(job_record_t *job)
{
	bool bound = tb_granted_is_bound(job);

	put_memory(job);
	if (!tb_ledger_put(job, bound, tb_sharing_turns(job)))
		return;
	tb_sharing_note(job);
	tb_consumption_put(job, time(NULL));
	tb_learning_nodes_changed(job);
	tb_late_resume_look();
	/* Nodes that the job gave back are still in its allocation. */
	tb_extra_write_nodes_of(job);
}

void tb_hook_job_suspended(job_record_t *job)
{
	/* A requeued job still has its request, but no grant. */
	if (IS_JOB_PENDING(job))
		tb_job_record_drop_grant(job);
	if (!tb_ledger_remove(job))
		return;
	tb_extra_write_nodes_of(job);
	tb_consumption_remove(job);
	tb_learning_nodes_changed(job);
	tb_late_resume_look();
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
	if (holds_cores(job))
		put_job(job);
	else if (IS_JOB_SUSPENDED(job))
		tb_hook_job_suspended(job);
	else
		tb_hook_job_ended(job);
}

void tb_hook_job_memory_reduced(job_record_t *job)
{
	put_memory(job);
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

	if (may_have_cores_back(job))
		return SLURM_SUCCESS;
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
	put_job(job);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_books.h"

#include <time.h>

#include "src/common/macros.h"

#include "select_topobind/books/extra_writer.h"
#include "select_topobind/books/late_resume.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/memory_books.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/order/consumption.h"
#include "select_topobind/order/learning.h"
#include "select_topobind/order/node_network.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/show/accounting.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/try/kept_placements.h"

bool tb_job_books_hold_cores(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) ||
	       (IS_JOB_SUSPENDED(job) && job->priority != 0);
}

void tb_job_books_put_memory(const job_record_t *job)
{
	struct tb_held_request held;
	bool local = tb_granted_find(job, &held) &&
		     tb_job_is_local(job, &held.request);

	tb_held_request_release(&held);
	tb_memory_books_put(job, local);
}

static int add_job(void *item, void *arg)
{
	const struct tb_conf *site = arg;
	job_record_t *job = item;
	bool bound = tb_granted_is_bound(job);

	if (IS_JOB_PENDING(job))
		tb_reasons_recovered(job);
	if (tb_job_books_hold_cores(job) &&
	    tb_ledger_put(job, bound, tb_sharing_turns(job))) {
		tb_sharing_note(job);
		tb_consumption_put(job,
				   MAX(job->start_time, job->suspend_time));
	}
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		tb_job_books_put_memory(job);
	tb_late_resume_recovered(job);
	if (bound && !IS_JOB_PENDING(job) && tb_conf_job_record(site))
		tb_accounting_job_recovered(job);
	return 0;
}

bool tb_job_books_may_return(const job_record_t *job)
{
	const void *turns = tb_sharing_turns(job);
	bool bound = tb_granted_is_bound(job);

	return !tb_ledger_clashes(job, bound, turns) ||
	       (bound && tb_sharing_may_return(job));
}

void tb_job_books_rebuild(const struct tb_conf *site)
{
	tb_kept_placements_forget();
	tb_accounting_reset();
	tb_reasons_reset();
	tb_ledger_reset();
	tb_sharing_reset();
	tb_memory_books_reset();
	tb_consumption_reset();
	tb_node_network_reset();
	tb_late_resume_reset(tb_job_books_may_return);
	tb_nodes_reset(site);
	tb_extra_writer_reset(site);
	if (job_list)
		list_for_each(job_list, add_job, (void *)site);
	tb_learning_reset();
}

void tb_job_books_put(job_record_t *job)
{
	bool bound = tb_granted_is_bound(job);

	tb_job_books_put_memory(job);
	if (!tb_ledger_put(job, bound, tb_sharing_turns(job)))
		return;
	tb_sharing_note(job);
	tb_consumption_put(job, time(NULL));
	tb_learning_nodes_changed(job);
	tb_late_resume_look();
	/* Nodes that the job gave back are still in its allocation. */
	tb_extra_write_nodes_of(job);
}

void tb_job_books_remove(job_record_t *job)
{
	if (!tb_ledger_remove(job))
		return;
	tb_extra_write_nodes_of(job);
	tb_consumption_remove(job);
	tb_learning_nodes_changed(job);
	tb_late_resume_look();
}

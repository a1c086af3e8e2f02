/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_test.h"

#include "src/common/xmalloc.h"

#include "core/request/prefer.h"
#include "job_answer.h"
#include "plain_job.h"
#include "select_topobind/books/unit_tres.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/order/node_facts.h"
#include "select_topobind/order/node_order.h"
#include "select_topobind/request/effective_request.h"
#include "select_topobind/request/expand.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/job_combinations.h"
#include "select_topobind/show/metrics.h"
#include "select_topobind/show/reasons.h"
#include "select_topobind/request/refusals.h"
#include "select_topobind/show/waiting_job.h"

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
static int test_request(struct tb_test *test, const struct tb_conf *site,
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
				       &why)))
		return refuse_job(test, &why);
	test->implicit_cpus = effective->implicit_cpus;
	if (effective->implicit_cpus)
		effective->held.request.type = TB_SLOT;
	return test_bound_request(test, &effective->held.request);
}

static int test_effective(struct tb_test *test, const struct tb_conf *site,
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
	return test_request(&call, site, effective);
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
static int test_counted(struct tb_test *test, const struct tb_conf *site,
			struct tb_effective_request *effective,
			const struct tb_error *wrong)
{
	struct tb_measure measure = tb_metrics_begin();
	int rc = wrong ? refuse_job(test, wrong)
		       : test_effective(test, site, effective);

	tb_metrics_end(&measure, test, rc);
	if (rc == SLURM_SUCCESS)
		count_units(test, effective);
	else if (!wrong && !effective->implicit_cpus)
		tb_unit_tres_wait(test->job, &effective->held.request);
	return rc;
}

int tb_job_test(struct tb_test *test, const struct tb_conf *site)
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
	tb_waiting_job_take_change(test->job, site);
	if (tb_effective_request_find(&effective, site, test->job, &why)) {
		rc = test_counted(test, site, &effective, &why);
	} else {
		tb_waiting_job_show(&effective, test->job);
		ask_for_units(test, &effective);
		rc = tb_request_binds(&effective.held.request)
			     ? test_counted(test, site, &effective, NULL)
			     : test_effective(test, site, &effective);
	}
	tb_effective_request_clear(&effective);
	tb_nodes_thaw();
	return rc;
}

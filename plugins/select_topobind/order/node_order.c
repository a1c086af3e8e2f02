/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_order.h"

#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "node_network.h"
#include "node_score.h"
#include "select_topobind/nodes/nodes.h"
#include "site_policies.h"

/* Does the job itself say how its nodes lie to each other? */
static bool wants_slurms_nodes(const job_record_t *job)
{
	return (job->bit_flags & SPREAD_JOB) || job->details->contiguous ||
	       job->req_switch;
}

bool tb_job_wants_least_loaded(const job_record_t *job)
{
	return !(job->bit_flags & SPREAD_JOB) &&
	       ((slurm_conf.select_type_param & SELECT_LLN) ||
		(job->part_ptr && (job->part_ptr->flags & PART_FLAG_LLN)));
}

/* What SLURM and DEFAULT mean for the job, and a plugin that is switched off. */
static void choose_for_kind(struct tb_node_choice *choice,
			    const job_record_t *job)
{
	bool bound = choice->bound;

	if (choice->policy == TB_ALLOCATE_PLUGIN &&
	    !tb_site_policy_works(choice->plugin))
		choice->policy = TB_ALLOCATE_DEFAULT;
	if (choice->policy != TB_ALLOCATE_DEFAULT &&
	    choice->policy != TB_ALLOCATE_SLURM)
		return;
	/* It sees the load of a node only where no cores are hidden from it. */
	if (bound && tb_job_wants_least_loaded(job))
		choice->policy = TB_ALLOCATE_LEASTLOADED;
	else if (!bound || wants_slurms_nodes(job))
		choice->policy = TB_ALLOCATE_SLURM;
}

bool tb_node_choice_find(struct tb_node_choice *choice,
			 const struct tb_conf *site, const job_record_t *job,
			 const struct tb_request *request)
{
	const char *partition = tb_job_partition(job);

	*choice = (struct tb_node_choice){
		.policy = tb_request_nodes(request,
					   tb_conf_allocation(site, partition)),
		.prefer = request->prefer,
		.function = tb_conf_priority(site, partition),
		.plugin = tb_conf_policy_plugin(site, partition),
		.site = site,
		.request = request,
		.bound = tb_request_binds(request),
	};
	choose_for_kind(choice, job);
	return tb_conf_enabled(site, partition) &&
	       (choice->policy != TB_ALLOCATE_SLURM || choice->prefer);
}

struct tb_node_need tb_node_need_of(const struct tb_test *test, uint64_t amount)
{
	bool in_blocks = test->choice &&
			 test->choice->policy == TB_ALLOCATE_CONTIGUOUS;

	return (struct tb_node_need){
		.amount = amount,
		.nodes = MAX(test->min_nodes, test->req_nodes),
		.most_nodes = test->max_nodes,
		.has_switches = tb_network_has_switches(),
		.network = in_blocks ? tb_node_network() : NULL,
	};
}

/* --- the candidates --------------------------------------------------------------- */

static void set_by_policy(struct tb_candidate *candidate,
			  const struct tb_node_facts *facts, uint32_t node)
{
	switch (facts->choice->policy) {
	case TB_ALLOCATE_CPULOAD:
		candidate->idle = tb_node_idle(node);
		break;
	case TB_ALLOCATE_BESTFIT:
	case TB_ALLOCATE_BESTTOPOLOGY:
		candidate->rest = tb_node_rest(facts, node);
		break;
	case TB_ALLOCATE_MINRESOURCE:
		candidate->size = tb_node_size(facts, node);
		break;
	case TB_ALLOCATE_MAXBALANCE:
	case TB_ALLOCATE_FASTEST:
		candidate->speed = tb_node_speed(facts, node);
		candidate->chance = tb_allocation_chance(facts->seed, node);
		break;
	case TB_ALLOCATE_PRIORITY:
		candidate->priority = tb_node_priority(facts, node);
		break;
	case TB_ALLOCATE_DEFAULT:
		candidate->weight = tb_node_weight(facts, node) >>
				    TB_TRIED_GPUS_BITS;
		break;
	case TB_ALLOCATE_LEASTLOADED:
		candidate->weight = tb_node_weight(facts, node);
		break;
	default:
		break;
	}
}

void tb_candidate_fill(struct tb_candidate *candidate,
		       const struct tb_node_facts *facts, uint32_t node)
{
	bitstr_t *required = facts->job->details->req_node_bitmap;

	*candidate = (struct tb_candidate){
		.node = node,
		.most = UINT64_MAX,
		.required = required && bit_test(required, node),
		.preferred = tb_node_preferred(facts, node),
		.gap = tb_node_times_gap(&facts->times, node, facts->end),
	};
	set_by_policy(candidate, facts, node);
}

/* The candidates of a test in the policy's order. */
struct row {
	const struct tb_order *order;
	const struct tb_test *test;
	struct tb_candidate *list;
	uint32_t count;
	uint32_t leaders; /* of the first so many it is known how the job fits */
	uint32_t enough; /* the first so many can hold the job, as far as is known */
	uint32_t least; /* to start now fewer of them cannot: they need not be tried */
	/* In place of test where a plugin was switched off meanwhile. */
	struct tb_test test_without;
	struct tb_node_choice choice_without;
};

/* All of them are tried, whatever is known. */
static uint32_t count_least(const struct row *row)
{
	uint64_t amount = row->order->need.amount, sum = 0;
	uint32_t least = 0;

	for (; sum < amount && least < row->count; least++)
		sum += MIN(row->list[least].most, amount);
	return least;
}

/* Of the leaders from this one on. */
static void describe_fits(const struct row *row, uint32_t first)
{
	const struct tb_order *order = row->order;

	for (uint32_t i = first; order->describe_fit && i < row->leaders; i++)
		order->describe_fit(order, row->test, &row->list[i]);
}

/* False: a plugin was switched off. */
static bool fill_row(struct row *row, const bitstr_t *nodes, time_t start)
{
	const struct tb_order *order = row->order;
	bool later = start > time(NULL), works;
	struct tb_node_facts facts;

	tb_node_facts_find(&facts, row->test, start);
	row->count = 0;
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		struct tb_candidate *candidate = &row->list[row->count];

		if (!bit_test((bitstr_t *)nodes, node))
			continue;
		tb_candidate_fill(candidate, &facts, node);
		order->describe(order, row->test, candidate, later);
		row->count++;
	}
	row->leaders = tb_allocation_leaders(row->test->choice->policy,
					     row->list, row->count,
					     &order->need);
	describe_fits(row, 0);
	works = tb_candidates_score(row->list, row->count, &facts,
				    &order->need);
	tb_node_facts_clear(&facts);
	return works;
}

static void go_on_without_plugin(struct row *row)
{
	row->choice_without = *row->test->choice;
	choose_for_kind(&row->choice_without, row->test->job);
	row->test_without = *row->test;
	row->test_without.choice = &row->choice_without;
	row->test = &row->test_without;
}

static void make_row(struct row *row, const bitstr_t *nodes, time_t start)
{
	row->list = xcalloc(bit_set_count((bitstr_t *)nodes) + 1,
			    sizeof(*row->list));
	if (!fill_row(row, nodes, start)) {
		go_on_without_plugin(row);
		fill_row(row, nodes, start);
	}
	row->enough = tb_allocation_order(row->test->choice->policy, row->list,
					  row->leaders, &row->order->need);
	row->least = count_least(row);
}

/* How many of the first nodes to try when so many did not suffice. */
static uint32_t widen_row(struct row *row, uint32_t tried)
{
	enum tb_allocation policy = row->test->choice->policy;
	uint32_t described = row->leaders;

	row->leaders = row->count;
	if (described < row->count) {
		describe_fits(row, described);
		tb_allocation_order(policy, row->list, row->count,
				    &row->order->need);
	}
	return tb_allocation_widen(policy, tried, row->count);
}

/* Try the first nodes of a row.  On success chosen has the chosen nodes. */
static int try_first(const struct row *row, uint32_t count, bitstr_t *chosen)
{
	bit_clear_all(chosen);
	for (uint32_t i = 0; i < count; i++)
		bit_set(chosen, row->list[i].node);
	return row->order->try(row->order, row->test, chosen);
}

/* --- to start now ----------------------------------------------------------------- */

/*
 * The first nodes up to accepted can hold the job, those up to refused cannot:
 * find the fewest that can.
 */
static int find_fewest(const struct row *row, uint32_t refused,
		       uint32_t accepted, bitstr_t *chosen)
{
	int rc = SLURM_SUCCESS;

	while (accepted - refused > 1) {
		uint32_t half = refused + (accepted - refused) / 2;

		rc = try_first(row, half, chosen);
		if (rc == SLURM_SUCCESS)
			accepted = half;
		else
			refused = half;
	}
	/* The job has the allocation of the last call. */
	return rc == SLURM_SUCCESS ? rc : try_first(row, accepted, chosen);
}

static int try_row(struct row *row, bitstr_t *chosen)
{
	enum tb_allocation policy = row->test->choice->policy;
	uint32_t tried = MAX(row->enough, row->least);
	uint32_t refused = tried > row->enough ? tried - 1 : 0;
	int rc = try_first(row, tried, chosen);

	while (rc != SLURM_SUCCESS && tried < row->count) {
		refused = tried;
		tried = widen_row(row, tried);
		rc = try_first(row, tried, chosen);
	}
	if (rc == SLURM_SUCCESS && refused && policy != TB_ALLOCATE_SLURM)
		rc = find_fewest(row, refused, tried, chosen);
	return rc;
}

static int try_now(const struct tb_order *order, const struct tb_test *test,
		   bitstr_t *nodes)
{
	struct tb_test call = *test;
	struct row row = { .order = order, .test = &call };
	bitstr_t *chosen = bit_copy(nodes);
	int rc;

	call.preemptees = NULL;
	make_row(&row, nodes, time(NULL));
	rc = try_row(&row, chosen);
	if (rc == SLURM_SUCCESS)
		bit_copybits(nodes, chosen);
	else if (test->preemptees)
		rc = order->try(order, test, nodes);
	FREE_NULL_BITMAP(chosen);
	xfree(row.list);
	return rc;
}

/* --- to start some time ------------------------------------------------------------ */

/*
 * No start is earlier than now, than the time that the question is about, or than the
 * units are free.
 */
static time_t find_soonest(const struct tb_test *test)
{
	time_t asked = tb_test_asked_start(test);

	return MAX(time(NULL), MAX(asked, test->units_free));
}

/* A start later than this is a refusal; for a start now, no other is looked for. */
static int try_first_by(const struct row *row, uint32_t count, time_t start,
			bitstr_t *chosen)
{
	job_record_t *job = row->test->job;
	uint64_t before = job->bit_flags & TEST_NOW_ONLY;
	int rc;

	if (MAX(start, find_soonest(row->test)) <= time(NULL))
		job->bit_flags |= TEST_NOW_ONLY;
	rc = try_first(row, count, chosen);
	job->bit_flags &= before | ~(uint64_t)TEST_NOW_ONLY;
	if (rc == SLURM_SUCCESS &&
	    job->start_time > MAX(start, find_soonest(row->test)))
		rc = SLURM_ERROR;
	return rc;
}

/* The first nodes that let the job start as early as all nodes do. */
static int try_row_by(struct row *row, time_t start, bitstr_t *chosen)
{
	int rc = SLURM_ERROR;

	for (uint32_t tried = row->enough;
	     rc != SLURM_SUCCESS && tried < row->count;
	     tried = widen_row(row, tried))
		rc = try_first_by(row, tried, start, chosen);
	return rc;
}

static bool would_preempt(const struct tb_test *test)
{
	return test->preempted && *test->preempted &&
	       list_count(*test->preempted);
}

/* Nobody knows the load at a later time. */
static void choose_policy_at(struct tb_node_choice *choice, time_t start)
{
	if (choice->policy == TB_ALLOCATE_CPULOAD && start > time(NULL))
		choice->policy = TB_ALLOCATE_MINRESOURCE;
}

/* If the first nodes allow the soonest start, they are chosen. */
static int try_soonest(const struct tb_order *order, const struct tb_test *test,
		       bitstr_t *nodes)
{
	struct tb_node_choice choice = *test->choice;
	struct tb_test call = *test;
	struct row row = { .order = order, .test = &call };
	bitstr_t *chosen = bit_copy(nodes);
	time_t soonest = find_soonest(test);
	int rc = SLURM_ERROR;

	choose_policy_at(&choice, soonest);
	call.choice = &choice;
	call.preemptees = NULL;
	make_row(&row, nodes, soonest);
	if (row.enough < row.count)
		rc = try_first_by(&row, row.enough, soonest, chosen);
	if (rc == SLURM_SUCCESS)
		bit_copybits(nodes, chosen);
	FREE_NULL_BITMAP(chosen);
	xfree(row.list);
	return rc;
}

/* The time is known: choose among the nodes that are free then. */
static int try_then(const struct tb_order *order, const struct tb_test *test,
		    time_t start, bitstr_t *nodes)
{
	struct tb_node_choice choice = *test->choice;
	struct tb_test call = *test;
	struct row row = { .order = order, .test = &call };
	bitstr_t *chosen = bit_copy(nodes);
	int rc;

	choose_policy_at(&choice, start);
	call.choice = &choice;
	call.preemptees = NULL;
	make_row(&row, nodes, start);
	rc = try_row_by(&row, start, chosen);
	if (rc == SLURM_SUCCESS)
		bit_copybits(nodes, chosen);
	FREE_NULL_BITMAP(chosen);
	xfree(row.list);
	return rc;
}

static int try_later(const struct tb_order *order, const struct tb_test *test,
		     bitstr_t *nodes)
{
	bitstr_t *chosen;
	time_t start;
	int rc;

	if (try_soonest(order, test, nodes) == SLURM_SUCCESS)
		return SLURM_SUCCESS;
	chosen = bit_copy(nodes);
	rc = order->try(order, test, chosen);
	/* An answer "now" can mean the time that the question is about. */
	start = MAX(test->job->start_time, find_soonest(test));
	if (rc != SLURM_SUCCESS || would_preempt(test))
		bit_copybits(nodes, chosen);
	/* The last call sets the job's start and its resources. */
	else if (try_then(order, test, start, nodes) != SLURM_SUCCESS)
		rc = order->try(order, test, nodes);
	FREE_NULL_BITMAP(chosen);
	return rc;
}

int tb_order_try(const struct tb_order *order, const struct tb_test *test,
		 bitstr_t *nodes)
{
	enum tb_mode mode = tb_test_mode(test);

	if (!test->choice || mode == TB_TEST_ONLY || !bit_set_count(nodes))
		return order->try(order, test, nodes);
	return mode == TB_RUN_NOW ? try_now(order, test, nodes)
				  : try_later(order, test, nodes);
}

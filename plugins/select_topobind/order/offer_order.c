/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offer_order.h"

#include <stdlib.h>
#include <time.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"

#include "node_score.h"
#include "select_topobind/nodes/cores_taken.h"
#include "select_topobind/try/offer_placement.h"
#include "select_topobind/try/offer_sets.h"
#include "select_topobind/try/scale.h"

/*
 * How many of the offered slots to look at: the job's share, where it does not
 * take all that a node has.
 */
static uint32_t count_described(const struct tb_offers *offers,
				const struct tb_test *test,
				const struct tb_offer *offer,
				const struct tb_node_need *need)
{
	uint64_t share = tb_node_need_share(need);

	return test->choice->policy == TB_ALLOCATE_DEFAULT &&
			       offers->request->type == TB_SLOT && share &&
			       share < offer->slots
		       ? (uint32_t)share
		       : offer->slots;
}

/* What the offered slots would do to the node. */
static void describe_fit(struct tb_offers *offers, const struct tb_test *test,
			 const struct tb_offer *offer, uint32_t slots,
			 struct tb_candidate *candidate)
{
	const struct tb_placed *placed = offer->placed;

	if (!placed || slots != offer->slots)
		placed = tb_offers_place(offers, test, offer,
					 tb_node_shape(offer->node), slots);
	candidate->diameter = placed->diameter;
	candidate->broken = placed->broken;
	candidate->left = placed->left;
}

/* As select/cons_tres counts it for a plain job: cores, whatever slots fit in. */
static double find_free_part(const struct tb_offers *offers,
			     const struct tb_test *test, uint32_t node)
{
	const struct tb_shape *shape = tb_node_shape(node);
	struct tb_bitset *taken = shape->scratch->cores;

	tb_node_taken(node, offers->view, test, taken);
	return (double)(shape->ncores - tb_bitset_count(taken)) / shape->ncores;
}

/* Where each task has devices of its own, no more than there are devices for. */
static uint64_t count_most(const struct tb_offers *offers,
			   const struct tb_test *test, uint32_t node)
{
	struct tb_devices_asked asked;

	if (tb_test_mode(test) != TB_RUN_NOW || test->implicit_cpus ||
	    offers->request->type != TB_SLOT ||
	    test->job->details->overcommit ||
	    !tb_devices_asked_one(offers->devices, &asked) || !asked.per_task ||
	    !tb_gres_places(test->job, 0, node))
		return UINT64_MAX;
	return tb_devices_count(offers->devices, node, offers->view) /
	       asked.per_task;
}

static void describe_offer(struct tb_offers *offers, const struct tb_test *test,
			   const struct tb_offer *offer,
			   const struct tb_node_need *need,
			   struct tb_candidate *candidate)
{
	candidate->holds = tb_offer_holds(offers, test, offer);
	candidate->most = count_most(offers, test, offer->node);
	if (tb_policy_looks_at_fit(test->choice->policy))
		describe_fit(offers, test, offer,
			     count_described(offers, test, offer, need),
			     candidate);
	if (test->choice->policy == TB_ALLOCATE_LEASTLOADED)
		candidate->free = find_free_part(offers, test, offer->node);
}

static int compare_nodes(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;

	return (a->node > b->node) - (a->node < b->node);
}

/* The offers of a class are in the order of their nodes. */
static void describe_candidate(const struct tb_order *order,
			       const struct tb_test *test,
			       struct tb_candidate *candidate, bool later)
{
	const struct tb_class_order *class = (const struct tb_class_order *)
		order;
	const struct tb_offer wanted = { .node = candidate->node };
	const struct tb_offer *offer = bsearch(&wanted,
					       class->offers->list +
						       class->first,
					       class->end - class->first,
					       sizeof(wanted), compare_nodes);

	/* Offers were made for the time that the test asks about. */
	(void)later;
	if (offer)
		describe_offer(class->offers, test, offer, &order->need,
			       candidate);
}

void tb_class_order_init(struct tb_class_order *class, struct tb_offers *offers,
			 const struct tb_test *test, uint32_t first,
			 uint32_t end)
{
	*class = (struct tb_class_order) {
		.order = {
			.need = tb_node_need_of(test, tb_job_slots(test->job)),
			.describe = describe_candidate,
		},
		.offers = offers, .first = first, .end = end,
	};
}

static int compare_classes(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;
	int order;

	if (a->class_rank != b->class_rank)
		return a->class_rank < b->class_rank ? -1 : 1;
	/* A node with units of several sizes is in several classes. */
	order = tb_classes_compare(a, b);
	return order ? order : compare_nodes(left, right);
}

/* The rank of a class is the first place of one of its nodes in the list. */
static void rank_classes(struct tb_offers *offers,
			 const struct tb_candidate *list)
{
	uint32_t *place = xcalloc(tb_node_count(), sizeof(*place));
	uint32_t first = 0, end;

	for (uint32_t i = 0; i < offers->count; i++)
		place[list[i].node] = i;
	for (; (end = tb_offers_class(offers, first)); first = end) {
		uint32_t best = offers->count;

		for (uint32_t i = first; i < end; i++)
			best = MIN(best, place[offers->list[i].node]);
		for (uint32_t i = first; i < end; i++)
			offers->list[i].class_rank = best;
	}
	xfree(place);
}

/* By default the smallest units that suffice come first, as without a policy. */
static bool policy_orders_classes(const struct tb_test *test)
{
	return test->choice && test->choice->policy != TB_ALLOCATE_DEFAULT;
}

void tb_order_classes(struct tb_offers *offers, const struct tb_test *test)
{
	const struct tb_node_need need =
		tb_node_need_of(test, tb_job_slots(test->job));
	struct tb_node_facts facts;
	struct tb_candidate *list;

	if (!policy_orders_classes(test) || offers->request->type == TB_HOST ||
	    tb_offers_class(offers, 0) == offers->count)
		return;
	tb_node_facts_find(&facts, test, time(NULL));
	list = xcalloc(offers->count, sizeof(*list));
	for (uint32_t i = 0; i < offers->count; i++) {
		const struct tb_offer *offer = &offers->list[i];

		tb_candidate_fill(&list[i], &facts, offer->node);
		describe_offer(offers, test, offer, &need, &list[i]);
	}
	/* Without a plugin that was switched off just now they stay as they are. */
	if (tb_candidates_score(list, offers->count, &facts, &need)) {
		tb_allocation_order(test->choice->policy, list, offers->count,
				    &need);
		rank_classes(offers, list);
		qsort(offers->list, offers->count, sizeof(*offers->list),
		      compare_classes);
	}
	xfree(list);
	tb_node_facts_clear(&facts);
}

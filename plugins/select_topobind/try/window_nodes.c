/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "window_nodes.h"

#include "core/base/memo.h"
#include "core/place/window_ever.h"

#include "select_topobind/books/cores_taken.h"

enum verdict { UNKNOWN, CAN_HOLD, CANNOT_HOLD };

static enum verdict judge(const struct tb_shape *shape,
			  const struct tb_request *request)
{
	struct tb_request there =
		tb_request_masked(request, tb_scratch_masked(shape->scratch));

	return there.amount <= tb_window_most_units(shape->topology, &there) &&
			       tb_window_can_hold(shape->placer, &there,
						  shape->scratch->used,
						  shape->by_thread)
		       ? CAN_HOLD
		       : CANNOT_HOLD;
}

/* Nodes that are alike are judged once. */
static bool can_hold(const struct tb_test *test,
		     const struct tb_request *request, uint32_t node,
		     struct tb_memo *memo)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job, request);
	struct tb_memo_key key = { .shape = shape ? shape->number : 0 };
	enum verdict *verdict = NULL;
	bool is_new;

	if (!shape)
		return true;
	tb_node_used(node, shape, NULL, test, shape->scratch);
	key.filter = tb_node_filter(node, shape, tb_job_filter(test->job));
	key.cores = shape->scratch->used;
	if (memo)
		verdict = tb_memo_find(memo, &key, &is_new);
	if (!verdict)
		return judge(shape, request) == CAN_HOLD;
	if (*verdict == UNKNOWN)
		*verdict = judge(shape, request);
	return *verdict == CAN_HOLD;
}

static uint32_t find_most(const struct tb_shape *shape,
			  const struct tb_filter *filter,
			  const struct tb_request *request)
{
	struct tb_request there;

	tb_node_mask(filter, shape, shape->scratch);
	there = tb_request_masked(request, tb_scratch_masked(shape->scratch));
	return tb_window_most_units(shape->topology, &there);
}

bitstr_t *tb_window_nodes(const struct tb_test *test,
			  const struct tb_request *request)
{
	bitstr_t *nodes = bit_copy(test->nodes);
	struct tb_memo *memo;

	if (!request->start && !request->stop)
		return nodes;
	memo = tb_memo_create(sizeof(enum verdict));
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(nodes, node) &&
		    !can_hold(test, request, node, memo))
			bit_clear(nodes, node);
	tb_memo_destroy(memo);
	return nodes;
}

void tb_window_limit_offers(struct tb_offers *offers,
			    const struct tb_request *request)
{
	const struct tb_filter *last_filter = NULL;
	const struct tb_shape *last = NULL;
	uint32_t most = UINT32_MAX;

	if (request->type == TB_HOST || !request->stop)
		return;
	for (uint32_t i = 0; i < offers->count; i++) {
		struct tb_offer *offer = &offers->list[i];
		const struct tb_shape *shape = tb_node_shape(offer->node);
		const struct tb_filter *filter = tb_node_filter(offer->node,
								shape,
								offers->filter);

		if (shape != last || filter != last_filter)
			most = find_most(shape, filter, request);
		last = shape;
		last_filter = filter;
		if ((uint64_t)offer->slots * request->amount <= most)
			continue;
		offer->slots = most / request->amount;
		offer->placed = NULL;
	}
}

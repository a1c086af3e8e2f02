/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offer_sets.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/suffice.h"

#include "offer_placement.h"

uint32_t tb_offers_class(const struct tb_offers *offers, uint32_t next)
{
	return tb_class_end(offers->request->type, offers->list, offers->count,
			    next);
}

uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end)
{
	return tb_class_cpus(offers->list, first, end);
}

static int compare_descending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

uint32_t tb_offer_holds(const struct tb_offers *offers,
			const struct tb_test *test,
			const struct tb_offer *offer)
{
	const job_details_t *details = test->job->details;
	const struct tb_asked asked = {
		.tasks_per_node = details->ntasks_per_node,
		.task_cpus = details->cpus_per_task,
		.overcommit = details->overcommit,
	};

	return tb_offer_tasks(offer, offers->request->type, &asked);
}

bool tb_offer_lacks_memory(const struct tb_test *test,
			   const struct tb_offer *offer, uint64_t in_use)
{
	const job_record_t *job = test->job;
	const node_record_t *node = node_record_table_ptr[offer->node];
	uint16_t counted = job->part_ptr && job->part_ptr->cr_type
				   ? job->part_ptr->cr_type
				   : slurm_conf.select_type_param;
	uint64_t wanted = job->details->pn_min_memory;
	uint64_t has = node->real_memory -
		       MIN(node->real_memory, node->mem_spec_limit);

	if (!(counted & SELECT_MEMORY) || job->mem_per_tres)
		return false;
	if (!wanted)
		wanted = has;
	else if (wanted & MEM_PER_CPU)
		wanted = (wanted & ~MEM_PER_CPU) * offer->cpus;
	return wanted + in_use > has;
}

static bool is_required(const struct tb_test *test, uint32_t node)
{
	bitstr_t *required = test->job->details->req_node_bitmap;

	return required && bit_test(required, node);
}

uint32_t tb_offers_hold(const struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end)
{
	bitstr_t *required = test->job->details->req_node_bitmap;
	struct tb_node_slots *list = xcalloc(end - first, sizeof(*list));
	uint64_t most;

	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];

		list[i - first] = (struct tb_node_slots){
			.slots = tb_offer_holds(offers, test, offer),
			.required = is_required(test, offer->node),
		};
	}
	most = tb_most_slots(list, end - first,
			     required ? bit_set_count(required) : 0,
			     test->max_nodes);
	xfree(list);
	return MIN(most, UINT32_MAX);
}

/* What a node that is not required holds must be at least so much, to be kept. */
struct cut {
	uint32_t holds;
	uint32_t equal; /* so many that hold just this are kept, too */
};

/* False: all can be kept, or none is larger than another. */
static bool find_cut(uint32_t *holds, uint32_t count, uint32_t kept,
		     struct cut *cut)
{
	if (count <= kept || !kept)
		return false;
	qsort(holds, count, sizeof(*holds), compare_descending);
	*cut = (struct cut){ .holds = holds[kept - 1] };
	for (uint32_t i = 0; i < kept; i++)
		cut->equal += holds[i] == cut->holds;
	return holds[0] > holds[count - 1];
}

static void keep_from_cut(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t first,
			  uint32_t end, struct cut cut, bitstr_t *nodes)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		uint32_t holds = tb_offer_holds(offers, test, offer);

		if (!bit_test(nodes, offer->node) ||
		    is_required(test, offer->node) || holds > cut.holds)
			continue;
		if (holds == cut.holds && cut.equal)
			cut.equal--;
		else
			bit_clear(nodes, offer->node);
	}
}

bool tb_offers_keep_largest(const struct tb_offers *offers,
			    const struct tb_test *test, uint32_t first,
			    uint32_t end, bitstr_t *nodes)
{
	uint32_t *holds = xcalloc(end - first, sizeof(*holds));
	uint32_t count = 0, required = 0;
	struct cut cut;
	bool found;

	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];

		if (!bit_test(nodes, offer->node))
			continue;
		if (is_required(test, offer->node))
			required++;
		else
			holds[count++] = tb_offer_holds(offers, test, offer);
	}
	found = find_cut(holds, count,
			 test->max_nodes > required ? test->max_nodes - required
						    : 0,
			 &cut);
	if (found)
		keep_from_cut(offers, test, first, end, cut, nodes);
	xfree(holds);
	return found;
}

void tb_allow_cores(uint32_t node, const struct tb_bitset *cores,
		    struct tb_mask *mask)
{
	unsigned first = tb_bitset_next(cores, 0);

	while (first < cores->nbits) {
		unsigned end = tb_bitset_next_clear(cores, first);

		tb_mask_allow(mask, node, first, end - first);
		first = tb_bitset_next(cores, end);
	}
}

/* Of each slot as many cores as are asked for. */
static void allow_unequal(struct tb_offers *offers, const struct tb_test *test,
			  const struct tb_offer *offer, struct tb_mask *mask)
{
	struct tb_shape *shape = tb_node_shape(offer->node);
	struct tb_scratch *scratch = shape->scratch;
	const struct tb_placed *placed = tb_offers_place_anew(offers, test,
							      offer, shape,
							      offer->slots,
							      scratch);

	for (uint32_t i = 0; i < placed->slots; i++) {
		uint32_t left = offer->cpus / offer->unequal;

		tb_placed_group(shape->placer, i, scratch->threads);
		tb_shape_cores(shape, scratch->threads, scratch->cores);
		TB_BITSET_EACH(core, scratch->cores) {
			if (left)
				left--;
			else
				tb_bitset_clear(scratch->cores, core);
		}
		tb_allow_cores(offer->node, scratch->cores, mask);
	}
}

void tb_offers_allow(struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, const bitstr_t *nodes,
		     struct tb_mask *mask)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		const struct tb_placed *placed = offer->placed;

		if (!bit_test((bitstr_t *)nodes, offer->node))
			continue;
		if (offer->unequal) {
			allow_unequal(offers, test, offer, mask);
			continue;
		}
		if (!placed)
			placed = tb_offers_place(offers, test, offer,
						 tb_node_shape(offer->node),
						 offer->slots);
		tb_allow_cores(offer->node, &placed->cores, mask);
	}
}

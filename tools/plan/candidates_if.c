/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidates_if.h"

#include <stdlib.h>

bool tb_candidates_have_units(const struct tb_candidates *candidates)
{
	struct tb_need need = candidates->need;
	struct tb_blockers *blockers;
	bool fits;

	if (!need.ndevices || candidates->required_closed)
		return tb_candidates_fits(candidates);
	need.ndevices = 0;
	blockers = tb_blockers_create(&need, candidates->open,
				      candidates->nopen, candidates->ends,
				      candidates->nholders);
	fits = blockers && tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	return fits;
}

/* The open nodes with memory; a required one without it leaves none. */
static unsigned list_with_memory(const struct tb_candidates *candidates,
				 struct tb_used_node *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (node->closed)
			continue;
		if (node->lacks_memory && node->required)
			return 0;
		if (node->lacks_memory)
			continue;
		list[count] = candidates->open[node->open];
		list[count++].memory = node->free_memory;
	}
	return count;
}

bool tb_candidates_have_memory(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nopen + 1,
					   sizeof(*list));
	struct tb_blockers *blockers;
	unsigned count;
	bool fits = true;

	if (tb_candidates_memory_is_local(candidates)) {
		free(list);
		return tb_blockers_fits(candidates->memory_blockers);
	}
	if (!list)
		return true;
	count = list_with_memory(candidates, list);
	blockers = tb_blockers_create(&candidates->need, list, count,
				      candidates->ends, candidates->nholders);
	if (blockers &&
	    (count < candidates->nopen || candidates->need.cpu_memory))
		fits = tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	free(list);
	return fits;
}

/* All that are open, and those out of service.  How many, of these only. */
static unsigned list_with_out(const struct tb_candidates *candidates,
			      struct tb_used_node *list)
{
	unsigned count = 0, out = 0;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (node->closed && !node->out_of_service)
			continue;
		list[count++] = tb_candidate_used(node);
		out += node->out_of_service;
	}
	return out;
}

bool tb_candidates_wait_for_nodes(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nnodes + 1,
					   sizeof(*list));
	struct tb_bitset *ended = tb_bitset_create(candidates->nholders);
	unsigned out = list ? list_with_out(candidates, list) : 0;
	struct tb_blockers *blockers = NULL;
	bool fits = false;
	int64_t when;

	if (out && (!candidates->required_closed || candidates->required_out))
		blockers = tb_blockers_create(&candidates->need, list,
					      candidates->nopen + out,
					      candidates->ends,
					      candidates->nholders);
	if (blockers && ended)
		fits = tb_blockers_find(blockers, ended, &when);
	tb_blockers_destroy(blockers);
	tb_bitset_destroy(ended);
	free(list);
	return fits;
}

/*
 * All nodes that the job may use some time, as if nobody used them.  False: there are
 * some of which this is not known.
 */
static bool list_as_idle(const struct tb_candidates *candidates,
			 struct tb_used_node *list, unsigned *count)
{
	*count = 0;
	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];
		bool lasting = node->closed && !node->out_of_service;

		if (node->for_now || (lasting && node->required))
			return false;
		if (lasting)
			continue;
		list[(*count)++] = tb_candidate_idle(node);
	}
	return true;
}

bool tb_candidates_could_ever_fit(const struct tb_candidates *candidates)
{
	struct tb_used_node *list = calloc(candidates->nnodes + 1,
					   sizeof(*list));
	struct tb_blockers *blockers = NULL;
	unsigned count = 0;
	bool fits = true;

	if (list && list_as_idle(candidates, list, &count) && count)
		blockers = tb_blockers_create(&candidates->need, list, count,
					      candidates->ends,
					      candidates->nholders);
	if (blockers)
		fits = tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	free(list);
	return fits;
}

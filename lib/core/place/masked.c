/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masked.h"

#include "core/request/parts.h"
#include "placer.h"

void tb_masked_units(const struct tb_topology *topology,
		     const struct tb_request *request,
		     struct tb_bitset *threads)
{
	tb_bitset_clear_all(threads);
	if (request->masked)
		tb_bitset_or(threads, request->masked);
	if (request->filter && tb_filter_matches(request->filter, topology))
		tb_filter_add(request->filter, topology, threads);
	tb_units_fill_up(topology, request->unit, threads);
}

static bool units_have_mask(const struct tb_topology *topology,
			    const struct tb_request *request,
			    const struct tb_bitset *granted,
			    const struct tb_bitset *masked, bool by_thread)
{
	const struct tb_bitset *of_kind =
		topology->kind_threads[request->unit.kind];
	enum tb_class class = tb_class_of_unit(topology, request->unit);
	uint32_t count;

	if (tb_bitset_count(granted) == topology->nthreads)
		return true;
	if (request->cpus)
		class = TB_CLASS_THREAD;
	if (class == TB_CLASS_THREAD && !by_thread)
		class = TB_CLASS_CORE;
	count = tb_run_below(topology, 0, class).count;
	for (uint32_t i = 0; i < count; i++) {
		struct tb_run run = tb_threads_of_object(topology, class, i);

		if (tb_object_has_kind(topology, class, i,
				       request->unit.kind) &&
		    tb_bitset_contains_range(granted, of_kind, run.first,
					     run.count) &&
		    !tb_object_runs_tasks(topology, class, i,
					  request->unit.kind, masked))
			return false;
	}
	return true;
}

/* A core of a larger unit can be masked as a whole, so one part suffices. */
bool tb_grant_has_mask(const struct tb_topology *topology,
		       const struct tb_request *request,
		       const struct tb_bitset *granted,
		       const struct tb_bitset *masked, bool by_thread)
{
	bool has = false;

	for (unsigned i = 0; i < tb_request_part_count(request) && !has; i++) {
		struct tb_request only = tb_request_only_part(request, i);

		has = units_have_mask(topology, &only, granted, masked,
				      by_thread);
	}
	return has;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "masked.h"

#include "placer.h"

bool tb_masked_hold_tasks(const struct tb_placer *placer,
			  const struct tb_request *request,
			  unsigned task_threads, struct tb_bitset *group,
			  struct tb_bitset *used)
{
	if (!placer->any_masked || request->type == TB_HOST || request->cpus)
		return true;
	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		tb_placed_group(placer, i, group);
		tb_placed_drop_masked(placer, group);
		if (tb_bitset_count(group) >= task_threads)
			continue;
		tb_units_add_masked(placer->topology, request->unit,
				    placer->masked, used);
		return false;
	}
	return true;
}

bool tb_grant_has_mask(const struct tb_topology *topology,
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "countable.h"

#include "core/topology/tree.h"
#include "mismatch.h"

/* Is any set of units as good as another, wherever they lie? */
static bool any_units_do(const struct tb_request *request)
{
	return request->amount && !request->cpus && !request->nparts &&
	       !request->start && !request->stop && !request->spread &&
	       !request->filter && !request->masked &&
	       request->equal == TB_EQUAL && request->unit.letter != 'T';
}

static bool are_nested(const struct tb_topology *topology, enum tb_class class)
{
	uint32_t levels = 0;

	for (uint32_t i = 0; i < topology->nlevels; i++)
		levels += tb_class_of_letter(topology->levels[i].letter) ==
			  class;
	return levels > 1;
}

static struct tb_run get_cores(const struct tb_topology *topology,
			       enum tb_class class, uint32_t object)
{
	return class == TB_CLASS_CORE
		       ? (struct tb_run){ object, 1 }
		       : tb_run_below(topology,
				      topology->objects[class][object],
				      TB_CLASS_CORE);
}

/* Cores of the kind in each unit, 0 where there is none.  False: they differ. */
static bool find_unit_cores(const struct tb_topology *topology,
			    enum tb_class class, enum tb_core_kind kind,
			    uint32_t *unit_cores)
{
	uint32_t objects = tb_run_below(topology, 0, class).count;

	*unit_cores = 0;
	for (uint32_t i = 0; i < objects; i++) {
		struct tb_run run = get_cores(topology, class, i);
		uint32_t cores =
			tb_bitset_count_range(topology->kind_cores[kind],
					      run.first, run.count);

		if (*unit_cores && cores && cores != *unit_cores)
			return false;
		*unit_cores = cores ? cores : *unit_cores;
	}
	return true;
}

bool tb_slots_are_countable(const struct tb_topology *topology,
			    const struct tb_request *request,
			    struct tb_countable *countable)
{
	enum tb_class class = tb_class_of_unit(topology, request->unit);

	*countable = (struct tb_countable){ .unit = request->unit,
					    .amount = request->amount };
	return any_units_do(request) && !are_nested(topology, class) &&
	       find_unit_cores(topology, class, request->unit.kind,
			       &countable->unit_cores);
}

/* Those of which no core is used. */
static uint32_t count_free_units(const struct tb_topology *topology,
				 struct tb_unit unit,
				 const struct tb_bitset *used)
{
	const struct tb_bitset *of_kind = topology->kind_cores[unit.kind];
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;
	uint32_t count = 0;

	if (class == TB_CLASS_CORE)
		return tb_bitset_count(of_kind) -
		       tb_bitset_count_both(of_kind, used);
	for (uint32_t i = 0; i < objects; i++) {
		struct tb_run run = get_cores(topology, class, i);

		count += tb_object_has_kind(topology, class, i, unit.kind) &&
			 !tb_bitset_intersects_range(used, of_kind, run.first,
						     run.count);
	}
	return count;
}

uint32_t tb_count_slots(const struct tb_topology *topology,
			const struct tb_request *request,
			const struct tb_countable *countable,
			const struct tb_bitset *used, uint32_t wanted)
{
	uint32_t slots;

	if (tb_find_mismatch(topology, request))
		return 0;
	if (request->type == TB_HOST && wanted)
		wanted = 1;
	slots = count_free_units(topology, countable->unit, used) /
		countable->amount;
	return slots < wanted ? slots : wanted;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slots.h"

#include "tree.h"
#include "unit.h"

/* Goes over the units that a grant holds wholly, in string order. */
struct units {
	const struct tb_topology *topology;
	const struct tb_bitset *granted;
	enum tb_class class;
	enum tb_core_kind kind;
	uint32_t next, objects;
};

static struct units units_of(const struct tb_topology *topology,
			     const struct tb_request *request,
			     const struct tb_bitset *granted)
{
	enum tb_class class = tb_class_of_unit(topology, request->unit);

	return (struct units){ topology, granted, class, request->unit.kind,
			       0, tb_run_below(topology, 0, class).count };
}

static bool holds(const struct units *units, uint32_t object)
{
	const struct tb_bitset *of_kind =
		units->topology->kind_threads[units->kind];
	struct tb_run run = tb_threads_of_object(units->topology, units->class,
						 object);
	unsigned thread = tb_bitset_next(of_kind, run.first);
	unsigned end = run.first + run.count;

	if (thread >= end)
		return false; /* no thread of the kind: not a unit */
	while (thread < end && tb_bitset_test(units->granted, thread))
		thread = tb_bitset_next(of_kind, thread + 1);
	return thread >= end;
}

/* The next unit; false at the end. */
static bool next_unit(struct units *units, uint32_t *unit)
{
	while (units->next < units->objects && !holds(units, units->next))
		units->next++;
	if (units->next == units->objects)
		return false;
	*unit = units->next;
	units->next = tb_object_after(units->topology, units->class, *unit);
	return true;
}

static unsigned count_units(const struct tb_topology *topology,
			    const struct tb_request *request,
			    const struct tb_bitset *granted)
{
	struct units units = units_of(topology, request, granted);
	unsigned count = 0;
	uint32_t unit;

	while (next_unit(&units, &unit))
		count++;
	return count;
}

static bool any_granted(const struct tb_bitset *cpus,
			const struct tb_bitset *granted)
{
	for (unsigned thread = tb_bitset_next(granted, 0);
	     thread < granted->nbits && thread < cpus->nbits;
	     thread = tb_bitset_next(granted, thread + 1))
		if (tb_bitset_test(cpus, thread))
			return true;
	return false;
}

/* The listed threads that are granted; a grant may be of whole cores. */
static void listed_threads(const struct tb_bitset *cpus,
			   const struct tb_bitset *granted,
			   struct tb_bitset *threads)
{
	unsigned both = cpus->nbits < granted->nbits ? cpus->nbits :
						       granted->nbits;

	tb_bitset_or_range(threads, cpus, 0, both);
	tb_bitset_and(threads, granted);
}

unsigned tb_slots_count(const struct tb_topology *topology,
			const struct tb_request *request,
			const struct tb_bitset *granted)
{
	unsigned slots;

	if (request->cpus)
		return any_granted(request->cpus, granted);
	if (!request->amount)
		return 0;
	slots = count_units(topology, request, granted) / request->amount;
	return request->type == TB_HOST && slots > 1 ? 1 : slots;
}

int tb_slots_get(const struct tb_topology *topology,
		 const struct tb_request *request,
		 const struct tb_bitset *granted, unsigned slot,
		 struct tb_bitset *threads)
{
	struct units units = units_of(topology, request, granted);
	unsigned amount = request->amount;
	uint32_t unit;

	tb_bitset_clear_all(threads);
	if (slot >= tb_slots_count(topology, request, granted))
		return -1;
	if (request->cpus) {
		listed_threads(request->cpus, granted, threads);
		return 0;
	}
	if (request->type == TB_HOST)
		amount = count_units(topology, request, granted);
	for (unsigned skip = slot * amount; skip > 0; skip--)
		next_unit(&units, &unit);
	for (; amount > 0 && next_unit(&units, &unit); amount--) {
		struct tb_run run = tb_threads_of_object(topology, units.class,
							 unit);

		tb_bitset_or_range(threads, topology->kind_threads[units.kind],
				   run.first, run.count);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For one unit to be had few uses of a node matter.  A capital stop is passed best
 * when all is in use but the unit, and what a capital start needs free; a small
 * start is found best when a single core is in use.  So these uses are tried with
 * the placement itself.
 */
#include "window_ever.h"

#include "core/base/text.h"
#include "core/topology/tree.h"
#include "placer.h"

#define NO_OBJECT UINT32_MAX
/* With pairs of a start object and a unit: about five milliseconds. */
#define TRIES_MAX 4096

struct ever {
	struct tb_placer *placer;
	const struct tb_topology *topology;
	struct tb_request one; /* unit of the request; borrows */
	const struct tb_bitset *taken;
	struct tb_bitset *used;
	enum tb_class unit_class; /* cores where others have whole ones */
	uint32_t tries;
};

static bool holds_unit(struct ever *ever)
{
	ever->tries++;
	tb_bitset_or(ever->used, ever->taken);
	return tb_place(ever->placer, &ever->one, ever->used, 1) > 0;
}

static uint32_t count_objects(const struct ever *ever, enum tb_class class)
{
	return class == TB_CLASSES
		       ? 0
		       : tb_run_below(ever->topology, 0, class).count;
}

/* A start has no thread in use, of either kind. */
static void free_start(struct ever *ever, enum tb_class class, uint32_t object)
{
	struct tb_run run;

	if (object == NO_OBJECT)
		return;
	run = tb_threads_of_object(ever->topology, class, object);
	tb_bitset_clear_range(ever->used, run.first, run.count);
}

/* Others can have its threads of the other kind. */
static void free_unit(struct ever *ever, uint32_t object)
{
	struct tb_run run;

	if (object == NO_OBJECT)
		return;
	run = tb_threads_of_object(ever->topology, ever->unit_class, object);
	tb_bitset_andnot_range(ever->used,
			       ever->topology->kind_threads[ever->one.unit.kind],
			       run.first, run.count);
}

/* All is in use but a start, or none, and each of the units in turn, or none. */
static bool holds_beside_start(struct ever *ever, uint32_t start)
{
	uint32_t units = count_objects(ever, ever->unit_class);

	for (uint32_t unit = 0; unit <= units; unit++) {
		tb_bitset_set_range(ever->used, 0, ever->used->nbits);
		free_start(ever, tb_class_of_letter(ever->one.start), start);
		free_unit(ever, unit < units ? unit : NO_OBJECT);
		if (ever->tries == TRIES_MAX || holds_unit(ever))
			return true;
	}
	return false;
}

static bool holds_when_full(struct ever *ever)
{
	uint32_t starts = count_objects(ever,
					tb_class_of_letter(ever->one.start));

	for (uint32_t start = 0; start < starts; start++)
		if (holds_beside_start(ever, start))
			return true;
	return !starts && holds_beside_start(ever, NO_OBJECT);
}

/* All is free but one of the cores, or threads, that others can have. */
static bool holds_with_one_used(struct ever *ever, enum tb_class class)
{
	uint32_t objects = count_objects(ever, class);

	for (uint32_t i = 0; i < objects; i++) {
		struct tb_run run = tb_threads_of_object(ever->topology, class,
							 i);

		tb_bitset_clear_all(ever->used);
		tb_bitset_set_range(ever->used, run.first, run.count);
		if (holds_unit(ever))
			return true;
	}
	return false;
}

static bool holds_ever(struct ever *ever, bool by_thread)
{
	char start = ever->one.start, stop = ever->one.stop;

	tb_bitset_clear_all(ever->used);
	if (holds_unit(ever) ||
	    holds_with_one_used(ever,
				by_thread ? TB_CLASS_THREAD : TB_CLASS_CORE) ||
	    holds_when_full(ever))
		return true;
	/* In other uses the sorted objects come in another order. */
	return *ever->one.sort && start && start != stop;
}

bool tb_window_can_hold(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_bitset *taken, bool by_thread)
{
	struct ever ever = { .placer = placer,
			     .topology = placer->topology,
			     .one = *request,
			     .taken = taken };
	bool holds = true;

	if (request->cpus || !(request->start || request->stop) ||
	    tb_find_mismatch(placer->topology, request))
		return true;
	ever.one.amount = 1;
	ever.one.type = TB_SLOT;
	ever.one.strategy = TB_LINEAR;
	ever.unit_class = tb_class_of_unit(placer->topology, request->unit);
	if (ever.unit_class == TB_CLASS_THREAD && !by_thread)
		ever.unit_class = TB_CLASS_CORE;
	ever.used = tb_bitset_create(placer->topology->nthreads);
	if (ever.used)
		holds = holds_ever(&ever, by_thread);
	tb_bitset_destroy(ever.used);
	return holds;
}

static bool is_capital(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

static bool has_one_kind(const struct tb_topology *topology)
{
	return !tb_bitset_count(topology->kind_threads[TB_POWER]) ||
	       !tb_bitset_count(topology->kind_threads[TB_EFFICIENCY]);
}

/* Is one of the objects of the class in this run of threads? */
static bool is_in_run(const struct tb_topology *topology, enum tb_class class,
		      struct tb_run run)
{
	uint32_t count = tb_run_below(topology, 0, class).count;

	for (uint32_t i = 0; i < count; i++) {
		struct tb_run object = tb_threads_of_object(topology, class, i);

		if (object.first >= run.first &&
		    object.first + object.count <= run.first + run.count)
			return true;
	}
	return false;
}

static bool is_in_all(const struct tb_topology *topology, enum tb_class class,
		      enum tb_class unit_class)
{
	uint32_t units = tb_run_below(topology, 0, unit_class).count;

	for (uint32_t i = 0; i < units; i++)
		if (!is_in_run(topology, class,
			       tb_threads_of_object(topology, unit_class, i)))
			return false;
	return true;
}

/* Do the objects in a run of threads have all of them? */
static bool covers_run(const struct tb_topology *topology, enum tb_class class,
		       struct tb_run run)
{
	uint32_t count = tb_run_below(topology, 0, class).count, covered = 0;

	for (uint32_t i = 0; i < count;) {
		struct tb_run object = tb_threads_of_object(topology, class, i);

		if (object.first < run.first ||
		    object.first + object.count > run.first + run.count) {
			i++;
			continue;
		}
		covered += object.count;
		i = tb_object_after(topology, class, i);
	}
	return covered == run.count;
}

static bool covers_all(const struct tb_topology *topology, enum tb_class class,
		       enum tb_class unit_class)
{
	uint32_t units = tb_run_below(topology, 0, unit_class).count;

	for (uint32_t i = 0; i < units; i++)
		if (!covers_run(topology, class,
				tb_threads_of_object(topology, unit_class, i)))
			return false;
	return true;
}

/* Of the other kind of core there is nothing in a unit. */
static bool is_of_kind(char letter, enum tb_core_kind kind)
{
	return letter == 'C'   ? kind == TB_POWER
	       : letter == 'E' ? kind == TB_EFFICIENCY
			       : true;
}

/*
 * What is in an available unit is free: before a second one it ends the window.  Where
 * threads are masked, some unit has no other thread in an object that could, unless
 * these have all of its threads.
 */
uint32_t tb_window_most_units(const struct tb_topology *topology,
			      const struct tb_request *request)
{
	enum tb_class class, unit_class;

	if (request->cpus || !is_capital(request->stop) ||
	    request->start == request->stop || !has_one_kind(topology) ||
	    !is_of_kind(request->stop, request->unit.kind))
		return UINT32_MAX;
	class = tb_class_of_letter(request->stop);
	unit_class = tb_class_of_unit(topology, request->unit);
	if (class == TB_CLASSES || !is_in_all(topology, class, unit_class) ||
	    ((request->masked || request->filter) &&
	     !covers_all(topology, class, unit_class)))
		return UINT32_MAX;
	return 1;
}

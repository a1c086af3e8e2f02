/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "units.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "components.h"
#include "ledger.h"
#include "nodes.h"

struct tb_units {
	struct tb_unit unit;
	/* By the first core of each unit, at its place among all cores. */
	uint32_t *jobs;
	uint32_t *last; /* the last job that was counted, by its number */
	uint32_t job;   /* the number of the one being counted, from 1 */
	uint32_t fewest;
	/* The shape last looked at, and the first core of each core's unit. */
	const struct tb_shape *shape;
	uint32_t *unit_of;
};

struct tb_units *tb_units_create(struct tb_unit unit)
{
	struct tb_units *units = xmalloc(sizeof(*units));

	units->unit = unit;
	units->jobs = xcalloc(tb_all_cores() + 1, sizeof(*units->jobs));
	units->last = xcalloc(tb_all_cores() + 1, sizeof(*units->last));
	return units;
}

void tb_units_destroy(struct tb_units *units)
{
	if (!units)
		return;
	xfree(units->jobs);
	xfree(units->last);
	xfree(units->unit_of);
	xfree(units);
}

/* Threads into cores: a unit of threads is as good as its core here. */
static uint32_t *unit_of_cores(struct tb_shape *shape, struct tb_unit unit)
{
	uint32_t *of_threads = xcalloc(shape->threads->nbits,
				       sizeof(*of_threads));
	uint32_t *of_cores = xcalloc(shape->cores->nbits, sizeof(*of_cores));
	uint32_t *core_of = xcalloc(shape->threads->nbits, sizeof(*core_of));

	tb_units_of_threads(shape->topology, unit, of_threads);
	for (uint32_t core = 0; core < shape->cores->nbits; core++) {
		tb_bitset_clear_all(shape->cores);
		tb_bitset_set(shape->cores, core);
		tb_shape_threads(shape, shape->cores, shape->threads);
		for (unsigned thread = tb_bitset_next(shape->threads, 0);
		     thread < shape->threads->nbits;
		     thread = tb_bitset_next(shape->threads, thread + 1))
			core_of[thread] = core;
		of_cores[core] = of_threads[tb_bitset_next(shape->threads, 0)];
	}
	for (uint32_t core = 0; core < shape->cores->nbits; core++)
		if (of_cores[core] != TB_NO_UNIT)
			of_cores[core] = core_of[of_cores[core]];
	xfree(of_threads);
	xfree(core_of);
	return of_cores;
}

/* The place of the unit that has this core; false: it is in none. */
static bool find_unit(struct tb_units *units, uint32_t node, uint32_t core,
		      uint32_t *place)
{
	struct tb_shape *shape = tb_node_shape(node);

	if (!shape)
		return false;
	if (shape != units->shape) {
		xfree(units->unit_of);
		units->unit_of = unit_of_cores(shape, units->unit);
		units->shape = shape;
	}
	if (core >= shape->cores->nbits || units->unit_of[core] == TB_NO_UNIT)
		return false;
	*place = tb_node_first_core(node) + units->unit_of[core];
	return true;
}

static void count_core(uint32_t node, uint32_t core, void *arg)
{
	struct tb_units *units = arg;
	uint32_t place;

	if (!find_unit(units, node, core, &place) ||
	    units->last[place] == units->job)
		return;
	units->last[place] = units->job;
	units->jobs[place]++;
}

static int count_component(void *job, void *units)
{
	tb_ledger_visit(job, count_core, units);
	return 0;
}

void tb_units_add_job(struct tb_units *units, job_record_t *job)
{
	units->job++;
	tb_for_each_component(job, count_component, units);
}

static void look_for_fewest(uint32_t node, uint32_t core, void *arg)
{
	struct tb_units *units = arg;
	uint32_t place;

	if (find_unit(units, node, core, &place))
		units->fewest = MIN(units->fewest, units->jobs[place]);
}

static int look_at_component(void *job, void *units)
{
	tb_ledger_visit(job, look_for_fewest, units);
	return 0;
}

uint32_t tb_units_company(struct tb_units *units, job_record_t *job)
{
	units->fewest = UINT32_MAX;
	tb_for_each_component(job, look_at_component, units);
	return units->fewest;
}

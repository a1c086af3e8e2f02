/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_sharers.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "select_topobind/request/hetjob.h"
#include "ledger.h"
#include "select_topobind/nodes/nodes.h"

struct tb_unit_sharers {
	struct tb_unit unit;
	/* By the first core of a unit, by its number among all cores. */
	uint32_t *jobs;
	uint32_t *last; /* the last job that was counted, by its number */
	uint32_t job;	/* the number of the one being counted, from 1 */
	uint32_t fewest;
	/* The shape of the last node, and the first core of each core's unit. */
	const struct tb_shape *shape;
	uint32_t *unit_of;
};

struct tb_unit_sharers *tb_unit_sharers_create(struct tb_unit unit)
{
	struct tb_unit_sharers *units = xmalloc(sizeof(*units));

	units->unit = unit;
	units->jobs = xcalloc(tb_all_cores() + 1, sizeof(*units->jobs));
	units->last = xcalloc(tb_all_cores() + 1, sizeof(*units->last));
	return units;
}

void tb_unit_sharers_destroy(struct tb_unit_sharers *units)
{
	if (!units)
		return;
	xfree(units->jobs);
	xfree(units->last);
	xfree(units->unit_of);
	xfree(units);
}

/* The first core of each core's unit; a unit of threads counts as its core. */
static uint32_t *find_units_of_cores(const struct tb_shape *shape,
				     struct tb_unit unit)
{
	unsigned threads = tb_topology_threads(shape->topology);
	uint32_t *of_threads = xcalloc(threads, sizeof(*of_threads));
	uint32_t *of_cores = xcalloc(shape->ncores, sizeof(*of_cores));
	uint32_t *core_of = xcalloc(threads, sizeof(*core_of));

	tb_units_of_threads(shape->topology, unit, of_threads);
	for (uint32_t core = 0; core < shape->ncores; core++) {
		struct tb_thread_range own = tb_shape_core_threads(shape, core);

		for (uint32_t i = 0; i < own.count; i++)
			core_of[own.first + i] = core;
		of_cores[core] = of_threads[own.first];
	}
	for (uint32_t core = 0; core < shape->ncores; core++)
		if (of_cores[core] != TB_NO_UNIT)
			of_cores[core] = core_of[of_cores[core]];
	xfree(of_threads);
	xfree(core_of);
	return of_cores;
}

/* The number of the unit that has this core; false: it is in none. */
static bool find_unit(struct tb_unit_sharers *units, uint32_t node,
		      uint32_t core, uint32_t *place)
{
	struct tb_shape *shape = tb_node_shape(node);

	if (!shape)
		return false;
	if (shape != units->shape) {
		xfree(units->unit_of);
		units->unit_of = find_units_of_cores(shape, units->unit);
		units->shape = shape;
	}
	if (core >= shape->ncores || units->unit_of[core] == TB_NO_UNIT)
		return false;
	*place = tb_node_first_core(node) + units->unit_of[core];
	return true;
}

static void count_core(uint32_t node, uint32_t core, void *arg)
{
	struct tb_unit_sharers *units = arg;
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

void tb_unit_sharers_add_job(struct tb_unit_sharers *units, job_record_t *job)
{
	units->job++;
	tb_for_each_component(job, count_component, units);
}

static void look_for_fewest(uint32_t node, uint32_t core, void *arg)
{
	struct tb_unit_sharers *units = arg;
	uint32_t place;

	if (find_unit(units, node, core, &place))
		units->fewest = MIN(units->fewest, units->jobs[place]);
}

static int look_at_component(void *job, void *units)
{
	tb_ledger_visit(job, look_for_fewest, units);
	return 0;
}

uint32_t tb_unit_sharers_fewest(struct tb_unit_sharers *units,
				job_record_t *job)
{
	units->fewest = UINT32_MAX;
	tb_for_each_component(job, look_at_component, units);
	return units->fewest;
}

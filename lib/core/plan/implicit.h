/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * implicit.h - how many tasks of a job that the site binds a node holds
 *
 * Such a job has asked for CPUs, not for units.  A task needs as many units as hold
 * its CPUs, by the first unit that it could have on the node; and the tasks of a node
 * have their units together, placed once as for btype=host.
 */
#ifndef TB_CORE_PLAN_IMPLICIT_H
#define TB_CORE_PLAN_IMPLICIT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/place/place.h"
#include "core/request/request.h"

#include "booked.h"
#include "halving.h"

/* Units of one task.  A unit has at least one CPU. */
uint32_t tb_implicit_units(uint32_t task_cpus, uint32_t unit_cpus);

/* Units of so many tasks, or the largest number. */
uint32_t tb_implicit_units_of(uint32_t tasks, uint32_t units);

/*
 * How a node places tasks that need so many of its available units each.  More units than
 * those of all tasks need not be counted.
 */
struct tb_implicit_tasks {
	uint32_t units, available;
	uint32_t most; /* for so many there are devices; UINT32_MAX: for any number */
	bool near; /* all units must be near these */
	/* Places the units of all of them together; does that fit? */
	tb_fits together;
	/*
	 * Places each by itself; as many of them as it returns.  Only where all are
	 * near.
	 */
	uint32_t (*apart)(void *arg, uint32_t tasks);
	void *arg; /* of both */
};

/*
 * Place as many of the tasks as fit; how many.  Together their units are taken where
 * they lie closest, which can be near too few devices: then each has its own, if more
 * fit so.
 */
uint32_t tb_implicit_place_tasks(const struct tb_implicit_tasks *how,
				 uint32_t tasks);

/*
 * Place as many of the tasks as fit beside used; nothing is shared and near nothing.
 * The amount of the request does not count.  Returns how
 * many; *units is how many units each has, 0 where no unit is free.
 */
uint32_t tb_implicit_place(struct tb_placer *placer,
			   const struct tb_request *request,
			   const struct tb_books *books,
			   const struct tb_bitset *used, uint32_t task_cpus,
			   uint32_t tasks, uint32_t *units);

#endif

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

#include <stdint.h>

#include "core/base/bitset.h"
#include "core/place/place.h"
#include "core/request/request.h"

#include "booked.h"
#include "halving.h"

/* Units of one task.  A unit has at least one CPU. */
uint32_t tb_implicit_units(uint32_t task_cpus, uint32_t unit_cpus);

/*
 * How many of the tasks fit, when each needs so many of the available units.  fits is
 * asked with arg for numbers of tasks; what it placed last need not be the result.
 */
uint32_t tb_implicit_most(uint32_t tasks, uint32_t units, uint32_t available,
			  tb_fits fits, void *arg);

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

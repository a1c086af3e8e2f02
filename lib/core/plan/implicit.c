/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "implicit.h"

#include "core/place/placer.h"

uint32_t tb_implicit_units(uint32_t task_cpus, uint32_t unit_cpus)
{
	return (task_cpus + unit_cpus - 1) / unit_cpus;
}

uint32_t tb_implicit_most(uint32_t tasks, uint32_t units, uint32_t available,
			  tb_fits fits, void *arg)
{
	uint32_t room = available / units;

	return tb_halve_most(fits, arg, 0, tasks < room ? tasks : room);
}

struct placing {
	struct tb_placer *placer;
	struct tb_request together; /* borrows */
	const struct tb_books *books;
	const struct tb_bitset *used;
	uint32_t units; /* of a task */
};

static bool place_tasks(void *arg, uint32_t tasks)
{
	struct placing *placing = arg;

	placing->together.amount = tasks * placing->units;
	return tb_place(placing->placer, &placing->together, placing->used,
			tasks) > 0;
}

static uint32_t count_cpus_of_unit(struct placing *placing)
{
	struct tb_request one = placing->together; /* borrows */

	one.type = TB_SLOT;
	one.amount = 1;
	if (tb_place(placing->placer, &one, placing->used, 1) <= 0)
		return 0;
	return tb_booked_runs(placing->books, &one, placing->placer->topology,
			      tb_placed_threads(placing->placer),
			      tb_placed_masked(placing->placer));
}

uint32_t tb_implicit_place(struct tb_placer *placer,
			   const struct tb_request *request,
			   const struct tb_books *books,
			   const struct tb_bitset *used, uint32_t task_cpus,
			   uint32_t tasks, uint32_t *units)
{
	struct placing placing = { .placer = placer,
				   .together = *request,
				   .books = books,
				   .used = used };
	uint32_t cpus, available;

	*units = 0;
	placing.together.type = TB_HOST;
	cpus = count_cpus_of_unit(&placing);
	if (!cpus)
		return 0;
	*units = placing.units = tb_implicit_units(task_cpus, cpus);
	available = tb_units_available(placer->topology, request->unit, used,
				       request->masked);
	tasks = tb_implicit_most(tasks, *units, available, place_tasks,
				 &placing);
	return tasks && place_tasks(&placing, tasks) ? tasks : 0;
}

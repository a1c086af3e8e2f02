/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "implicit.h"

#include "core/place/placer.h"

uint32_t tb_implicit_units(uint32_t task_cpus, uint32_t unit_cpus)
{
	return (task_cpus + unit_cpus - 1) / unit_cpus;
}

uint32_t tb_implicit_units_of(uint32_t tasks, uint32_t units)
{
	return tasks < UINT32_MAX / units ? tasks * units : UINT32_MAX;
}

/* The more tasks there are, the more units and devices they need. */
struct trying {
	const struct tb_implicit_tasks *how;
	uint32_t placed; /* the tasks of the last placement */
};

static bool tasks_fit(void *arg, uint32_t tasks)
{
	struct trying *trying = arg;

	if (tasks > trying->how->most)
		return false;
	trying->placed = tasks;
	return trying->how->together(trying->how->arg, tasks);
}

uint32_t tb_implicit_place_tasks(const struct tb_implicit_tasks *how,
				 uint32_t tasks)
{
	struct trying trying = { how, 0 };
	uint32_t room = how->available / how->units, most;

	room = tasks < room ? tasks : room;
	most = tb_halve_most(tasks_fit, &trying, 0, room);
	if (how->near && most < room && most < how->most) {
		uint32_t apart = how->apart(how->arg, tasks);

		if (apart > most)
			return apart;
		trying.placed = 0;
	}
	if (most && trying.placed != most)
		how->together(how->arg, most);
	return most;
}

struct placing {
	struct tb_placer *placer;
	struct tb_request together; /* borrows */
	const struct tb_books *books;
	const struct tb_bitset *used;
	uint32_t units; /* of a task */
};

static bool place_together(void *arg, uint32_t tasks)
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
	struct tb_implicit_tasks how = { .most = UINT32_MAX,
					 .together = place_together,
					 .arg = &placing };
	uint32_t cpus;

	*units = 0;
	placing.together.type = TB_HOST;
	cpus = count_cpus_of_unit(&placing);
	if (!cpus)
		return 0;
	*units = placing.units = how.units = tb_implicit_units(task_cpus, cpus);
	how.available = tb_units_available_to(placer->topology, request->unit,
					      used, request->masked,
					      tb_implicit_units_of(tasks,
								   how.units));
	return tb_implicit_place_tasks(&how, tasks);
}

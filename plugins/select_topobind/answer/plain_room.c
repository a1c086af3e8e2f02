/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain_room.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "select_topobind/books/ledger.h"
#include "select_topobind/request/hetjob.h"

struct room {
	const struct tb_test *test;
	bitstr_t *held;	 /* cores of all nodes that bound jobs have */
	uint32_t *cpus;	 /* by node of the test: those that they do not have */
	uint32_t least;	 /* CPUs that the job needs on each of its nodes */
	uint32_t nodes;	 /* that have so many */
	uint64_t amount; /* CPUs of all nodes */
};

/* A task is on one node. */
static uint32_t count_least_cpus(const struct tb_test *test)
{
	const job_details_t *details = test->job->details;

	if (details->overcommit)
		return 1;
	if (test->max_nodes == 1 && details->min_cpus != NO_VAL)
		return MAX(details->min_cpus, 1);
	return details->cpus_per_task == NO_VAL16
		       ? 1
		       : MAX(details->cpus_per_task, 1);
}

static void set_room(struct room *room, const struct tb_test *test)
{
	*room = (struct room){
		.test = test,
		.held = bit_alloc(tb_all_cores() + 1),
		.cpus = xcalloc(tb_node_count() + 1, sizeof(*room->cpus)),
		.least = count_least_cpus(test),
	};
	for (uint32_t node = 0; node < tb_node_count(); node++) {
		const node_record_t *record = node_record_table_ptr[node];

		if (!bit_test(test->nodes, node))
			continue;
		room->cpus[node] = record->tot_cores * MAX(record->tpc, 1);
		room->amount += room->cpus[node];
		room->nodes += room->cpus[node] >= room->least;
	}
}

/* Several jobs can have a core. */
static void take_core(uint32_t node, uint32_t core, void *arg)
{
	struct room *room = arg;
	uint32_t at = tb_node_first_core(node) + core;
	uint32_t threads = MAX(node_record_table_ptr[node]->tpc, 1);

	if (!room->cpus[node] || bit_test(room->held, at))
		return;
	bit_set(room->held, at);
	room->nodes -= room->cpus[node] >= room->least;
	room->cpus[node] -= threads;
	room->nodes += room->cpus[node] >= room->least;
	room->amount -= threads;
}

static bool room_suffices(const struct room *room)
{
	const job_details_t *details = room->test->job->details;

	if (room->nodes < room->test->min_nodes)
		return false;
	return details->overcommit || details->min_cpus == NO_VAL ||
	       room->amount >= details->min_cpus;
}

static int take_job(void *job, void *room)
{
	tb_ledger_visit(job, take_core, room);
	return 0;
}

uint32_t tb_plain_room_ends(const struct tb_test *test,
			    const struct tb_job_ends *ends)
{
	uint32_t ended = ends->count;
	struct room room;

	set_room(&room, test);
	/* From the last on: what those have that have not ended. */
	while (ended && room_suffices(&room)) {
		tb_for_each_component(ends->list[ended - 1].job, take_job,
				      &room);
		if (room_suffices(&room))
			ended--;
	}
	FREE_NULL_BITMAP(room.held);
	xfree(room.cpus);
	return ended;
}

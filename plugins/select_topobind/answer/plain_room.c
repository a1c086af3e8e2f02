/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plain_room.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "select_topobind/books/holders.h"
#include "select_topobind/books/ledger.h"
#include "select_topobind/books/one_row.h"
#include "select_topobind/books/sharing.h"
#include "select_topobind/request/hetjob.h"

struct room {
	const struct tb_test *test;
	uint64_t *held;	 /* cores of all nodes that are taken (holders.h) */
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
		.held = xcalloc(tb_first_word_of_node(tb_node_count()) + 1,
				sizeof(*room->held)),
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

static void clear_room(struct room *room)
{
	xfree(room->held);
	xfree(room->cpus);
}

/* Several jobs can have a core. */
static void take_cores(uint32_t node, uint32_t word, uint64_t cores, void *arg)
{
	struct room *room = arg;
	uint64_t *held = &room->held[tb_first_word_of_node(node) + word];
	uint32_t cpus = __builtin_popcountll(cores & ~*held) *
			MAX(node_record_table_ptr[node]->tpc, 1);

	if (!room->cpus[node])
		return;
	*held |= cores;
	room->nodes -= room->cpus[node] >= room->least;
	room->cpus[node] -= cpus;
	room->nodes += room->cpus[node] >= room->least;
	room->amount -= cpus;
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
	tb_ledger_visit_words(job, take_cores, room);
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
	clear_room(&room);
	return ended;
}

bool tb_plain_has_room(const struct tb_test *test)
{
	struct room room;
	bool has_room;

	set_room(&room, test);
	tb_ledger_visit_kept(test->preemptees, tb_sharing_turns(test->job),
			     tb_one_row_of(test->job), take_cores, &room);
	has_room = room_suffices(&room);
	clear_room(&room);
	return has_room;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_times.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/policy/allocation.h"

struct search {
	const slurmctld_resv_t **found; /* sorted by their start */
	uint32_t count;
	time_t from, to;
};

static int add_reservation(void *item, void *arg)
{
	const slurmctld_resv_t *reservation = item;
	struct search *search = arg;

	if (reservation->node_bitmap && reservation->end_time > search->from)
		search->found[search->count++] = reservation;
	return 0;
}

static int compare_starts(const void *left, const void *right)
{
	const slurmctld_resv_t *a = *(const slurmctld_resv_t *const *)left;
	const slurmctld_resv_t *b = *(const slurmctld_resv_t *const *)right;

	return (a->start_time > b->start_time) -
	       (a->start_time < b->start_time);
}

static bool is_own(const slurmctld_resv_t *reservation, const job_record_t *job)
{
	return job->resv_name && reservation == job->resv_ptr;
}

/* They come in the order of their start, so that what overlaps counts once. */
static void count_time(uint32_t *taken, time_t *until, time_t start, time_t end)
{
	start = MAX(start, *until);
	if (end <= start)
		return;
	*taken += end - start;
	*until = end;
}

static void note_node(struct tb_node_times *times, uint32_t node,
		      const slurmctld_resv_t *reservation, bool own)
{
	if (own) {
		times->affinity[node] = 1;
		return;
	}
	if (!times->affinity[node])
		times->affinity[node] = -1;
	if (!times->next[node])
		times->next[node] = reservation->start_time;
}

void tb_node_times_find(struct tb_node_times *times, const job_record_t *job,
			time_t start)
{
	uint32_t count = tb_node_count();
	struct search search = { .from = start,
				 .to = start + TB_FREE_TIME_MAX };
	time_t *until = xcalloc(count + 1, sizeof(*until));

	times->next = xcalloc(count + 1, sizeof(*times->next));
	times->taken = xcalloc(count + 1, sizeof(*times->taken));
	times->affinity = xcalloc(count + 1, sizeof(*times->affinity));
	if (resv_list) {
		search.found = xcalloc(list_count(resv_list) + 1,
				       sizeof(*search.found));
		list_for_each(resv_list, add_reservation, &search);
		qsort(search.found, search.count, sizeof(*search.found),
		      compare_starts);
	}
	for (uint32_t i = 0; i < search.count; i++) {
		const slurmctld_resv_t *reservation = search.found[i];
		bool own = is_own(reservation, job);

		for (uint32_t node = 0; node < count; node++) {
			if (node >= bit_size(reservation->node_bitmap) ||
			    !bit_test(reservation->node_bitmap, node))
				continue;
			note_node(times, node, reservation, own);
			count_time(&times->taken[node], &until[node],
				   MAX(reservation->start_time, search.from),
				   MIN(reservation->end_time, search.to));
		}
	}
	xfree(until);
	xfree(search.found);
}

void tb_node_times_clear(struct tb_node_times *times)
{
	xfree(times->next);
	xfree(times->taken);
	xfree(times->affinity);
}

int64_t tb_node_times_gap(const struct tb_node_times *times, uint32_t node,
			  time_t end)
{
	if (!times->next || !times->next[node])
		return TB_GAP_NONE;
	return (int64_t)times->next[node] - (int64_t)end;
}

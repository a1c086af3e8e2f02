/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_ends.h"

#include <stdlib.h>

#include "src/common/xmalloc.h"

struct collecting {
	struct tb_job_ends *ends;
	const bitstr_t *nodes;
	tb_job_end_time end_time;
	void *arg;
};

static int add_job(void *item, void *arg)
{
	job_record_t *job = item;
	struct collecting *collecting = arg;
	struct tb_job_ends *ends = collecting->ends;
	struct tb_job_end end = { .job = job };

	if ((!IS_JOB_RUNNING(job) && !IS_JOB_SUSPENDED(job)) ||
	    !job->node_bitmap ||
	    !bit_overlap_any(job->node_bitmap, (bitstr_t *)collecting->nodes))
		return 0;
	end.time = collecting->end_time(job, collecting->arg);
	if (end.time)
		ends->list[ends->count++] = end;
	return 0;
}

static int compare_ends(const void *left, const void *right)
{
	const struct tb_job_end *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->job->job_id < b->job->job_id ? -1 : 1;
}

void tb_job_ends_find(struct tb_job_ends *ends, const bitstr_t *nodes,
		      tb_job_end_time end_time, void *arg)
{
	struct collecting collecting = { .ends = ends,
					 .nodes = nodes,
					 .end_time = end_time,
					 .arg = arg };

	ends->count = 0;
	ends->list = xcalloc(list_count(job_list) + 1, sizeof(*ends->list));
	list_for_each(job_list, add_job, &collecting);
	qsort(ends->list, ends->count, sizeof(*ends->list), compare_ends);
}

void tb_job_ends_clear(struct tb_job_ends *ends)
{
	xfree(ends->list);
	ends->count = 0;
}

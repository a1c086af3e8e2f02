/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "one_row.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

struct row {
	const void *partition;
	uint32_t bound; /* jobs */
	bool is_shared;
};

static struct row *rows;
static uint32_t count;

void tb_one_row_reset(void)
{
	xfree(rows);
	count = 0;
}

static struct row *find_row(const void *partition)
{
	for (uint32_t i = 0; partition && i < count; i++)
		if (rows[i].partition == partition)
			return &rows[i];
	return NULL;
}

/* With preempt/qos each partition has one more. */
static bool has_one_row(const part_record_t *partition)
{
	return partition && (partition->max_share & ~SHARED_FORCE) <= 1 &&
	       xstrcmp(slurm_conf.preempt_type, "preempt/qos");
}

const void *tb_one_row_of(const job_record_t *job)
{
	const struct row *row = find_row(job->part_ptr);

	return has_one_row(job->part_ptr) && !(row && row->is_shared)
		       ? job->part_ptr
		       : NULL;
}

void tb_one_row_count(const void *partition, int bound)
{
	struct row *row = find_row(partition);

	if (!row && partition) {
		xrecalloc(rows, count + 1, sizeof(*rows));
		row = &rows[count++];
		row->partition = partition;
	}
	if (row)
		row->bound += bound;
}

uint32_t tb_one_row_bound(const void *partition)
{
	const struct row *row = find_row(partition);

	return row ? row->bound : 0;
}

void tb_one_row_is_shared(const void *partition)
{
	struct row *row = find_row(partition);

	if (row)
		row->is_shared = true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_sharing.c - see partition_sharing.h */
#include "partition_sharing.h"

#include <stdlib.h>

#include "common/job/job_comment.h"
#include "common/job/request_env.h"
#include "core/plan/shared_use.h"

static unsigned count_rows(const partition_info_t *partition)
{
	return partition->max_share & ~SHARED_FORCE;
}

/* Does a job there share, which may or may not have asked for it? */
static bool is_sharing(const partition_info_t *partition, bool oversubscribe)
{
	return partition->max_share & SHARED_FORCE ||
	       (count_rows(partition) > 1 && oversubscribe);
}

unsigned tb_partition_sharers(const struct tb_job_spec *spec,
			      const partition_info_t *partition)
{
	unsigned most = count_rows(partition);

	if (spec->heterogeneous || spec->whole_nodes ||
	    !is_sharing(partition, spec->oversubscribe))
		return 1;
	return most ? most : 1;
}

struct tb_unit *tb_partition_shared_unit(const job_info_t *job,
					 const struct tb_candidate_node *node)
{
	struct tb_unit *unit = NULL;
	struct tb_request request;
	struct tb_comment comment;
	struct tb_error why;

	if (job->het_job_id || job->shared == JOB_SHARED_NONE)
		return NULL;
	if (!tb_comment_read(&comment, job->system_comment, &why) &&
	    comment.request) {
		tb_request_init(&request);
		if (!tb_request_from_comment(&request, comment.request, &why) &&
		    !request.nparts)
			unit = malloc(sizeof(*unit));
		if (unit)
			*unit = tb_booked_unit(&request, node->books.by_thread);
		tb_request_clear(&request);
	}
	tb_comment_clear(&comment);
	return unit;
}

bool tb_partition_bars(const struct tb_cluster *cluster,
		       const struct tb_job_spec *spec,
		       const partition_info_t *partition,
		       const job_info_t *other)
{
	const partition_info_t *its =
		other->partition
			? tb_cluster_partition(cluster, other->partition)
			: NULL;

	if (!its || !partition || its == partition)
		return false;
	if (is_sharing(partition, spec->oversubscribe))
		return !is_sharing(its, other->shared == JOB_SHARED_OK);
	return count_rows(its) > 1;
}

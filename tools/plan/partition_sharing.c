/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_sharing.c - see partition_sharing.h */
#include "partition_sharing.h"

#include "common/conf/turns.h"
#include "common/job/job_comment.h"
#include "common/job/request_env.h"
#include "compat/job_cpus.h"

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

	if (spec->heterogeneous || !is_sharing(partition, spec->oversubscribe))
		return 1;
	return most ? most : 1;
}

bool tb_partition_turns(const struct tb_cluster *cluster)
{
	const slurm_conf_t *slurm = cluster->slurm;

	return slurm && tb_slurm_takes_turns(slurm);
}

/* Of a job that shares.  whole: it has all of its nodes. */
static struct tb_share_of find_share(const job_info_t *job,
				     const struct tb_candidate_node *node,
				     bool whole, bool turns)
{
	struct tb_share_of share = { .as = tb_shares_as(NULL, whole, turns) };
	struct tb_request request;
	struct tb_comment comment;
	struct tb_error why;

	if (!tb_comment_read(&comment, job->system_comment, &why) &&
	    comment.request) {
		tb_request_init(&request);
		if (!tb_request_from_comment(&request, comment.request, &why)) {
			share.as = tb_shares_as(&request, whole, turns);
			share.unit = tb_booked_unit(&request,
						    node->books.by_thread);
		}
		tb_request_clear(&request);
	}
	tb_comment_clear(&comment);
	return share;
}

/* In a partition with FORCE --exclusive does not keep others off. */
struct tb_share_of tb_partition_share(const struct tb_cluster *cluster,
				      const job_info_t *job,
				      const struct tb_candidate_node *node)
{
	const partition_info_t *partition =
		tb_cluster_partition(cluster, job->partition);

	if (job->het_job_id || !partition ||
	    !is_sharing(partition, job->shared == JOB_SHARED_OK))
		return (struct tb_share_of){ .as = TB_SHARES_NOTHING };
	return find_share(job, node, tb_job_has_whole_nodes(job),
			  tb_partition_turns(cluster));
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

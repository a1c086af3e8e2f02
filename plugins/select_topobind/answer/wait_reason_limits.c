/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait_reason_limits.h"

#include "src/common/xstring.h"

#include "core/base/text.h"

char *tb_explain_partition_limit(const struct tb_test *test)
{
	const part_record_t *partition = test->job->part_ptr;

	return xstrdup_printf(
		"units are free, but jobs of partition %s may not have so many CPUs more of a node (MaxCPUsPerNode=%u)",
		partition->name, partition->max_cpus_per_node);
}

char *tb_explain_socket_limit(const struct tb_test *test)
{
	const part_record_t *partition = test->job->part_ptr;

	if (!partition || tb_partition_socket_limit(partition) == INFINITE ||
	    test->job->details->contiguous)
		return NULL;
	return xstrdup_printf(
		"units are free, but jobs of partition %s may not have so many CPUs more of a socket (MaxCPUsPerSocket=%u)",
		partition->name, tb_partition_socket_limit(partition));
}

char *tb_explain_switches(const struct tb_test *test)
{
	const job_record_t *job = test->job;

	if (!job->req_switch || job->best_switch)
		return NULL;
	return xstrdup_printf(
		"units are free, but not on nodes of %u %s, as --switches asks",
		job->req_switch,
		tb_count_word(job->req_switch, "switch", "switches"));
}

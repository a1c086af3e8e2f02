/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_cpus.h: Slurm 22.05's library prints them. */
#include "compat/job_cpus.h"

#include <stdlib.h>
#include <string.h>

struct tb_bitset *tb_job_cpus_on_node(const job_info_t *job, const char *node,
				      unsigned n, struct tb_error *err)
{
	/* The longest list has every other number. */
	size_t size = (size_t)n * strlen("65535,") + 1;
	char *list = calloc(1, size);
	struct tb_bitset *set = NULL;

	/* Threads would be counted only after slurm_print_job_info(). */
	if (list == NULL)
		tb_fail(err, "out of memory");
	else if (slurm_job_cpus_allocated_str_on_node(list, size,
						      job->job_resrcs, node))
		tb_fail(err,
			"Slurm does not tell what it has on its node "
			"%.100s",
			node);
	else
		set = tb_bitset_parse_list(list, n, err);
	free(list);
	return set;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition_choice.h - in which of its partitions could a job start first?
 *
 * Slurm tries a job for several partitions in each by itself, with the nodes, limits
 * and filters of that one.
 */
#ifndef TB_TOOLS_PLAN_PARTITION_CHOICE_H
#define TB_TOOLS_PLAN_PARTITION_CHOICE_H

#include "candidates.h"

/*
 * Of a spec with a list of partitions: *name is that partition, malloc()ed, and spec has
 * it, too; otherwise NULL, and spec does not change.  -1 with a sentence.
 */
int tb_choose_partition(const struct tb_cluster *cluster,
			struct tb_job_spec *spec, char **name,
			struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * partition_limit.h - MaxCPUsPerNode of a bound job's partition
 *
 * The jobs of such a partition together may have so many CPUs of a node.  topobind
 * counts them itself: since Slurm 23.11 select/cons_tres takes all cores that a mask
 * hides for those of the partition, where this has no job on the node, and then no
 * bound job could start.  Jobs that share units, or want whole nodes, are left to
 * select/cons_tres.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_PARTITION_LIMIT_H
#define TB_SELECT_TOPOBIND_TRY_PARTITION_LIMIT_H

#include "compat/select_compat.h"

#include "select_topobind/books/ledger.h"

struct tb_partition_limit;

/*
 * What the partition's jobs have in this view; NULL: there is no limit that topobind
 * counts.  Looks at all jobs.
 */
struct tb_partition_limit *
tb_partition_limit_create(const struct tb_test *test,
			  const struct tb_view *view);
void tb_partition_limit_destroy(struct tb_partition_limit *limit);

/* CPUs of the node that it leaves to the job; UINT32_MAX: no limit. */
uint32_t tb_partition_limit_left(const struct tb_partition_limit *limit,
				 uint32_t node);

/*
 * Around a call of select/cons_tres with a mask that keeps to the limit: lift it.  What
 * lift returns is for restore.
 */
uint32_t tb_partition_limit_lift(const struct tb_test *test);
void tb_partition_limit_restore(const struct tb_test *test, uint32_t before);

#endif

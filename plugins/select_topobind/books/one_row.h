/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * one_row.h - partitions whose jobs select/cons_tres itself keeps apart
 *
 * For each partition it has as many rows of cores as jobs may share one.  Of a partition
 * with one row no core is given to two of its jobs, whatever GANG lets jobs of different
 * partitions do.  So a plain job must not be kept from the bound ones of its own partition
 * by topobind.
 */
#ifndef TB_SELECT_TOPOBIND_BOOKS_ONE_ROW_H
#define TB_SELECT_TOPOBIND_BOOKS_ONE_ROW_H

#include <stdbool.h>

#include "compat/select_compat.h"

/* Forget everything. */
void tb_one_row_reset(void);

/* The job's partition if it has one row, or NULL.  A name, not to be looked into. */
const void *tb_one_row_of(const job_record_t *job);

/* How many bound jobs of it hold cores: one more, or one less.  NULL is fine. */
void tb_one_row_count(const void *row, int bound);
uint32_t tb_one_row_bound(const void *row);

/*
 * Two jobs of it have the same core: it had more rows when they started.  In its row such
 * a core is free when the first of them ends, so it counts as none until all is
 * rebuilt: tb_one_row_of() is NULL.
 */
void tb_one_row_is_shared(const void *row);

#endif

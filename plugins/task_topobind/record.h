/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record.h - what is left of soft binding in a job's record
 *
 * The word "soft=preferred:N,allowed:N,smoothed:N" in its AdminComment, which
 * accounting keeps.  Other words there stay; one from before a requeue goes.
 */
#ifndef TB_TASK_RECORD_H
#define TB_TASK_RECORD_H

#include <stdint.h>

#include "core/error.h"
#include "core/soft.h"

/*
 * In slurmstepd, while the job is there: reads the record, then writes it, two
 * messages to slurmctld.  -1 with a sentence.
 */
int tb_record_counts(uint32_t job, const struct tb_soft_counts *counts,
		     struct tb_error *err);

/* The new comment for an old one, which may be NULL.  malloc()ed, or NULL. */
char *tb_record_comment(const char *old, const struct tb_soft_counts *counts);

#endif

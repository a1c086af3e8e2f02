/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage_record.h - how busy a job's units were, in its record
 *
 * The word "usage=X:4,idle:2,busy:51%" in its AdminComment, which accounting keeps:
 * of four X units two were idle, and all were busy half of the time.  It is of the
 * job's first node, from the start to the end of its script, or of the last of its
 * other steps that ended; other words there stay.
 *
 * No Slurm in here.
 */
#ifndef TB_COMMON_JOB_USAGE_RECORD_H
#define TB_COMMON_JOB_USAGE_RECORD_H

#include "core/topology/busy.h"

/* The new comment for an old one, which may be NULL.  malloc()ed, or NULL. */
char *tb_usage_record_set(const char *comment, struct tb_unit unit,
			  const struct tb_busy *busy);

/* As tb_record_word_drop(). */
char *tb_usage_record_drop(const char *comment);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_record.h - what is left of soft binding in a job's record
 *
 * The word "soft=preferred:N,allowed:N,smoothed:N" in its AdminComment, which
 * accounting keeps.  Each soft-bound step adds its own; other words there stay.
 *
 * No Slurm in here.
 */
#ifndef TB_COMMON_SOFT_SOFT_RECORD_H
#define TB_COMMON_SOFT_SOFT_RECORD_H

#include "core/soft/soft.h"

/* The new comment for an old one, which may be NULL.  malloc()ed, or NULL. */
char *tb_soft_record_add(const char *comment,
			 const struct tb_soft_counts *more);

/*
 * The comment without our word, as before the job's first step; malloc()ed.
 * NULL when there is none in it, or no memory.
 */
char *tb_soft_record_drop(const char *comment);

#endif

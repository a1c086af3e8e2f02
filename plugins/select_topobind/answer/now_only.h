/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * now_only.h - asking select/cons_tres for a start now, not for a later one
 */
#ifndef TB_SELECT_TOPOBIND_ANSWER_NOW_ONLY_H
#define TB_SELECT_TOPOBIND_ANSWER_NOW_ONLY_H

#include <time.h>

#include "compat/select_compat.h"

/* Between these two calls only now is an answer.  Returns what was before. */
static inline uint64_t tb_now_only_begin(job_record_t *job)
{
	uint64_t before = job->bit_flags & TEST_NOW_ONLY;

	job->bit_flags |= TEST_NOW_ONLY;
	return before;
}

static inline void tb_now_only_end(job_record_t *job, uint64_t before)
{
	job->bit_flags &= before | ~(uint64_t)TEST_NOW_ONLY;
}

/*
 * Some releases of Slurm answer with a later start all the same when there are
 * jobs to preempt.
 */
static inline bool tb_starts_too_late(const struct tb_test *test)
{
	const job_record_t *job = test->job;

	return tb_test_mode(test) == TB_WILL_RUN &&
	       (job->bit_flags & TEST_NOW_ONLY) && job->start_time > time(NULL);
}

#endif

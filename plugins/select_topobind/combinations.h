/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * combinations.h - does what a job asks of Slurm go with its binding?
 */
#ifndef TB_SELECT_COMBINATIONS_H
#define TB_SELECT_COMBINATIONS_H

#include "compat/select_compat.h"
#include "core/combination.h"

/*
 * What the client has looked at before (core/combination.h), for jobs that come
 * another way and for what was changed since.  0, or -1 with a sentence.
 * implicit: the job did not ask for its binding.
 */
int tb_job_combinations(const job_record_t *job,
			const struct tb_request *request, bool implicit,
			struct tb_error *err);

#endif

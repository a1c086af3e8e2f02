/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submitted_job.h - the job that slurmctld made of a submission
 *
 * For programs of the tests, which need Slurm's public header only.
 */
#ifndef TB_COMPAT_SUBMITTED_JOB_H
#define TB_COMPAT_SUBMITTED_JOB_H

#include <stdint.h>

#include <slurm/slurm.h>

static inline uint32_t tb_submitted_job(const submit_response_msg_t *answer)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	return answer->job_id;
#else
	return answer->step_id.job_id;
#endif
}

#endif

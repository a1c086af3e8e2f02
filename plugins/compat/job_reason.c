/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_reason.h. */
#include "src/common/slurm_xlator.h"

#include "job_reason.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 5, 0)
#include "src/common/slurm_protocol_defs.h"
#define job_state_reason_string job_reason_string
#else
#include "src/common/job_state_reason.h"
#endif

const char *tb_job_reason(const job_info_t *job)
{
	return job_state_reason_string(job->state_reason);
}

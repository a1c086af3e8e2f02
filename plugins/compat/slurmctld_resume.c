/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slurmctld_resume.h"

#include "slurmctld_symbols.h"

static int change_state(uint32_t id, uint16_t operation, bool by_administrator)
{
	suspend_msg_t message = { .op = operation };

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
	message.job_id = id;
#else
	message.step_id = (slurm_step_id_t)SLURM_STEP_ID_INITIALIZER;
	message.step_id.job_id = id;
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
	return job_suspend(&message, 0, -1, by_administrator, NO_VAL16);
#else
	return job_suspend(NULL, &message, 0, by_administrator, NO_VAL16);
#endif
}

int tb_slurmctld_resume(const job_record_t *job)
{
	return change_state(job->het_job_id ? job->het_job_id : job->job_id,
			    RESUME_JOB, true);
}

int tb_slurmctld_pause(const job_record_t *job)
{
	return change_state(job->job_id, SUSPEND_JOB, false);
}

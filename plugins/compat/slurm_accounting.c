/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See slurm_accounting.h. */
#include "slurm_accounting.h"

#include "src/common/read_config.h"
#include "src/common/slurm_protocol_api.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/slurm_accounting_storage.h"
#else
#include "src/interfaces/accounting_storage.h"
#endif

bool tb_slurm_accounting_is_there(void)
{
	return slurm_with_slurmdbd();
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 11, 0)
/* A job has its index from the beginning, which is no sign any more. */
bool tb_slurm_accounting_knows(const job_record_t *job)
{
	return IS_JOB_IN_DB(job);
}
#else
bool tb_slurm_accounting_knows(const job_record_t *job)
{
	return job->db_index && job->db_index != NO_VAL64;
}
#endif

/* Accounting knows tasks of an array and components by the whole job's number. */
static void select_job(slurm_selected_step_t *selected, const job_record_t *job)
{
	selected->array_task_id = NO_VAL;
	selected->het_job_offset = NO_VAL;
	selected->step_id.step_id = NO_VAL;
	selected->step_id.step_het_comp = NO_VAL;
	selected->step_id.job_id = job->job_id;
	if (job->array_job_id) {
		selected->step_id.job_id = job->array_job_id;
		selected->array_task_id = job->array_task_id;
	} else if (job->het_job_id) {
		selected->step_id.job_id = job->het_job_id;
		selected->het_job_offset = job->het_job_offset;
	}
}

void tb_slurm_accounting_send_comment(job_record_t *job)
{
	slurm_selected_step_t selected = { .array_task_id = NO_VAL };
	slurmdb_job_cond_t which = {
		.db_flags = SLURMDB_JOB_FLAG_NOTSET,
		.flags = JOBCOND_FLAG_NO_WAIT | JOBCOND_FLAG_NO_DEFAULT_USAGE,
	};
	slurmdb_job_rec_t record = {
		.derived_ec = NO_VAL,
		.system_comment = job->system_comment,
	};

	select_job(&selected, job);
	which.step_list = list_create(NULL);
	list_append(which.step_list, &selected);
	which.cluster_list = list_create(NULL);
	list_append(which.cluster_list, slurm_conf.cluster_name);
	acct_storage_g_modify_job(acct_db_conn, slurm_conf.slurm_user_id,
				  &which, &record);
	FREE_NULL_LIST(which.cluster_list);
	FREE_NULL_LIST(which.step_list);
}

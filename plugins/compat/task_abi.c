/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_abi.c - the task plugin that slurmd and slurmstepd load, where its
 * versions agree: the symbols that they look for, which call the hooks of
 * task_topobind/hooks.h
 */
#include "task_abi.h"

#include "src/common/run_in_daemon.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/slurmd/common/task_plugin.h"
#else
#include "src/interfaces/task.h"
#endif

#include "task_topobind/hooks.h"

#pragma GCC visibility push(default)
extern const char plugin_name[];
extern const char plugin_type[];
extern const uint32_t plugin_version;
extern int init(void);
extern int fini(void);
extern int task_p_slurmd_batch_request(batch_job_launch_msg_t *req);
extern int task_p_slurmd_launch_request(launch_tasks_request_msg_t *req,
					uint32_t node_id, char **err_msg);
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
extern int task_p_slurmd_suspend_job(uint32_t job_id);
extern int task_p_slurmd_resume_job(uint32_t job_id);
#endif
extern int task_p_pre_setuid(stepd_step_rec_t *job);
extern int task_p_pre_launch(stepd_step_rec_t *job);
extern int task_p_post_term(stepd_step_rec_t *job,
			    stepd_step_task_info_t *task);
extern int task_p_post_step(stepd_step_rec_t *job);
extern int task_p_add_pid(pid_t pid);
#pragma GCC visibility pop

const char plugin_name[] = "Tasks held in the units that they asked for";
const char plugin_type[] = "task/topobind";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

int init(void)
{
	if (running_in_slurmd())
		tb_task_slurmd_start();
	return SLURM_SUCCESS;
}

int fini(void)
{
	if (running_in_slurmd())
		tb_task_slurmd_stop();
	return SLURM_SUCCESS;
}

int task_p_slurmd_batch_request(batch_job_launch_msg_t *req)
{
	tb_task_batch_request(&req->environment, &req->envc, req->spank_job_env,
			      req->spank_job_env_size);
	return SLURM_SUCCESS;
}

int task_p_slurmd_launch_request(launch_tasks_request_msg_t *req,
				 uint32_t node_id, char **err_msg)
{
	(void)req;
	(void)node_id;
	(void)err_msg;
	return SLURM_SUCCESS;
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
/*
 * Later releases have neither, so nothing depends on them; see
 * tb_slurm_step_is_suspended().
 */
int task_p_slurmd_suspend_job(uint32_t job_id)
{
	(void)job_id;
	return SLURM_SUCCESS;
}

int task_p_slurmd_resume_job(uint32_t job_id)
{
	(void)job_id;
	return SLURM_SUCCESS;
}
#endif

int task_p_pre_setuid(stepd_step_rec_t *job)
{
	return tb_slurm_hold_begin() < 0 || tb_task_step_start(job) < 0
		       ? SLURM_ERROR
		       : SLURM_SUCCESS;
}

int task_p_pre_launch(stepd_step_rec_t *job)
{
	return tb_slurm_hold_wait() < 0 || tb_task_prepare(job) < 0
		       ? SLURM_ERROR
		       : SLURM_SUCCESS;
}

int task_p_post_term(stepd_step_rec_t *job, stepd_step_task_info_t *task)
{
	(void)job;
	(void)task;
	return SLURM_SUCCESS;
}

int task_p_post_step(stepd_step_rec_t *job)
{
	tb_slurm_hold_end();
	tb_task_step_end(job);
	return SLURM_SUCCESS;
}

int task_p_add_pid(pid_t pid)
{
	tb_task_adopt(pid);
	return SLURM_SUCCESS;
}

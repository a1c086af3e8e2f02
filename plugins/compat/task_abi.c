/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The task plugin interface where Slurm's versions agree: the symbols that
 * slurmd and slurmstepd look for, and what the version-free part asks of their
 * structs.
 */
#define _GNU_SOURCE
#include "compat/task_compat.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "src/common/env.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmd/common/xcpuinfo.h"
#include "src/slurmd/slurmd/slurmd.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/slurm_acct_gather.h"
#include "src/common/slurm_cred.h"
#include "src/slurmd/common/task_plugin.h"
#else
#include "src/interfaces/acct_gather.h"
#include "src/interfaces/cred.h"
#include "src/interfaces/task.h"
#endif

#include "common/request_env.h"
#include "compat/slurm_compat.h"
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
	tb_task_batch_request(&req->environment, &req->envc,
			      req->spank_job_env, req->spank_job_env_size);
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
	return tb_slurm_hold_begin() < 0 || tb_task_step_start(job) < 0 ?
	       SLURM_ERROR : SLURM_SUCCESS;
}

int task_p_pre_launch(stepd_step_rec_t *job)
{
	return tb_slurm_hold_wait() < 0 || tb_task_prepare(job) < 0 ?
	       SLURM_ERROR : SLURM_SUCCESS;
}

int task_p_post_term(stepd_step_rec_t *job, stepd_step_task_info_t *task)
{
	(void)job;
	(void)task;
	return SLURM_SUCCESS;
}

int task_p_post_step(stepd_step_rec_t *job)
{
	(void)job;
	tb_slurm_hold_end();
	tb_task_step_end();
	return SLURM_SUCCESS;
}

int task_p_add_pid(pid_t pid)
{
	tb_task_adopt(pid);
	return SLURM_SUCCESS;
}

const char *tb_daemon_node_name(void)
{
	return conf->node_name;
}

const char *tb_daemon_spool_dir(void)
{
	return conf->spooldir;
}

void tb_daemon_node_shape(struct tb_node_input *node)
{
	*node = (struct tb_node_input){
		.sockets = conf->sockets,
		.cores = conf->cores,
		.threads = conf->threads,
		.overrides = slurm_conf.conf_flags & CONF_FLAG_OR,
	};
}

/*
 * srun sends its SPANK environment with a step.  A script's request is the one
 * variable that slurmd has put into its environment; the others are the user's.
 */
static void set_env(stepd_step_rec_t *job, struct tb_step_input *input)
{
	const char *name = TB_JOB_ENV_PREFIX TB_REQUEST_VARIABLE "=";

	if (job->batch) {
		for (char **env = job->env; env && *env; env++) {
			if (xstrncmp(*env, name, strlen(name)) != 0)
				continue;
			input->env = env;
			input->env_count = 1;
		}
	} else if (job->msg != NULL && job->msg->spank_job_env != NULL) {
		input->env = job->msg->spank_job_env;
		input->env_count = job->msg->spank_job_env_size;
	}
}

/* What slurmctld has set in a script's environment, or signed for a step. */
char *tb_slurm_step_partition(tb_slurm_step_t *step)
{
	const char *name = NULL;
	slurm_cred_arg_t *arg;
	char *copy;

	if (step->batch) {
		name = getenvp(step->env, "SLURM_JOB_PARTITION");
		return name != NULL ? strdup(name) : NULL;
	}
	if (step->msg == NULL || step->msg->cred == NULL)
		return NULL;
	arg = slurm_cred_get_args(step->msg->cred);
	copy = arg->job_partition != NULL ? strdup(arg->job_partition) : NULL;
	slurm_cred_unlock_args(step->msg->cred);
	return copy;
}

/* --threads-per-core, and the hints that mean one. */
static unsigned threads_per_core(const stepd_step_rec_t *step)
{
	if (step->cpu_bind_type & CPU_BIND_ONE_THREAD_PER_CORE)
		return 1;
	if (step->msg == NULL || step->batch ||
	    step->msg->threads_per_core >= NO_VAL16)
		return 0;
	return step->msg->threads_per_core;
}

void tb_slurm_step_input(tb_slurm_step_t *step, struct tb_step_input *input)
{
	uint32_t id = step->step_id.step_id;

	set_env(step, input);
	input->job_cores = step->job_alloc_cores;
	input->step_cores = step->step_alloc_cores;
	input->tasks = step->node_tasks;
	input->whole = step->batch || id == SLURM_INTERACTIVE_STEP ||
		       id == SLURM_EXTERN_CONT;
	/* As task/affinity asks: the other bits bind nothing. */
	input->mem_bind = !(step->mem_bind_type & MEM_BIND_NONE) &&
		step->mem_bind_type & (MEM_BIND_RANK | MEM_BIND_MAP |
				       MEM_BIND_MASK | MEM_BIND_LOCAL);
	input->shares = tb_slurm_step_overcommits(step);
	input->threads_per_core = threads_per_core(step);
}

bool tb_slurm_step_shell(const tb_slurm_step_t *step,
			 struct tb_slurm_shell *shell)
{
	*shell = (struct tb_slurm_shell){
		.job = step->step_id.job_id,
		.step = step->step_id.step_id,
		.uid = step->uid,
		.gid = step->gid,
	};
	return step->batch || shell->step == SLURM_INTERACTIVE_STEP;
}

char *tb_slurm_step_name(tb_slurm_step_t *step)
{
	char id[64];

	log_build_step_id_str(&step->step_id, id, sizeof(id),
			      STEP_ID_FLAG_NO_PREFIX);
	return strdup(id);
}

bool tb_slurm_batch_requeue(tb_slurm_step_t *step)
{
	if (!step->batch)
		return false;
	/* With 0 slurmctld would take it for done. */
	step->task[0]->estatus = W_EXITCODE(1, 0);
	return true;
}

void tb_slurm_node_drain(const struct tb_error *err)
{
	char *reason;

	if (asprintf(&reason, "topobind: %s", err->text) < 0)
		return;
	tb_slurm_stepd_drain(reason);
	free(reason);
}

pid_t tb_slurm_task_pid(tb_slurm_step_t *step, uint32_t task)
{
	return step->task[task]->pid;
}

unsigned tb_slurm_step_tasks(const tb_slurm_step_t *step)
{
	return step->node_tasks;
}

/* Before it stops the tasks slurmstepd says so to who would sample them. */
bool tb_slurm_step_is_suspended(void)
{
	return acct_gather_suspend_test();
}

struct tb_registry_id tb_slurm_step_id(const tb_slurm_step_t *step)
{
	return (struct tb_registry_id){ step->step_id.job_id,
					step->step_id.step_id };
}

/* As task/cgroup and task/affinity map them for jobs that are not bound. */
char *tb_slurm_job_os_cpus(const tb_slurm_step_t *step)
{
	char *list = NULL, *copy;

	if (step->job_alloc_cores == NULL || step->job_alloc_cores[0] == '\0' ||
	    xcpuinfo_abs_to_mac(step->job_alloc_cores, &list) != SLURM_SUCCESS)
		return strdup("");
	copy = strdup(list);
	xfree(list);
	return copy;
}

/*
 * slurmd confines itself to the cores that are left to the system, before it
 * starts plugins, or to the others.
 */
char *tb_daemon_system_cpus(void)
{
	size_t size = CPU_ALLOC_SIZE(TB_REGISTRY_CPUS);
	bool off_spec = slurm_conf.task_plugin_param & SLURMD_OFF_SPEC;
	struct tb_bitset *cpus;
	cpu_set_t *mask;
	char *list = NULL;

	if (conf->core_spec_cnt == 0 && conf->cpu_spec_list == NULL)
		return strdup("");
	mask = CPU_ALLOC(TB_REGISTRY_CPUS);
	cpus = tb_bitset_create(TB_REGISTRY_CPUS);
	if (mask != NULL && cpus != NULL &&
	    sched_getaffinity(0, size, mask) == 0) {
		for (unsigned cpu = 0; cpu < TB_REGISTRY_CPUS; cpu++)
			if (!CPU_ISSET_S(cpu, size, mask) == off_spec)
				tb_bitset_set(cpus, cpu);
		list = tb_bitset_print_list(cpus);
	}
	tb_bitset_destroy(cpus);
	if (mask != NULL)
		CPU_FREE(mask);
	return list;
}

uint32_t tb_slurm_task_id(tb_slurm_step_t *step)
{
	return step->envtp->localid;
}

void tb_slurm_task_setenv(tb_slurm_step_t *step, const char *name,
			  const char *value)
{
	if (value != NULL)
		env_array_overwrite(&step->env, name, value);
	else
		unsetenvp(step->env, name);
}

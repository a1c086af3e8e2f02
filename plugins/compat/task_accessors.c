/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_accessors.c - what the version-free part of the task plugin asks of the
 * structs of slurmd and slurmstepd (task_compat.h)
 */
#define _GNU_SOURCE
#include "task_compat.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "src/common/env.h"
#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmd/common/xcpuinfo.h"
#include "src/slurmd/slurmd/slurmd.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/slurm_acct_gather.h"
#include "src/common/slurm_cred.h"
#else
#include "src/interfaces/acct_gather.h"
#include "src/interfaces/cred.h"
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 11, 0)
#include "src/slurmd/slurmstepd/slurmstepd.h"
#else
#include "src/slurmd/slurmstepd/mgr.h"
#endif

#include "common/job/request_env.h"
#include "slurm_compat.h"

const char *tb_daemon_node_name(void)
{
	return conf->node_name;
}

const char *tb_daemon_spool_dir(void)
{
	return conf->spooldir;
}

void tb_daemon_node_shape(struct tb_step_node_input *node)
{
	*node = (struct tb_step_node_input){
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

	input->job = job->step_id.job_id;
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
static unsigned get_threads_per_core(const stepd_step_rec_t *step)
{
	if (step->cpu_bind_type & CPU_BIND_ONE_THREAD_PER_CORE)
		return 1;
	if (step->msg == NULL || step->batch ||
	    step->msg->threads_per_core >= NO_VAL16)
		return 0;
	return step->msg->threads_per_core;
}

/* Do its tasks share CPUs, by --overcommit? */
static bool overcommits(const stepd_step_rec_t *step)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
	if (step->overcommit)
		return true;
#endif
	return step->flags & LAUNCH_OVERCOMMIT;
}

void tb_slurm_step_input(tb_slurm_step_t *step, struct tb_step_input *input)
{
	uint32_t id = step->step_id.step_id;

	set_env(step, input);
	input->job_cores = step->job_alloc_cores;
	input->step_cores = step->step_alloc_cores;
	input->tasks = step->node_tasks;
	input->whole = step->batch || id == SLURM_INTERACTIVE_STEP ||
		       tb_slurm_step_is_extern(step);
	/* As in task/affinity: the other bits bind nothing. */
	input->mem_bind = !(step->mem_bind_type & MEM_BIND_NONE) &&
			  step->mem_bind_type &
				  (MEM_BIND_RANK | MEM_BIND_MAP |
				   MEM_BIND_MASK | MEM_BIND_LOCAL);
	input->shares = overcommits(step);
	input->threads_per_core = get_threads_per_core(step);
	input->find_gpus = tb_slurm_step_gpus;
	input->slurm_step = step;
}

bool tb_slurm_step_is_unplanned(const tb_slurm_step_t *step,
				struct tb_step_slots_id *id)
{
	*id = (struct tb_step_slots_id){
		.spool_dir = conf->spooldir,
		.job = step->step_id.job_id,
		.step = step->step_id.step_id,
	};
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
	return step->stepmgr != NULL && id->step <= SLURM_MAX_NORMAL_STEP_ID;
#else
	return false;
#endif
}

void tb_slurm_step_set_cores(tb_slurm_step_t *step, const char *cores)
{
	xfree(step->step_alloc_cores);
	step->step_alloc_cores = xstrdup(cores);
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

bool tb_slurm_step_is_extern(const tb_slurm_step_t *step)
{
	return step->step_id.step_id == SLURM_EXTERN_CONT;
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
	/* With 0 slurmctld would think that the script has ended well. */
	step->task[0]->estatus = W_EXITCODE(1, 0);
	return true;
}

/* Both of a job's first steps may ask; the second time it is no news. */
void tb_slurm_job_requeue(tb_slurm_step_t *step)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
	uint32_t job = step->step_id.job_id;
#else
	slurm_step_id_t job = SLURM_STEP_ID_INITIALIZER;

	job.job_id = step->step_id.job_id;
#endif
	if (step->batch || tb_slurm_step_is_extern(step))
		slurm_requeue(job, 0);
}

/* In slurmstepd.  Since 23.02 Slurm itself logs an error. */
static void drain_node(char *reason)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	if (stepd_drain_node(reason) != SLURM_SUCCESS)
		error("topobind: this node cannot be drained");
#else
	stepd_drain_node(reason);
#endif
}

void tb_slurm_node_drain(const struct tb_error *err)
{
	char *reason;

	if (asprintf(&reason, "topobind: %s", err->text) < 0)
		return;
	drain_node(reason);
	free(reason);
}

uint32_t tb_slurm_task_number(const tb_slurm_step_t *step, uint32_t task)
{
	return step->task[task]->gtid;
}

pid_t tb_slurm_task_pid(tb_slurm_step_t *step, uint32_t task)
{
	return step->task[task]->pid;
}

unsigned tb_slurm_step_tasks(const tb_slurm_step_t *step)
{
	return step->node_tasks;
}

/* slurmstepd says so to accounting before it stops the tasks. */
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
 * Before slurmd starts plugins it confines itself to the cores that are reserved
 * for the system, or (SlurmdOffSpec) to the others.
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

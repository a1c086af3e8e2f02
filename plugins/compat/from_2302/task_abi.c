/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_abi.c - what Slurm wants of a task plugin since 23.02, where no hook of
 * slurmstepd is the last before a program starts
 *
 * Slurm sorts the plugins so that task/cgroup comes after task/topobind and moves a
 * task to a cpuset that it makes (cgroup v1).  After that there is no hook of
 * slurmstepd, only one of the task, which cannot hold itself.  The task asks
 * slurmstepd through a pipe to hold it, and goes on when a second pipe says that
 * it is held.
 */
#define _GNU_SOURCE
#include "compat/task_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "src/common/log.h"

#include "task_topobind/hooks.h"

#pragma GCC visibility push(default)
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
extern int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid);
#else
extern int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid,
				  uint32_t global_tid);
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
extern int task_p_update_mem_limit(stepd_step_rec_t *step, uint64_t job_mem,
				   uint64_t step_mem);
#endif
#pragma GCC visibility pop

enum { READ, WRITE };

static int asked[2] = { -1, -1 }; /* tasks ask; slurmstepd ends the thread */
static int told[2] = { -1, -1 };  /* a character for each task */
static pthread_t holder;
static bool holder_runs;

#define ASK 'a'
#define END 'e'

static bool write_one(int to, char what)
{
	ssize_t n;

	do
		n = write(to, &what, 1);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* '\0': no process can write into the pipe any more. */
static char read_one(int from)
{
	char what;
	ssize_t n;

	do
		n = read(from, &what, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? what : '\0';
}

/* When the first task asks, all plugins have had their turn with all tasks. */
static void *hold_when_asked(void *arg)
{
	stepd_step_rec_t *step = arg;

	if (read_one(asked[READ]) != ASK)
		return NULL;
	for (uint32_t i = 0; i < step->node_tasks; i++)
		tb_task_hold(step, i);
	for (uint32_t i = 0; i < step->node_tasks; i++)
		write_one(told[WRITE], ASK);
	return NULL;
}

int tb_slurm_hold_begin(void)
{
	if (pipe2(asked, O_CLOEXEC) == 0 && pipe2(told, O_CLOEXEC) == 0)
		return 0;
	error("topobind: cannot make a pipe: %m");
	return -1;
}

static int start_holder(stepd_step_rec_t *step, uint32_t node_tid)
{
	if (node_tid + 1 < step->node_tasks)
		return SLURM_SUCCESS;
	holder_runs = pthread_create(&holder, NULL, hold_when_asked, step) == 0;
	return holder_runs ? SLURM_SUCCESS : SLURM_ERROR;
}

/* In slurmstepd, for each task before its program starts. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid)
{
	return start_holder(step, node_tid);
}
#else
int task_p_pre_launch_priv(stepd_step_rec_t *step, uint32_t node_tid,
			   uint32_t global_tid)
{
	(void)global_tid;
	return start_holder(step, node_tid);
}
#endif

int tb_slurm_hold_wait(void)
{
	/* So that it ends when slurmstepd does. */
	close(told[WRITE]);
	if (write_one(asked[WRITE], ASK) && read_one(told[READ]) == ASK)
		return 0;
	error("topobind: slurmstepd has not held this task");
	return -1;
}

void tb_slurm_hold_end(void)
{
	if (holder_runs) {
		write_one(asked[WRITE], END);
		pthread_join(holder, NULL);
		holder_runs = false;
	}
	for (int i = READ; i <= WRITE; i++) {
		if (asked[i] >= 0)
			close(asked[i]);
		if (told[i] >= 0)
			close(told[i]);
		asked[i] = told[i] = -1;
	}
}

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
/* topobind sets no memory limits: --bmem says where memory is, not how much. */
int task_p_update_mem_limit(stepd_step_rec_t *step, uint64_t job_mem,
			    uint64_t step_mem)
{
	(void)step;
	(void)job_mem;
	(void)step_mem;
	return SLURM_SUCCESS;
}
#endif

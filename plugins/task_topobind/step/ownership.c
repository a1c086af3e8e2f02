/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ownership.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/common/log.h"

#include "cgroup/clear.h"
#include "cgroup/take.h"

/* Longer than a process takes to die. */
#define WAIT_MS 1000

/* For what is not this step's; whoever has made it keeps nobody waiting. */
#define OTHERS_WAIT_MS 50

/* The freezer first: what is frozen there does not die. */
static const char *const controllers[] = {
	"freezer",
	"cpuset",
	/* Only at the end: */
	"memory",
	"devices",
	"cpuacct",
};

#define RUNNING 2 /* the first of these, while a step runs */
#define ALL (sizeof(controllers) / sizeof(controllers[0]))
#define CPUSET 1

static bool take_others(const char *controller, bool again, unsigned wait_ms)
{
	const struct timespec until = tb_clear_until(wait_ms);
	char *top = tb_slurm_top_directory(controller);
	bool taken = top == NULL || tb_take_steps(top, again, &until);

	free(top);
	return taken;
}

/* Frees directory. */
static bool take_directory(char *directory, const struct timespec *until)
{
	bool taken = directory == NULL || tb_take_step(directory, until);

	free(directory);
	return taken;
}

static bool take_own(tb_slurm_step_t *step, const char *controller,
		     const struct timespec *until)
{
	return take_directory(tb_slurm_step_directory(step, controller), until);
}

static void tell(const char *controller)
{
	error("topobind: cgroups that users have made in those of their steps "
	      "(%s) cannot all be removed: their processes do not die",
	      controller);
}

void tb_ownership_take(tb_slurm_step_t *step)
{
	const struct timespec until = tb_clear_until(WAIT_MS);

	for (unsigned i = 0; i < RUNNING; i++) {
		bool own = take_own(step, controllers[i], &until);
		bool others = take_others(controllers[i], false,
					  OTHERS_WAIT_MS);

		if (!own || !others)
			tell(controllers[i]);
	}
}

/* The step that has no task to hold; NULL: none, or it has ended. */
static tb_slurm_step_t *without_tasks;

static void take_before_fork(void)
{
	/* X11 is forwarded as the user. */
	if (without_tasks != NULL && geteuid() == 0)
		tb_ownership_take(without_tasks);
}

void tb_ownership_take_later(tb_slurm_step_t *step)
{
	if (pthread_atfork(take_before_fork, NULL, NULL) == 0)
		without_tasks = step;
	else
		error("topobind: out of memory");
}

static int end_held(tb_slurm_step_t *step, const struct timespec *until,
		    struct tb_error *err)
{
	char *directory = tb_slurm_step_directory(step, controllers[CPUSET]);
	int rc = directory == NULL ? 0 : tb_clear(directory, until, err);

	free(directory);
	return rc;
}

static int fail_to_end(const char *hierarchy, struct tb_error *err)
{
	return tb_fail(err,
		       "cgroups that the user has made in the step's (%s) "
		       "cannot be removed: their processes do not die",
		       hierarchy);
}

int tb_ownership_end(tb_slurm_step_t *step, bool is_held, struct tb_error *err)
{
	const struct timespec until = tb_clear_until(WAIT_MS);
	int rc = 0;

	without_tasks = NULL;
	for (unsigned i = 0; i < ALL; i++)
		if (!take_own(step, controllers[i], &until))
			rc = fail_to_end(controllers[i], err);
	if (!take_directory(tb_slurm_step_directory_v2(step), &until))
		rc = fail_to_end("cgroup v2", err);
	return is_held && rc == 0 ? end_held(step, &until, err) : rc;
}

void tb_ownership_take_all(void)
{
	for (unsigned i = 0; i < RUNNING; i++)
		if (!take_others(controllers[i], true, WAIT_MS))
			tell(controllers[i]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's cgroup interface, for tb_slurm_cpusets_*().
 *
 * Its cgroup plugin counts the uses of a step's cgroups: every plugin that has
 * called cgroup_g_step_create() must call cgroup_g_step_destroy() once, and
 * the last one removes them, if nothing else is below them.  So topobind takes
 * a use of its own even where task/cgroup has one: whichever ends last, the
 * tasks' cgroups are gone by then.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compat/task_compat.h"

#include "cgroup/cpuset.h"

#include "src/common/read_config.h"
#include "src/slurmd/slurmd/slurmd.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/cgroup.h"
#else
#include "src/interfaces/cgroup.h"
#endif

static bool is_open;
static bool is_ours; /* topobind writes what task/cgroup does not */

static bool is_listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	while (list != NULL && *list != '\0') {
		size_t item = strcspn(list, ",");

		if (item == len && strncmp(list, word, len) == 0)
			return true;
		list += item;
		list += strspn(list, ",");
	}
	return false;
}

static bool task_cgroup_constrains(void)
{
	return slurm_cgroup_conf.constrain_cores &&
	       (is_listed(slurm_conf.task_plugin, "task/cgroup") ||
		is_listed(slurm_conf.task_plugin, "cgroup"));
}

static int constrain(cgroup_level_t level, const char *cpus, char *nodes,
		     tb_slurm_step_t *step, struct tb_error *err)
{
	cgroup_limits_t limits;

	cgroup_init_limits(&limits);
	limits.step = step;
	limits.allow_cores = (char *)cpus;
	limits.allow_mems = nodes;
	if (cgroup_g_constrain_set(CG_CPUS, level, &limits) != SLURM_SUCCESS)
		return tb_fail(err, "Slurm could not set the CPUs %s in the "
			       "cpuset cgroup of the %s; see slurmd's log",
			       cpus, level == CG_LEVEL_USER ? "user" :
			       level == CG_LEVEL_JOB ? "job" : "step");
	return 0;
}

/* A user's cgroup holds several jobs: it gets all that Slurm has. */
static int constrain_all(tb_slurm_step_t *step, const char *job_cpus,
			 const char *step_cpus, const char *step_mems,
			 struct tb_error *err)
{
	cgroup_limits_t *top = cgroup_g_constrain_get(CG_CPUS, CG_LEVEL_SLURM);
	int rc;

	if (top == NULL)
		return tb_fail(err, "Slurm's own cpuset cgroup cannot be read; "
			       "see slurmd's log");
	rc = constrain(CG_LEVEL_USER, top->allow_cores, top->allow_mems, step,
		       err);
	if (rc == 0)
		rc = constrain(CG_LEVEL_JOB, job_cpus, top->allow_mems, step,
			       err);
	if (rc == 0)
		rc = constrain(CG_LEVEL_STEP, step_cpus,
			       step_mems[0] != '\0' ? (char *)step_mems :
			       top->allow_mems, step, err);
	cgroup_free_limits(top);
	return rc;
}

int tb_slurm_cpusets_open(tb_slurm_step_t *step, const char *job_cpus,
			  const char *step_cpus, const char *step_mems,
			  struct tb_error *err)
{
	pid_t self = getpid();

	if (cgroup_g_initialize(CG_CPUS) != SLURM_SUCCESS ||
	    cgroup_g_step_create(CG_CPUS, step) != SLURM_SUCCESS)
		return tb_fail(err, "Slurm could not make cpuset cgroups for "
			       "the step; see slurmd's log and cgroup.conf");
	is_open = true;
	is_ours = !task_cgroup_constrains();
	if (!is_ours)
		return 0;
	if (constrain_all(step, job_cpus, step_cpus, step_mems, err) < 0)
		return -1;
	if (cgroup_g_step_addto(CG_CPUS, &self, 1) != SLURM_SUCCESS)
		return tb_fail(err, "Slurm could not move slurmstepd into the "
			       "step's cpuset cgroup; see slurmd's log");
	return 0;
}

void tb_slurm_cpusets_close(void)
{
	if (is_open)
		cgroup_g_step_destroy(CG_CPUS);
	is_open = false;
}

/* cgroup v2: "task_N" holds a single task; "task_special" many processes. */
static bool has_own_cgroup(pid_t pid)
{
	static const char name[] = "/task_";
	char *path = tb_cpuset_path_of(pid, NULL);
	char *last = path != NULL ? strrchr(path, '/') : NULL;
	bool own = last != NULL && strncmp(last, name, strlen(name)) == 0 &&
		   isdigit((unsigned char)last[strlen(name)]);

	free(path);
	return own;
}

/*
 * task/cgroup with devices or memory, and jobacct_gather/cgroup, give each task
 * a cgroup, by different numbers.  Where it has one it stays, as their limits
 * are there.  Slurm says "done" also when a process could not be moved: look.
 */
int tb_slurm_task_cgroup(tb_slurm_step_t *step, uint32_t task,
			 struct tb_error *err)
{
	uint32_t offset = step->het_job_task_offset == NO_VAL ?
			  0 : step->het_job_task_offset;
	pid_t pid = step->task[task]->pid;

	if (!tb_cpuset_is_v2() || has_own_cgroup(pid))
		return 0;
	if (cgroup_g_task_addto(CG_CPUS, step, pid,
				step->task[task]->gtid + offset) !=
		    SLURM_SUCCESS || !has_own_cgroup(pid))
		return tb_fail(err, "Slurm could not make a cgroup for task "
			       "%u; see slurmd's log", task);
	return 0;
}

/* cgroup v2: the job's, beside that of slurmstepd or above it. */
static bool job_is_limited_v2(tb_slurm_step_t *step)
{
	static const char scope_end[] = "_slurmstepd.scope";
	char *path = tb_cpuset_path_of(getpid(), NULL);
	char *end = path != NULL ? strstr(path, scope_end) : NULL;
	char *job = NULL;
	bool limited = false;

	if (end != NULL &&
	    asprintf(&job, "%.*s/job_%u",
		     (int)(end - path + strlen(scope_end)), path,
		     step->step_id.job_id) >= 0)
		limited = tb_cpuset_is_limited(job);
	free(job);
	free(path);
	return limited;
}

/* Where Slurm has, or would have, the cpuset cgroup of a job. */
static char *job_directory(tb_slurm_step_t *step)
{
	char *top = slurm_conf_expand_slurmd_path(
		slurm_cgroup_conf.cgroup_prepend, conf->node_name,
		conf->hostname);
	char *path;

	if (asprintf(&path, "%s/cpuset%s/uid_%u/job_%u",
		     slurm_cgroup_conf.cgroup_mountpoint, top, step->uid,
		     step->step_id.job_id) < 0)
		path = NULL;
	xfree(top);
	return path;
}

/*
 * Where task/cgroup does not constrain cores only topobind makes such cgroups;
 * where it does, it holds the step.
 */
bool tb_slurm_job_is_held(tb_slurm_step_t *step)
{
	char *path;
	struct stat status;
	bool held;

	if (task_cgroup_constrains())
		return false;
	if (tb_cpuset_is_v2())
		return job_is_limited_v2(step);
	path = job_directory(step);
	held = path != NULL && stat(path, &status) == 0;
	free(path);
	return held;
}

void tb_slurm_cpusets_adopt(pid_t pid)
{
	if (is_open && is_ours)
		cgroup_g_step_addto(CG_CPUS, &pid, 1);
}

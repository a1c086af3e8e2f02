/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_cpusets.c - Slurm's cgroup interface, for tb_slurm_cpusets_*()
 *
 * Its cgroup plugin counts the uses of a step's cgroups: every plugin that has
 * called cgroup_g_step_create() must call cgroup_g_step_destroy() once, and
 * the last one removes them, if nothing else is below them.  So topobind has a
 * use of its own even where task/cgroup has one: when the last of the two ends,
 * the tasks' cgroups have been removed.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "task_compat.h"

#include "cgroup/cpuset.h"
#include "task_topobind/isolate/isolation.h"

#include "src/common/log.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmd/common/xcpuinfo.h"
#include "src/slurmd/slurmd/slurmd.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/cgroup.h"
#else
#include "src/interfaces/cgroup.h"
#endif
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
#include "src/common/sluid.h"
#endif

static bool is_open;
static bool is_ours; /* topobind sets the CPUs, as task/cgroup does not */

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

/* cgroup v2: all that Slurm has on the node is below the scope of slurmstepd. */
static char *find_top_v2(void)
{
	static const char scope_end[] = "_slurmstepd.scope";
	char *path = tb_cpuset_path_of(getpid(), NULL);
	char *end = path != NULL ? strstr(path, scope_end) : NULL;

	if (end == NULL) {
		free(path);
		return NULL;
	}
	end[strlen(scope_end)] = '\0';
	return path;
}

static char *find_top_v1(void)
{
	char *prepend =
		slurm_conf_expand_slurmd_path(slurm_cgroup_conf.cgroup_prepend,
					      conf->node_name, conf->hostname);
	char *top = prepend != NULL ? strdup(prepend) : NULL;

	xfree(prepend);
	return top;
}

static char *find_slurms_cgroup(void)
{
	return tb_cpuset_is_v2() ? find_top_v2() : find_top_v1();
}

static bool is_there(const char *path)
{
	char *directory = tb_cpuset_directory(path, NULL);
	bool there = directory != NULL && access(directory, F_OK) == 0;

	free(directory);
	return there;
}

/* Systemd's slice of the system is where the first process has its scope, or is. */
static char *find_slice_v2(void)
{
	static const char init[] = "/init.scope";
	char *top = tb_cpuset_path_of(1, NULL), *slice = NULL;
	char *end = top != NULL ? strstr(top, init) : NULL;

	if (end != NULL)
		*end = '\0';
	if (top != NULL && asprintf(&slice, "%s/system.slice",
				    strcmp(top, "/") != 0 ? top : "") < 0)
		slice = NULL;
	free(top);
	return slice;
}

static char *print_scope(const char *slice, const char *node, const char *mark)
{
	char *path;

	return asprintf(&path, "%s/%s%sslurmstepd.scope", slice, node, mark) < 0
		       ? NULL
		       : path;
}

/* slurmd is not in it.  A Slurm for one slurmd on a machine has no name in it. */
static char *find_scope_v2(void)
{
	char *slice = find_slice_v2();
	char *named = slice != NULL ? print_scope(slice, conf->node_name, "_")
				    : NULL;
	char *plain = slice != NULL ? print_scope(slice, "", "") : NULL;
	bool is_plain = named != NULL && plain != NULL && !is_there(named) &&
			is_there(plain);

	free(slice);
	free(is_plain ? named : plain);
	return is_plain ? plain : named;
}

char *tb_daemon_cpuset(void)
{
	return tb_cpuset_is_v2() ? find_scope_v2() : find_top_v1();
}

/* The name of a job's cgroup with cgroup v2.  The caller frees; NULL: no memory. */
static char *print_job_name_v2(const tb_slurm_step_t *step)
{
	char *name;
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0)
	char sluid[SLUID_STR_BYTES];

	if (!slurm_cgroup_conf.cgroup_job_id_paths) {
		print_sluid(step->step_id.sluid, sluid, sizeof(sluid));
		return strdup(sluid);
	}
#endif
	return asprintf(&name, "job_%u", step->step_id.job_id) < 0 ? NULL
								   : name;
}

/* Where Slurm has, or would have, the cpuset cgroup of the step's job. */
static char *print_job_cgroup(tb_slurm_step_t *step, const char *top)
{
	char *path = NULL, *name;
	int rc = -1;

	if (!tb_cpuset_is_v2())
		return asprintf(&path, "%s/uid_%u/job_%u", top, step->uid,
				step->step_id.job_id) < 0
			       ? NULL
			       : path;
	name = print_job_name_v2(step);
	if (name != NULL)
		rc = asprintf(&path, "%s/%s", top, name);
	free(name);
	return rc < 0 ? NULL : path;
}

static char *print_step_cgroup(tb_slurm_step_t *step, const char *top)
{
	char *job = print_job_cgroup(step, top);
	char id[64], *path = NULL;

	log_build_step_id_str(&step->step_id, id, sizeof(id),
			      STEP_ID_FLAG_NO_PREFIX | STEP_ID_FLAG_NO_JOB);
	if (job == NULL || asprintf(&path, "%s/step_%s", job, id) < 0)
		path = NULL;
	free(job);
	return path;
}

static int constrain_level(cgroup_level_t level, const char *cpus, char *nodes,
			   tb_slurm_step_t *step, struct tb_error *err)
{
	cgroup_limits_t limits;

	cgroup_init_limits(&limits);
	limits.step = step;
	limits.allow_cores = (char *)cpus;
	limits.allow_mems = nodes;
	if (cgroup_g_constrain_set(CG_CPUS, level, &limits) != SLURM_SUCCESS)
		return tb_fail(err,
			       "Slurm could not set the CPUs %s in the "
			       "cpuset cgroup of the %s; see slurmd's log",
			       cpus,
			       level == CG_LEVEL_USER  ? "user"
			       : level == CG_LEVEL_JOB ? "job"
						       : "step");
	return 0;
}

/* What Slurm itself has; NULL with a sentence. */
static cgroup_limits_t *get_slurms_limits(struct tb_error *err)
{
	cgroup_limits_t *top = cgroup_g_constrain_get(CG_CPUS, CG_LEVEL_SLURM);

	if (top == NULL)
		tb_fail(err, "Slurm's own cpuset cgroup cannot be read; "
			     "see slurmd's log");
	return top;
}

/* A step without memory nodes of its own gets all that Slurm has. */
static int constrain_step(tb_slurm_step_t *step, const char *cpus,
			  const char *mems, const cgroup_limits_t *top,
			  struct tb_error *err)
{
	return constrain_level(CG_LEVEL_STEP, cpus,
			       mems[0] != '\0' ? (char *)mems : top->allow_mems,
			       step, err);
}

/* A user's cgroup holds several jobs: it gets all that Slurm has. */
static int constrain_all(tb_slurm_step_t *step, const char *job_cpus,
			 const char *step_cpus, const char *step_mems,
			 struct tb_error *err)
{
	cgroup_limits_t *top = get_slurms_limits(err);
	int rc;

	if (top == NULL)
		return -1;
	rc = constrain_level(CG_LEVEL_USER, top->allow_cores, top->allow_mems,
			     step, err);
	if (rc == 0)
		rc = constrain_level(CG_LEVEL_JOB, job_cpus, top->allow_mems,
				     step, err);
	if (rc == 0)
		rc = constrain_step(step, step_cpus, step_mems, top, err);
	cgroup_free_limits(top);
	return rc;
}

/*
 * Those of some CPUs that Slurm's own cgroup does not have: an administrator, or the
 * kernel when a CPU goes offline, may have taken them away.  When such CPUs are given to
 * a child, the kernel's error is no help: "permission denied", or none.  NULL with a
 * sentence.
 */
static struct tb_bitset *find_missing(const char *top, const char *job_cpus,
				      struct tb_error *err)
{
	/* What another job has for itself is never given to this one. */
	struct tb_bitset *there = tb_isolation_read_cpus(conf->spooldir,
							 tb_cpuset_read_cpus,
							 top, err);
	struct tb_bitset *wanted;

	if (there == NULL)
		return NULL;
	wanted = tb_bitset_parse_list(job_cpus, TB_CPUSET_OS_MAX, err);
	if (wanted != NULL)
		tb_bitset_andnot(wanted, there);
	tb_bitset_destroy(there);
	return wanted;
}

static int check_cpus(const char *top, const char *job_cpus,
		      struct tb_error *err)
{
	struct tb_bitset *missing = find_missing(top, job_cpus, err);
	char *list = missing != NULL ? tb_bitset_print_list(missing) : NULL;
	int rc = -1;

	if (list != NULL && list[0] == '\0')
		rc = 0;
	else if (list != NULL)
		tb_fail(err,
			"the CPUs %.100s are offline, or were taken out of "
			"the cpuset cgroup %.100s: give them back, until then "
			"the node offers no units with them",
			list, top);
	else if (missing != NULL)
		tb_fail(err, "out of memory");
	free(list);
	tb_bitset_destroy(missing);
	return rc;
}

static int check_node(const char *job_cpus, struct tb_error *err)
{
	char *top = find_slurms_cgroup();
	int rc = top != NULL
			 ? check_cpus(top, job_cpus, err)
			 : tb_fail(err,
				   "Slurm has no cpuset cgroup on this node; see "
				   "slurmd's log");

	free(top);
	return rc;
}

/* Are all OS CPUs of one of Slurm's cores of the node among these? */
static bool has_core(const struct tb_bitset *os_cpus, unsigned core)
{
	struct tb_bitset *cpus = NULL;
	char name[16], *list = NULL;
	bool has;

	snprintf(name, sizeof(name), "%u", core);
	if (xcpuinfo_abs_to_mac(name, &list) == SLURM_SUCCESS)
		cpus = tb_bitset_parse_list(list, TB_CPUSET_OS_MAX, NULL);
	has = cpus != NULL && tb_bitset_contains(os_cpus, cpus);
	tb_bitset_destroy(cpus);
	xfree(list);
	return has;
}

/* Any core of the node; -1: none is whole. */
static int find_core_left(const struct tb_bitset *there, unsigned *core)
{
	struct tb_step_node_input shape = { 0 };

	tb_daemon_node_shape(&shape);
	for (*core = 0; *core < shape.sockets * shape.cores; ++*core)
		if (has_core(there, *core))
			return 0;
	return -1;
}

/*
 * A step that has failed already still passes through task/cgroup, which with v1 cannot
 * set CPUs that are not there: then Slurm drains the node.  Its tasks end before they
 * start a program, on a core that is there.
 */
static void move_step(tb_slurm_step_t *step, const char *top)
{
	struct tb_bitset *there = tb_cpuset_read_cpus(top, NULL);
	unsigned core;

	if (there != NULL && find_core_left(there, &core) == 0) {
		xfree(step->job_alloc_cores);
		xfree(step->step_alloc_cores);
		xstrfmtcat(step->job_alloc_cores, "%u", core);
		xstrfmtcat(step->step_alloc_cores, "%u", core);
	}
	tb_bitset_destroy(there);
}

bool tb_slurm_step_leave_lost(tb_slurm_step_t *step, const char *job_cpus)
{
	char *top = find_slurms_cgroup();
	struct tb_bitset *missing = top != NULL
					    ? find_missing(top, job_cpus, NULL)
					    : NULL;
	bool lost = missing != NULL && !tb_bitset_is_empty(missing);

	if (lost)
		move_step(step, top);
	tb_bitset_destroy(missing);
	free(top);
	return lost;
}

int tb_slurm_cpusets_open(tb_slurm_step_t *step, const char *job_cpus,
			  const char *step_cpus, const char *step_mems,
			  struct tb_error *err)
{
	pid_t self = getpid();

	if (cgroup_g_initialize(CG_CPUS) != SLURM_SUCCESS ||
	    cgroup_g_step_create(CG_CPUS, step) != SLURM_SUCCESS)
		return tb_fail(err,
			       "Slurm could not make cpuset cgroups for "
			       "the step; see slurmd's log and cgroup.conf");
	is_open = true;
	/* With cgroup v1 Slurm's own has no CPUs before the first step. */
	if (check_node(job_cpus, err) < 0)
		return -1;
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

int tb_slurm_cpusets_move(tb_slurm_step_t *step, const char *step_cpus,
			  const char *step_mems, struct tb_error *err)
{
	cgroup_limits_t *top;
	int rc;

	if (is_ours)
		return 0;
	top = get_slurms_limits(err);
	if (top == NULL)
		return -1;
	rc = constrain_step(step, step_cpus, step_mems, top, err);
	cgroup_free_limits(top);
	return rc;
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
 * task/cgroup with devices or memory, and jobacct_gather/cgroup, give each task a
 * cgroup, by different numbers.  A task that has one stays there, as it has their
 * limits.  Slurm reports success even when a process could not be moved, so its
 * cgroup is checked.
 */
int tb_slurm_task_cgroup(tb_slurm_step_t *step, uint32_t task,
			 struct tb_error *err)
{
	uint32_t offset = step->het_job_task_offset == NO_VAL
				  ? 0
				  : step->het_job_task_offset;
	pid_t pid = step->task[task]->pid;

	if (!tb_cpuset_is_v2() || has_own_cgroup(pid))
		return 0;
	if (cgroup_g_task_addto(CG_CPUS, step, pid,
				step->task[task]->gtid + offset) !=
		    SLURM_SUCCESS ||
	    !has_own_cgroup(pid))
		return tb_fail(err,
			       "Slurm could not make a cgroup for task "
			       "%u; see slurmd's log",
			       task);
	return 0;
}

int tb_slurm_step_cgroups(tb_slurm_step_t *step, char **top, char **cgroup,
			  struct tb_error *err)
{
	*top = find_slurms_cgroup();
	*cgroup = *top != NULL ? print_step_cgroup(step, *top) : NULL;
	if (*cgroup != NULL)
		return 0;
	free(*top);
	*top = NULL;
	return tb_fail(err, "Slurm has put slurmstepd into none of its cpuset "
			    "cgroups; see slurmd's log");
}

/* cgroup v1: the directory of a job, whether it is there or not. */
static char *print_job_directory_v1(tb_slurm_step_t *step)
{
	char *top = tb_slurm_top_directory("cpuset");
	char *path;

	if (top == NULL || asprintf(&path, "%s/uid_%u/job_%u", top, step->uid,
				    step->step_id.job_id) < 0)
		path = NULL;
	free(top);
	return path;
}

static bool is_held_v1(tb_slurm_step_t *step)
{
	char *path = print_job_directory_v1(step);
	bool held = path != NULL && access(path, F_OK) == 0;

	free(path);
	return held;
}

static bool is_held_v2(tb_slurm_step_t *step)
{
	char *top = find_top_v2();
	char *path = top != NULL ? print_job_cgroup(step, top) : NULL;
	bool held = path != NULL && tb_cpuset_is_limited(path);

	free(path);
	free(top);
	return held;
}

/*
 * Where task/cgroup does not constrain cores only topobind makes such cgroups;
 * where it does, it holds the step.
 */
bool tb_slurm_job_is_held(tb_slurm_step_t *step)
{
	if (task_cgroup_constrains())
		return false;
	return tb_cpuset_is_v2() ? is_held_v2(step) : is_held_v1(step);
}

/* Every step asks, so it does without libcgroup, which is slow. */
static bool mount_is_v2(const char *mount)
{
	char *file;
	bool is_v2;

	if (asprintf(&file, "%s/cgroup.controllers", mount) < 0)
		return false;
	is_v2 = access(file, F_OK) == 0;
	free(file);
	return is_v2;
}

/* Of the job, beside slurmstepd's own; NULL: there is none. */
static char *find_job_directory_v2(tb_slurm_step_t *step, const char *mount)
{
	static const char scope_end[] = "_slurmstepd.scope/";
	char *name = print_job_name_v2(step), *line = NULL, *path = NULL;
	FILE *in = fopen("/proc/self/cgroup", "re");
	size_t size = 0;

	while (in != NULL && name != NULL && path == NULL &&
	       getline(&line, &size, in) > 0) {
		char *end = strstr(line, scope_end);

		if (strncmp(line, "0::", 3) == 0 && end != NULL &&
		    asprintf(&path, "%s%.*s%s", mount,
			     (int)(end - line - 3 + strlen(scope_end)),
			     line + 3, name) < 0)
			path = NULL;
	}
	if (in != NULL)
		fclose(in);
	free(name);
	free(line);
	return path;
}

char *tb_slurm_job_cgroup(tb_slurm_step_t *step)
{
	const char *mount = slurm_cgroup_conf.cgroup_mountpoint;
	char *path;

	if (mount == NULL)
		return strdup("");
	if (!mount_is_v2(mount))
		return print_job_directory_v1(step);
	path = find_job_directory_v2(step, mount);
	return path != NULL ? path : strdup("");
}

char *tb_slurm_step_directory_v2(tb_slurm_step_t *step)
{
	const char *mount = slurm_cgroup_conf.cgroup_mountpoint;
	char *job, *path = NULL;
	char id[64];

	if (mount == NULL || !mount_is_v2(mount))
		return NULL;
	job = find_job_directory_v2(step, mount);
	log_build_step_id_str(&step->step_id, id, sizeof(id),
			      STEP_ID_FLAG_NO_PREFIX | STEP_ID_FLAG_NO_JOB);
	if (job == NULL || asprintf(&path, "%s/step_%s", job, id) < 0)
		path = NULL;
	free(job);
	return path;
}

void tb_slurm_cpusets_adopt(pid_t pid)
{
	if (is_open && is_ours)
		cgroup_g_step_addto(CG_CPUS, &pid, 1);
}

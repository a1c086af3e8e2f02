/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The beginning and the end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soft_controller_private.h"

static struct tb_bitset *parse_cpus(const char *list)
{
	return tb_bitset_parse_list(list, TB_REGISTRY_CPUS, NULL);
}

/* With as many bits as the sets of claims. */
static struct tb_bitset *widen_set(const struct tb_bitset *set)
{
	struct tb_bitset *wide = tb_bitset_create(TB_REGISTRY_CPUS);

	if (wide != NULL)
		tb_bitset_or_range(wide, set, 0, set->nbits);
	return wide;
}

static int open_group(struct group *group, const char *path,
		      struct tb_bitset *base, struct tb_error *err)
{
	group->base = base;
	group->now = tb_bitset_create(TB_REGISTRY_CPUS);
	if (group->base == NULL || group->now == NULL)
		return tb_fail(err, "out of memory");
	group->cpuset = tb_cpuset_open(path, err);
	return group->cpuset != NULL ? 0 : -1;
}

static void close_group(struct group *group)
{
	tb_cpuset_destroy(group->cpuset);
	tb_bitset_destroy(group->base);
	tb_bitset_destroy(group->now);
}

static int open_usage(struct task *task, const char *path, struct tb_error *err)
{
	char *directory = tb_cpuset_directory(path, err);

	if (directory == NULL)
		return -1;
	task->usage = tb_usage_open(directory, tb_cpuset_is_v2(), err);
	free(directory);
	if (task->usage == NULL)
		return -1;
	task->used_us = tb_usage_read(task->usage);
	return 0;
}

static int open_task(struct task *task,
		     const struct tb_soft_controller_task *input,
		     struct tb_error *err)
{
	char *path = tb_cpuset_path_of(input->pid, err);
	int rc = -1;

	if (path == NULL)
		return -1;
	task->id = input->id;
	task->pid = input->pid;
	task->scope = widen_set(input->scope);
	task->preferred = widen_set(input->preferred);
	if (task->scope == NULL || task->preferred == NULL)
		tb_fail(err, "out of memory");
	else if (open_group(&task->group, path, widen_set(input->preferred),
			    err) == 0)
		rc = open_usage(task, path, err);
	free(path);
	return rc;
}

/* Cut n names off the end of a path. */
static void cut_names(char *path, unsigned n)
{
	for (char *slash; n > 0 && (slash = strrchr(path, '/')) != NULL; n--)
		*slash = '\0';
}

/* v2: JOB/step_S/user/task_N */
static int open_outers(struct tb_soft_controller *s,
		       const struct tb_soft_controller_input *input,
		       struct tb_error *err)
{
	char *path;
	int rc;

	if (!tb_cpuset_is_v2() || s->tasks == 0)
		return 0;
	path = strdup(tb_cpuset_path(s->task[0].group.cpuset));
	if (path == NULL)
		return tb_fail(err, "out of memory");
	s->outers = 2;
	cut_names(path, 1);
	rc = open_group(&s->outer[1], path, parse_cpus(input->step_cpus), err);
	cut_names(path, 2);
	if (rc == 0)
		rc = open_group(&s->outer[0], path, parse_cpus(input->job_cpus),
				err);
	free(path);
	return rc;
}

static int print_group(FILE *out, const struct group *group,
		       const struct tb_bitset *scope)
{
	char *base_list = tb_bitset_print_list(group->base);
	char *scope_list = tb_bitset_print_list(scope);
	int rc = -1;

	if (base_list != NULL && scope_list != NULL)
		rc = fprintf(out, "%s %s %s\n", base_list, scope_list,
			     tb_cpuset_path(group->cpuset)) > 0
			     ? 0
			     : -1;
	free(base_list);
	free(scope_list);
	return rc;
}

/* malloc()ed; NULL when out of memory. */
static char *print_groups(const struct tb_soft_controller *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (out == NULL)
		return NULL;
	for (unsigned i = 0; rc == 0 && i < s->outers; i++)
		rc = print_group(out, &s->outer[i], s->outer[i].base);
	for (unsigned i = 0; rc == 0 && i < s->tasks; i++)
		rc = print_group(out, &s->task[i].group, s->task[i].scope);
	if (fclose(out) == 0 && rc == 0)
		return text;
	free(text);
	return NULL;
}

static void note_tasks(struct tb_soft_controller *s)
{
	struct tb_soft_state *state = tb_soft_file_state(s->file);

	for (unsigned i = 0; i < s->tasks; i++) {
		state->task[i].id = s->task[i].id;
		state->task[i].pid = s->task[i].pid;
	}
}

static int make_file(struct tb_soft_controller *s, struct tb_error *err)
{
	char *cgroups = print_groups(s);

	if (cgroups == NULL)
		return tb_fail(err, "out of memory");
	if (tb_registry_lock(s->registry, err) == 0) {
		s->file = tb_soft_file_create(s->registry, &s->id, s->tasks,
					      cgroups, err);
		if (s->file != NULL)
			note_tasks(s);
		tb_registry_unlock(s->registry);
	}
	free(cgroups);
	return s->file != NULL ? 0 : -1;
}

/* Any of the scope can be preferred. */
static unsigned count_os_cpus(const struct tb_soft_controller *s)
{
	unsigned count = 0;

	for (unsigned i = 0; i < s->tasks; i++) {
		unsigned last = tb_bitset_last(s->task[i].scope);

		if (last < TB_REGISTRY_CPUS && last >= count)
			count = last + 1;
	}
	return count;
}

int tb_soft_controller_open_load(struct tb_soft_controller *s,
				 struct tb_error *err)
{
	if (s->proc_stat >= 0)
		return 0;
	s->cpus = count_os_cpus(s);
	free(s->cpus_used_us);
	free(s->cpus_before_us);
	s->cpus_used_us = calloc(s->cpus, sizeof(*s->cpus_used_us));
	s->cpus_before_us = calloc(s->cpus, sizeof(*s->cpus_before_us));
	if (s->cpus_used_us == NULL || s->cpus_before_us == NULL)
		return tb_fail(err, "out of memory");
	s->proc_stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (s->proc_stat < 0)
		return tb_fail(err, "cannot open /proc/stat");
	return tb_usage_of_cpus(s->proc_stat, s->cpus_used_us, s->cpus);
}

/* To write an empty line forgets what was preferred; to write nothing does nothing. */
static int set_native(struct task *task, enum tb_soft_mode mode,
		      struct tb_error *err)
{
	char *list = mode == TB_SOFT_OFF
			     ? strdup("\n")
			     : tb_bitset_print_list(task->preferred);
	char *directory =
		tb_cpuset_directory(tb_cpuset_path(task->group.cpuset), err);
	int rc = -1;

	if (list != NULL && directory != NULL)
		rc = tb_preferred_set_cgroup(directory, list, err);
	if (rc == 0)
		rc = tb_preferred_set_processes("/proc", directory, list, err);
	free(directory);
	free(list);
	return rc;
}

int tb_soft_controller_tell_kernel(struct tb_soft_controller *s,
				   struct tb_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->tasks; i++)
		if (s->task[i].native &&
		    set_native(&s->task[i], s->mode, err) < 0)
			rc = -1;
	return tb_soft_controller_tell_kernel_threads(s, err) < 0 ? -1 : rc;
}

/* Only in a cgroup of the job: others' would be counted, too. */
static void open_counters(const struct tb_soft_controller *s, struct task *task)
{
	char *directory = tb_cgroup_directory_of(task->pid, "cpuacct");
	char of_job[40];

	snprintf(of_job, sizeof(of_job), "/job_%u/", s->id.job);
	if (task->counters == NULL && directory != NULL &&
	    strstr(directory, of_job) != NULL)
		task->counters = tb_preferred_counters_open(directory);
	if (task->counters != NULL)
		task->counted = tb_preferred_counters_read(task->counters);
	free(directory);
}

/*
 * Preferred CPUs are refused that are not inside the cpuset, and ignored when
 * they are all of it: first it is made as wide as it may be.
 */
static int use_native(struct tb_soft_controller *s, struct tb_error *err)
{
	bool native = false;

	for (unsigned i = 0; i < s->tasks; i++) {
		int rc = set_native(&s->task[i], TB_SOFT_ON, err);

		if (rc < 0)
			return -1;
		s->task[i].native = rc > 0;
		native = native || s->task[i].native;
	}
	if (!native)
		return 0;
	s->mode = tb_soft_controller_mode(s);
	tb_soft_file_state(s->file)->native = 1;
	if (tb_soft_controller_apply(s, err) < 0 ||
	    tb_soft_controller_tell_kernel(s, err) < 0)
		return -1;
	for (unsigned i = 0; i < s->tasks; i++)
		open_counters(s, &s->task[i]);
	return 0;
}

/* Its tasks begin on their preferred CPUs, as any. */
static void leave_native(struct tb_soft_controller *s)
{
	for (unsigned i = 0; i < s->tasks; i++) {
		struct task *task = &s->task[i];

		if (!task->native)
			continue;
		set_native(task, TB_SOFT_OFF, NULL);
		task->native = false;
		task->used_us = tb_usage_read(task->usage);
		tb_soft_retreat(&task->soft);
	}
	tb_soft_file_state(s->file)->native = 0;
	s->is_told = false;
}

bool tb_soft_controller_watch_kernel(struct tb_soft_controller *s)
{
	bool off = tb_preferred_is_disabled("/proc");

	if (off == s->kernel_off)
		return false;
	s->kernel_off = off;
	if (off || use_native(s, NULL) < 0)
		leave_native(s);
	return true;
}

static int open_all(struct tb_soft_controller *s,
		    const struct tb_soft_controller_input *input,
		    struct tb_error *err)
{
	s->task = calloc(input->tasks, sizeof(*s->task));
	if (s->task == NULL)
		return tb_fail(err, "out of memory");
	for (; s->tasks < input->tasks; s->tasks++)
		if (open_task(&s->task[s->tasks], &input->task[s->tasks], err) <
		    0) {
			s->tasks++;
			return -1;
		}
	if (open_outers(s, input, err) < 0)
		return -1;
	if (s->conf.count == TB_SOFT_COUNT_ALL &&
	    tb_soft_controller_open_load(s, err) < 0)
		return -1;
	s->registry = tb_registry_open(input->spool_dir, err);
	if (s->registry == NULL || make_file(s, err) < 0)
		return -1;
	tb_soft_controller_watch_cpus(s);
	tb_soft_controller_find_processes(s);
	/* Without it tasks run all the same. */
	s->view = tb_soft_view_create(input->spool_dir, &s->id, input->uid,
				      NULL);
	s->kernel_off = tb_preferred_is_disabled("/proc");
	return s->kernel_off ? 0 : use_native(s, err);
}

struct tb_soft_controller *
tb_soft_controller_start(const struct tb_soft_controller_input *input,
			 struct tb_error *err)
{
	struct tb_soft_controller *s = calloc(1, sizeof(*s));
	struct tb_soft_counts counts;

	if (s == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	s->site = input->site;
	s->conf = input->site.step;
	s->node = input->site.node;
	s->reload = input->reload;
	s->id = input->id;
	s->suspended = input->suspended;
	s->save = input->save;
	s->proc_stat = -1;
	if (open_all(s, input, err) == 0 &&
	    tb_soft_controller_start_thread(s, err) == 0)
		return s;
	tb_soft_controller_stop(s, &counts);
	return NULL;
}

/* ---- what was set ---- */

enum tb_soft_mode tb_soft_controller_mode(const struct tb_soft_controller *s)
{
	return s->conf.on ? tb_registry_mode(s->registry, s->id.job)
			  : TB_SOFT_CONFINED;
}

static void take_said(struct tb_soft_controller *s,
		      const struct tb_soft_settings *job)
{
	tb_soft_controller_take_threads(s, job);
	s->is_said = s->threads.count > 0;
	for (unsigned i = 0; i < s->tasks; i++) {
		struct task *task = &s->task[i];
		const struct tb_bitset *said =
			tb_soft_settings_preferred(job, s->id.step, task->id);

		tb_bitset_destroy(task->said);
		task->said = said != NULL ? tb_bitset_copy(said) : NULL;
		s->is_said = s->is_said || task->said != NULL;
	}
}

/* It has no other threshold for a job or a partition. */
static void tell_threshold(struct tb_soft_controller *s)
{
	if (!tb_soft_file_state(s->file)->native ||
	    (s->is_told && s->told.low_pct == s->node.low_pct &&
	     s->told.count == s->node.count))
		return;
	tb_preferred_tune("/proc", TB_PREFERRED_FEATURES, s->node.low_pct,
			  s->node.count, NULL);
	s->told = s->node;
	s->is_told = true;
}

void tb_soft_controller_take_settings(struct tb_soft_controller *s)
{
	struct tb_soft_settings node, job;
	struct tb_conf_soft now = s->site.step;

	if (tb_soft_settings_read(s->registry, 0, &node, NULL) == 0) {
		if (tb_soft_settings_read(s->registry, s->id.job, &job, NULL) ==
		    0) {
			tb_soft_settings_apply(&node, &now.low_pct, &now.count);
			tb_soft_settings_apply(&job, &now.low_pct, &now.count);
			s->conf = now;
			s->node = s->site.node;
			tb_soft_settings_apply(&node, &s->node.low_pct,
					       &s->node.count);
			take_said(s, &job);
			tb_soft_settings_clear(&job);
		}
		tb_soft_settings_clear(&node);
	}
	tell_threshold(s);
	/* Without it, it is still the task's own load that counts. */
	if (s->conf.count == TB_SOFT_COUNT_ALL)
		tb_soft_controller_open_load(s, NULL);
}

/* ---- the end ---- */

/* Saved before its file goes, which says that the job has a step here. */
static void leave_registry(struct tb_soft_controller *s,
			   struct tb_soft_counts *counts)
{
	if (s->file != NULL) {
		tb_soft_controller_counts(s, counts);
		tb_soft_controller_save(s);
	}
	tb_soft_view_remove(s->view);
	if (s->registry != NULL)
		tb_soft_file_remove(s->file);
	tb_registry_close(s->registry);
}

void tb_soft_controller_stop(struct tb_soft_controller *s,
			     struct tb_soft_counts *counts)
{
	*counts = (struct tb_soft_counts){ 0 };
	if (s == NULL)
		return;
	tb_soft_controller_stop_thread(s);
	tb_soft_controller_clear_threads(s);
	for (unsigned i = 0; i < s->tasks; i++) {
		close_group(&s->task[i].group);
		tb_bitset_destroy(s->task[i].scope);
		tb_bitset_destroy(s->task[i].said);
		tb_bitset_destroy(s->task[i].preferred);
		tb_usage_close(s->task[i].usage);
		tb_preferred_counters_close(s->task[i].counters);
	}
	for (unsigned i = 0; i < s->outers; i++)
		close_group(&s->outer[i]);
	leave_registry(s, counts);
	if (s->proc_stat >= 0)
		close(s->proc_stat);
	free(s->cpus_used_us);
	free(s->cpus_before_us);
	tb_bitset_destroy(s->online);
	free(s->processes);
	free(s->task);
	free(s);
}

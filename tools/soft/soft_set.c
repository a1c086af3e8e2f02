/* SPDX-License-Identifier: GPL-2.0-or-later */
/* soft_set.c - see soft_set.h */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "soft_set.h"
#include "soft_threads.h"

static bool is_default(const char *value)
{
	return tb_text_is_word(value, strlen(value), "default");
}

/* ---- values ---- */

static int set_threshold(struct tb_soft_settings *settings, const char *value,
			 struct tb_error *err)
{
	const char *at = value;
	uint64_t percent;

	if (is_default(value)) {
		settings->threshold = TB_SOFT_UNSET;
		return 0;
	}
	if (tb_text_read_number(&at, 100, &percent) || *at)
		return tb_fail(
			err,
			"--threshold=%.60s is no percentage; allowed: 0 to 100, and default",
			value);
	settings->threshold = (int)percent;
	return 0;
}

static int read_thread(const char *value, pid_t *tid, struct tb_error *err)
{
	const char *at = value;
	uint64_t number;

	if (tb_text_read_number(&at, INT32_MAX, &number) || *at || !number)
		return tb_fail(
			err,
			"--thread=%.60s is not the number of a thread; \"topobind soft --threads\" has them",
			value);
	*tid = (pid_t)number;
	return 0;
}

static int set_count(struct tb_soft_settings *settings, const char *value,
		     struct tb_error *err)
{
	enum tb_soft_count count;

	if (is_default(value)) {
		settings->count = TB_SOFT_UNSET;
		return 0;
	}
	if (!tb_soft_count_read(value, &count))
		return tb_fail(
			err,
			"--count=%.60s is not known; allowed: job, all, and default",
			value);
	settings->count = count;
	return 0;
}

static int set_values(struct tb_soft_settings *settings,
		      const struct tb_soft_set *set,
		      const struct tb_soft_job *target, struct tb_error *err)
{
	if (set->threshold && set_threshold(settings, set->threshold, err))
		return -1;
	if (set->count && set_count(settings, set->count, err))
		return -1;
	if (!set->cpus)
		return 0;
	return tb_soft_settings_prefer(settings, &target->part,
				       is_default(set->cpus) ? NULL : set->cpus,
				       err);
}

int tb_soft_set_check(const struct tb_soft_set *set,
		      const struct tb_soft_job *target, struct tb_error *err)
{
	struct tb_soft_job exact = *target;
	struct tb_soft_settings trial = { .threshold = TB_SOFT_UNSET };
	int rc;

	if (!set->threshold && !set->count && !set->cpus)
		return tb_fail(
			err,
			"nothing is to be set; give --threshold, --count or --cpus");
	if (set->thread && !set->cpus)
		return tb_fail(
			err,
			"--thread goes with --cpus: the CPUs that it prefers, or \"default\"");
	if (set->cpus && !target->job)
		return tb_fail(
			err,
			"--cpus is for the tasks of a job; name it, such as 123, or 123.0 for a step and 123.0.1 for a task");
	if ((set->threshold || set->count) && set->thread)
		return tb_fail(
			err,
			"--threshold and --count are for the node or a whole job; leave out --thread");
	if ((set->threshold || set->count) && target->part.step != TB_SOFT_EACH)
		return tb_fail(
			err,
			"--threshold and --count are for the node or a whole job; leave out its step");
	if (set->thread &&
	    read_thread(set->thread, &exact.part.thread.tid, err))
		return -1;
	rc = set_values(&trial, set, &exact, err);
	tb_soft_settings_clear(&trial);
	return rc;
}

/* ---- may these tasks prefer these CPUs? ---- */

struct judge {
	struct tb_registry *registry;
	struct tb_soft_job *target; /* with a thread: becomes its task */
	const struct tb_bitset *wanted;
	unsigned tasks;
	struct tb_error *err;
};

#define REFUSED 2

static int refuse(const struct judge *judge, const struct tb_soft_state *state,
		  const struct tb_soft_task *task,
		  const struct tb_bitset *limit)
{
	char name[TB_STEP_NAME_SIZE];
	char *wanted = tb_bitset_print_list(judge->wanted);
	char *list = tb_bitset_print_list(limit);
	bool is_thread = judge->target->part.thread.tid && !state->native;

	tb_soft_step_name(state, name);
	if (wanted && list)
		tb_fail(judge->err,
			is_thread
				? "--cpus=%.100s is not among the CPUs that the thread's task %s.%u prefers now, %.200s; leave out the others, or let the task prefer them first"
				: "--cpus=%.100s is not among the CPUs that task %s.%u is allowed now, %.200s; leave out the others",
			wanted, name, task->id, list);
	else
		tb_fail(judge->err, "out of memory");
	free(wanted);
	free(list);
	return REFUSED;
}

static int judge_task(struct judge *judge, const struct tb_soft_state *state,
		      unsigned task)
{
	const struct tb_bitset *limit;
	struct tb_soft_cpus cpus;
	int rc = 0;

	if (!tb_soft_find_cpus(judge->registry, state, task, &cpus)) {
		tb_fail(judge->err, "the soft-bound steps cannot be read");
		rc = REFUSED;
	} else if (judge->wanted) {
		limit = judge->target->part.thread.tid
				? tb_soft_thread_limit(state, &cpus)
				: cpus.allowed;
		if (!tb_bitset_contains(limit, judge->wanted))
			rc = refuse(judge, state, &state->task[task], limit);
	}
	tb_soft_cpus_clear(&cpus);
	return rc;
}

/* Is the thread, if one is meant, in the cgroup of this task? */
static bool has_thread(const struct judge *judge,
		       const struct tb_soft_state *state, unsigned task)
{
	pid_t tid = judge->target->part.thread.tid;
	struct tb_soft_cgroup cgroup;
	bool has;

	if (!tid)
		return true;
	has = tb_soft_task_cgroup(state, task, &cgroup) &&
	      tb_soft_thread_is_in(tid, cgroup.path);
	tb_soft_cgroup_clear(&cgroup);
	return has;
}

static void note_task_of_thread(struct judge *judge,
				const struct tb_soft_state *state,
				unsigned task)
{
	if (!judge->target->part.thread.tid)
		return;
	judge->target->part.step = state->step;
	judge->target->part.task = state->task[task].id;
}

static int judge_step(struct tb_soft_state *state, bool alive, void *data)
{
	struct judge *judge = data;
	int rc = 0;

	for (unsigned i = 0; alive && !rc && i < state->tasks; i++)
		if (tb_soft_job_has_task(judge->target, state,
					 &state->task[i]) &&
		    has_thread(judge, state, i)) {
			judge->tasks++;
			note_task_of_thread(judge, state, i);
			rc = judge_task(judge, state, i);
		}
	return rc;
}

/* NULL wanted: any that they were granted. */
static int judge_tasks(struct judge *judge)
{
	int rc = tb_soft_each(judge->registry, TB_SOFT_LOOK, judge_step, judge);

	if (rc == REFUSED)
		return -1;
	if (rc)
		return tb_fail(judge->err,
			       "the soft-bound steps cannot be read");
	if (!judge->tasks && judge->target->part.thread.tid)
		return tb_fail(
			judge->err,
			"%d is no thread of a soft-bound task of job %u on this node; \"topobind soft --threads\" has them",
			(int)judge->target->part.thread.tid,
			judge->target->job);
	if (!judge->tasks)
		return tb_fail(judge->err,
			       "job %u has no such soft-bound task on this node",
			       judge->target->job);
	return 0;
}

static int check_cpus(struct tb_registry *registry,
		      const struct tb_soft_set *set, struct tb_soft_job *target,
		      struct tb_error *err)
{
	struct tb_bitset *wanted = NULL;
	struct judge judge = {
		.registry = registry,
		.target = target,
		.err = err,
	};
	int rc;

	if (!is_default(set->cpus)) {
		wanted = tb_bitset_parse_list(set->cpus, TB_REGISTRY_CPUS, err);
		if (!wanted)
			return -1;
	}
	judge.wanted = wanted;
	rc = judge_tasks(&judge);
	tb_bitset_destroy(wanted);
	return rc;
}

/* ---- run ---- */

/*
 * Its number, and when it started: read first, so that the task that is found then is
 * that of this thread or of none.
 */
static int find_thread(const struct tb_soft_set *set, struct tb_soft_job *exact,
		       struct tb_error *err)
{
	struct tb_thread_id *thread = &exact->part.thread;
	struct tb_thread now;

	if (!set->thread)
		return 0;
	if (read_thread(set->thread, &thread->tid, err))
		return -1;
	thread->started = tb_thread_read(thread->tid, &now) ? now.started : 0;
	return 0;
}

static int change_settings(struct tb_registry *registry,
			   const struct tb_soft_set *set,
			   const struct tb_soft_job *target,
			   struct tb_error *err)
{
	struct tb_soft_job exact = *target;
	struct tb_soft_settings settings;
	int rc;

	if (find_thread(set, &exact, err) ||
	    (set->cpus && check_cpus(registry, set, &exact, err)))
		return -1;
	if (tb_soft_settings_read(registry, target->job, &settings, err))
		return -1;
	rc = set_values(&settings, set, &exact, err);
	tb_soft_settings_drop_ended(&settings);
	if (!rc)
		rc = tb_soft_settings_write(registry, target->job, &settings,
					    err);
	tb_soft_settings_clear(&settings);
	return rc;
}

#define FOUND 2

static int is_kernels(struct tb_soft_state *state, bool alive, void *data)
{
	const struct tb_soft_job *target = data;

	return alive && state->native && tb_soft_job_has_step(target, state)
		       ? FOUND
		       : 0;
}

/* The kernel has one threshold for the node. */
static void note_kernel(struct tb_registry *registry,
			const struct tb_soft_set *set,
			const struct tb_soft_job *target, struct tb_error *note)
{
	struct tb_soft_job any = *target;

	note->text[0] = '\0';
	if (target->job && (set->threshold || set->count) &&
	    tb_soft_each(registry, TB_SOFT_LOOK, is_kernels, &any) == FOUND)
		tb_fail(note,
			"this has no effect while the kernel chooses for job %u, by one threshold for the node; leave out the job to set that",
			target->job);
}

int tb_soft_set_run(struct tb_registry *registry, const struct tb_soft_set *set,
		    const struct tb_soft_job *target, struct tb_error *note,
		    struct tb_error *err)
{
	int rc;

	if (tb_registry_lock(registry, err))
		return -1;
	note_kernel(registry, set, target, note);
	rc = change_settings(registry, set, target, err);
	tb_registry_unlock(registry);
	return rc;
}

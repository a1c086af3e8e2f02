/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads of which somebody said what they prefer.
 *
 * A cgroup holds a whole task, so they are kept by their affinity, inside what their
 * task has.  Threads that one of them starts have its affinity from the kernel, and
 * get back what their task has when it does.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "soft_controller_private.h"

static bool is_same(const struct tb_thread_id *a, const struct tb_thread_id *b)
{
	return a->tid == b->tid && a->started == b->started;
}

static const struct thread *find_thread(const struct threads *threads,
					const struct tb_thread_id *id)
{
	for (unsigned i = 0; i < threads->count; i++)
		if (is_same(&threads->thread[i].id, id))
			return &threads->thread[i];
	return NULL;
}

static void clear_thread(struct thread *thread)
{
	tb_bitset_destroy(thread->said);
	tb_bitset_destroy(thread->wanted);
	tb_bitset_destroy(thread->kept);
}

/* ---- CPUs ---- */

/* One that its program has pinned to just these CPUs cannot be told from them. */
static void free_heirs_in(const struct tb_soft_controller *s, FILE *tids,
			  const struct tb_bitset *cpus)
{
	char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, tids) > 0) {
		pid_t tid = (pid_t)strtol(line, NULL, 10);
		struct tb_bitset *has = tid > 0 ? tb_thread_cpus(tid) : NULL;
		bool is_named = false;

		for (unsigned i = 0; i < s->threads.count; i++)
			is_named = is_named ||
				   s->threads.thread[i].id.tid == tid;
		if (has != NULL && !is_named && tb_bitset_equal(has, cpus))
			tb_thread_keep(tid, NULL);
		tb_bitset_destroy(has);
	}
	free(line);
}

static void free_heirs(const struct tb_soft_controller *s,
		       const struct task *task, const struct tb_bitset *cpus)
{
	char *path,
		*directory = tb_cpuset_directory(tb_cpuset_path(
							 task->group.cpuset),
						 NULL);
	FILE *tids = NULL;

	if (directory != NULL &&
	    asprintf(&path, "%s/%s", directory,
		     tb_cpuset_is_v2() ? "cgroup.threads" : "tasks") > 0) {
		tids = fopen(path, "re");
		free(path);
	}
	if (tids != NULL) {
		free_heirs_in(s, tids, cpus);
		fclose(tids);
	}
	free(directory);
}

/* All that its task has. */
static void release_thread(const struct tb_soft_controller *s,
			   struct thread *thread)
{
	struct tb_bitset *has;

	if (tb_bitset_is_empty(thread->kept))
		return;
	has = tb_thread_cpus(thread->id.tid);
	tb_thread_keep(thread->id.tid, NULL);
	if (has != NULL)
		free_heirs(s, thread->task, has);
	tb_bitset_destroy(has);
	tb_bitset_clear_all(thread->kept);
}

/* Its program may have chosen others; so does the kernel when a cpuset changes. */
static void keep_thread(struct thread *thread)
{
	struct tb_bitset *has = tb_thread_cpus(thread->id.tid);

	if (has != NULL && (!tb_bitset_equal(thread->kept, thread->wanted) ||
			    !tb_bitset_contains(thread->wanted, has))) {
		if (tb_thread_keep(thread->id.tid, thread->wanted))
			tb_bitset_assign(thread->kept, thread->wanted);
		else
			tb_bitset_clear_all(thread->kept);
	}
	tb_bitset_destroy(has);
}

/* ---- what was set ---- */

/* False: it is no thread of a task of this step, or no memory. */
static bool open_thread(struct tb_soft_controller *s, struct thread *thread,
			const struct tb_soft_preference *preference)
{
	const struct thread *before = find_thread(&s->threads,
						  &preference->target.thread);
	struct tb_thread now;

	*thread = (struct thread){ .id = preference->target.thread };
	for (unsigned i = 0; i < s->tasks; i++)
		if (s->task[i].id == preference->target.task)
			thread->task = &s->task[i];
	if (preference->target.step != s->id.step || thread->task == NULL ||
	    !tb_thread_read(thread->id.tid, &now) ||
	    now.started != thread->id.started)
		return false;
	thread->used_us = now.used_us;
	thread->said = tb_bitset_copy(preference->cpus);
	thread->wanted = tb_bitset_create(TB_REGISTRY_CPUS);
	thread->kept = before != NULL ? tb_bitset_copy(before->kept)
				      : tb_bitset_create(TB_REGISTRY_CPUS);
	if (thread->said != NULL && thread->wanted != NULL &&
	    thread->kept != NULL)
		return true;
	clear_thread(thread);
	return false;
}

static void clear_threads(struct threads *threads)
{
	for (unsigned i = 0; i < threads->count; i++)
		clear_thread(&threads->thread[i]);
	free(threads->thread);
	*threads = (struct threads){ 0 };
}

void tb_soft_controller_clear_threads(struct tb_soft_controller *s)
{
	clear_threads(&s->threads);
}

void tb_soft_controller_take_threads(struct tb_soft_controller *s,
				     const struct tb_soft_settings *job)
{
	unsigned said = job->count_of_preferences;
	struct threads before, now = { 0 };

	if (said > 0)
		now.thread = calloc(said, sizeof(*now.thread));
	for (unsigned i = 0; now.thread != NULL && i < said; i++)
		if (job->preference[i].target.thread.tid != 0 &&
		    open_thread(s, &now.thread[now.count], &job->preference[i]))
			now.count++;
	before = s->threads;
	s->threads = now;
	for (unsigned i = 0; i < before.count; i++)
		if (find_thread(&now, &before.thread[i].id) == NULL)
			release_thread(s, &before.thread[i]);
	clear_threads(&before);
}

/* ---- each round ---- */

/* It has as much as its task, or what it prefers. */
static bool is_free(const struct tb_soft_controller *s,
		    const struct thread *thread)
{
	return thread->task->native || s->mode == TB_SOFT_OFF ||
	       tb_bitset_is_empty(thread->wanted) ||
	       thread->soft.choice == TB_SOFT_ALLOWED;
}

static void decide_thread(struct tb_soft_controller *s, struct thread *thread,
			  uint64_t used_us, uint64_t elapsed_us, bool paused)
{
	bool all = s->conf.count == TB_SOFT_COUNT_ALL && s->proc_stat >= 0;
	const struct tb_soft_sample sample = {
		.busy_us = all ? tb_soft_controller_busy_of(s, thread->wanted)
			       : used_us - thread->used_us,
		.room_us = elapsed_us * tb_bitset_count(thread->wanted),
		.paused = paused,
	};

	thread->used_us = used_us;
	if (s->mode == TB_SOFT_ON)
		tb_soft_decide(&thread->soft, s->conf.low_pct, &sample);
	else
		tb_soft_retreat(&thread->soft);
}

void tb_soft_controller_sample_threads(struct tb_soft_controller *s,
				       uint64_t elapsed_us, bool paused)
{
	struct threads *threads = &s->threads;
	struct tb_thread now;

	for (unsigned i = 0; i < threads->count;) {
		struct thread *thread = &threads->thread[i];

		if (!tb_thread_read(thread->id.tid, &now) ||
		    now.started != thread->id.started) {
			clear_thread(thread);
			*thread = threads->thread[--threads->count];
			continue;
		}
		tb_bitset_assign(thread->wanted, thread->said);
		tb_bitset_and(thread->wanted, thread->task->preferred);
		decide_thread(s, thread, now.used_us, elapsed_us, paused);
		i++;
	}
}

void tb_soft_controller_place_threads(struct tb_soft_controller *s)
{
	for (unsigned i = 0; i < s->threads.count; i++)
		if (is_free(s, &s->threads.thread[i]))
			release_thread(s, &s->threads.thread[i]);
		else
			keep_thread(&s->threads.thread[i]);
}

/* ---- a kernel that does it itself ---- */

int tb_soft_controller_tell_kernel_threads(struct tb_soft_controller *s,
					   struct tb_error *err)
{
	int rc = 0;

	for (unsigned i = 0; i < s->threads.count; i++) {
		const struct thread *thread = &s->threads.thread[i];
		char *list;

		if (!thread->task->native || s->mode == TB_SOFT_OFF)
			continue;
		list = tb_bitset_print_list(thread->said);
		if (list == NULL ||
		    tb_preferred_set_thread("/proc", thread->id.tid, list,
					    err) < 0)
			rc = -1;
		free(list);
	}
	return rc;
}

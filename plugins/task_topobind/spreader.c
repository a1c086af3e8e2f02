/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/spreader.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup/cpuset.h"
#include "cgroup/preferred.h"
#include "cgroup/usage.h"
#include "common/soft_state.h"
#include "core/soft.h"

/* It may use one part in so many of a CPU, at the default interval. */
#define COST_PARTS 500

/* One cgroup whose CPUs it writes: a task's, or with v2 one above it. */
struct group {
	struct tb_cpuset *cpuset;
	struct tb_bitset *base; /* CPUs that it always has */
	struct tb_bitset *now;	/* what was written last */
};

struct task {
	struct group group; /* base: the preferred CPUs */
	struct tb_bitset *scope;
	struct tb_usage *usage;
	struct tb_soft soft;
	uint64_t used_us; /* at the sample before */
	bool native;
};

struct tb_spreader {
	struct tb_registry *registry;
	struct tb_soft_file *file;
	struct tb_conf_soft conf;
	uint32_t job;
	unsigned tasks;
	struct task *task;
	/* With v2: of the job, and of the step's processes.  They limit, too. */
	unsigned outers;
	struct group outer[2];
	struct timespec registry_seen;
	bool off;
	bool was_paused;
	bool failed; /* the last write did not succeed */
	uint64_t sampled_us;
	int proc_stat; /* -1: the load of others does not count */
	unsigned cpus; /* OS CPUs below that number count then */
	uint64_t *cpus_used_us, *cpus_before_us;
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool started, ending;
};

/* ---- time ---- */

static uint64_t clock_us(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* How long to wait after a round that has cost so much. */
static uint64_t pause_us(const struct tb_spreader *s, uint64_t cost_us)
{
	uint64_t interval = (uint64_t)s->conf.interval_ms * 1000;
	uint64_t least = cost_us * COST_PARTS;

	/* Who asks for more rounds agrees to pay for them. */
	if (s->conf.interval_ms < TB_SOFT_INTERVAL_MS)
		least = least * s->conf.interval_ms / TB_SOFT_INTERVAL_MS;
	return interval > least ? interval : least;
}

/* True when it is time to end. */
static bool wait_us(struct tb_spreader *s, uint64_t us)
{
	uint64_t end = clock_us(CLOCK_MONOTONIC) + us;
	const struct timespec until = {
		.tv_sec = (time_t)(end / 1000000),
		.tv_nsec = (long)(end % 1000000) * 1000,
	};
	bool ending;
	int rc = 0;

	pthread_mutex_lock(&s->mutex);
	while (!s->ending && rc == 0)
		rc = pthread_cond_timedwait(&s->wake, &s->mutex, &until);
	ending = s->ending;
	pthread_mutex_unlock(&s->mutex);
	return ending;
}

/* ---- samples ---- */

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static uint64_t busy_of_cpus(const struct tb_spreader *s,
			     const struct tb_bitset *cpus)
{
	uint64_t sum = 0;

	for (unsigned cpu = tb_bitset_next(cpus, 0); cpu < cpus->nbits;
	     cpu = tb_bitset_next(cpus, cpu + 1))
		sum += grown(s->cpus_used_us[cpu], s->cpus_before_us[cpu]);
	return sum;
}

static uint64_t busy_of_task(struct task *task)
{
	uint64_t now = tb_usage_read(task->usage);
	uint64_t busy = grown(now, task->used_us);

	task->used_us = now;
	return busy;
}

/* Moves its choice; counts. */
static void decide(struct tb_spreader *s, struct task *task,
		   uint64_t elapsed_us, bool paused)
{
	struct tb_soft_state *state = tb_soft_file_state(s->file);
	struct tb_soft_counts before = task->soft.counts;
	const struct tb_soft_sample sample = {
		.busy_us = s->proc_stat >= 0 ?
			   busy_of_cpus(s, task->group.base) :
			   busy_of_task(task),
		.room_us = elapsed_us * tb_bitset_count(task->group.base),
		.paused = paused,
	};

	if (s->off) {
		tb_soft_retreat(&task->soft);
		return;
	}
	tb_soft_decide(&task->soft, s->conf.low_pct, &sample);
	state->preferred += task->soft.counts.preferred - before.preferred;
	state->allowed += task->soft.counts.allowed - before.allowed;
	state->smoothed += task->soft.counts.smoothed - before.smoothed;
}

static bool is_spread(const struct tb_spreader *s, const struct task *task)
{
	return !s->off &&
	       (task->native || task->soft.choice == TB_SOFT_ALLOWED);
}

/* True when some task is to move. */
static bool sample(struct tb_spreader *s)
{
	struct tb_soft_state *state = tb_soft_file_state(s->file);
	uint64_t now = clock_us(CLOCK_MONOTONIC);
	bool paused = state->paused;
	bool moves = false;
	unsigned spread = 0;

	if (s->proc_stat >= 0) {
		memcpy(s->cpus_before_us, s->cpus_used_us,
		       s->cpus * sizeof(*s->cpus_used_us));
		tb_usage_of_cpus(s->proc_stat, s->cpus_used_us, s->cpus);
	}
	for (unsigned i = 0; i < s->tasks; i++) {
		struct task *task = &s->task[i];
		enum tb_soft_choice before = task->soft.choice;

		/* The first after a pause has some of it. */
		if (!task->native)
			decide(s, task, now - s->sampled_us,
			       paused || s->was_paused);
		moves = moves || task->soft.choice != before;
		spread += is_spread(s, task);
	}
	s->sampled_us = now;
	s->was_paused = paused;
	state->spread = spread;
	return moves;
}

/* ---- writing ---- */

static int write_group(struct group *group, const struct tb_bitset *cpus,
		       struct tb_error *err)
{
	if (tb_bitset_equal(group->now, cpus))
		return 0;
	if (tb_cpuset_set(group->cpuset, cpus, NULL, err) < 0) {
		/* Unknown: whatever comes is to be written. */
		tb_bitset_clear_all(group->now);
		return -1;
	}
	tb_bitset_assign(group->now, cpus);
	return 0;
}

/* Somebody else, who took CPUs, or Slurm, may have written meanwhile. */
static void look(struct group *group)
{
	struct tb_bitset *seen =
		tb_cpuset_read_cpus(tb_cpuset_path(group->cpuset), NULL);

	if (seen != NULL)
		tb_bitset_assign(group->now, seen);
	else
		tb_bitset_clear_all(group->now);
	tb_bitset_destroy(seen);
}

/* The cgroups above a task let it go so far; other steps' share the job's. */
static int widen_outers(struct tb_spreader *s, const struct tb_bitset *held,
			const struct tb_bitset *wanted, struct tb_error *err)
{
	struct tb_bitset *cpus = tb_bitset_create(TB_REGISTRY_CPUS);
	int rc = cpus != NULL ? 0 : tb_fail(err, "out of memory");

	for (unsigned i = 0; rc == 0 && i < s->outers; i++) {
		struct group *outer = &s->outer[i];

		look(outer);
		tb_bitset_assign(cpus, outer->now);
		tb_bitset_or(cpus, wanted);
		tb_bitset_andnot(cpus, held);
		tb_bitset_or(cpus, outer->base);
		rc = write_group(outer, cpus, err);
	}
	tb_bitset_destroy(cpus);
	return rc;
}

static void want(const struct tb_spreader *s, const struct task *task,
		 const struct tb_bitset *held, struct tb_bitset *cpus)
{
	if (is_spread(s, task))
		tb_soft_allowed(task->scope, task->group.base, held, cpus);
	else
		tb_bitset_assign(cpus, task->group.base);
}

static int write_all(struct tb_spreader *s, const struct tb_bitset *held,
		     struct tb_error *err)
{
	struct tb_bitset *cpus = tb_bitset_create(TB_REGISTRY_CPUS);
	struct tb_bitset *all = tb_bitset_create(TB_REGISTRY_CPUS);
	int rc = cpus != NULL && all != NULL ? 0 :
					       tb_fail(err, "out of memory");

	for (unsigned i = 0; rc == 0 && i < s->tasks; i++) {
		want(s, &s->task[i], held, cpus);
		tb_bitset_or(all, cpus);
	}
	if (rc == 0)
		rc = widen_outers(s, held, all, err);
	for (unsigned i = 0; rc == 0 && i < s->tasks; i++) {
		want(s, &s->task[i], held, cpus);
		look(&s->task[i].group);
		rc = write_group(&s->task[i].group, cpus, err);
	}
	tb_bitset_destroy(cpus);
	tb_bitset_destroy(all);
	return rc;
}

/*
 * With the registry locked: who takes CPUs now comes before or after, not
 * between looking who holds them and writing.
 */
static int apply(struct tb_spreader *s, struct tb_error *err)
{
	struct tb_bitset *held;
	int rc = -1;

	if (tb_registry_lock(s->registry, err) < 0)
		return -1;
	held = tb_registry_held(s->registry, s->job, err);
	if (held != NULL)
		rc = write_all(s, held, err);
	tb_bitset_destroy(held);
	tb_registry_unlock(s->registry);
	return rc;
}

/* v2: Slurm limits the job again whenever another step of it starts. */
static bool was_limited(const struct tb_spreader *s)
{
	bool limited = false;

	for (unsigned i = 0; !limited && s->outers > 0 && i < s->tasks; i++) {
		const struct group *group = &s->task[i].group;
		struct tb_bitset *seen;

		if (!is_spread(s, &s->task[i]))
			continue;
		seen = tb_cpuset_read_cpus(tb_cpuset_path(group->cpuset), NULL);
		limited = seen != NULL && !tb_bitset_equal(seen, group->now);
		tb_bitset_destroy(seen);
	}
	return limited;
}

static void round_of(struct tb_spreader *s)
{
	bool changed = tb_registry_has_changed(s->registry, &s->registry_seen);
	bool off = s->off;
	bool moves;

	if (changed)
		s->off = tb_registry_is_off(s->registry, s->job);
	moves = sample(s);
	/* At a cgroup's end writing fails; there is nobody to tell. */
	if (moves || s->failed || s->off != off ||
	    (tb_soft_file_state(s->file)->spread > 0 &&
	     (changed || was_limited(s))))
		s->failed = apply(s, NULL) < 0;
}

static void *run(void *data)
{
	struct tb_spreader *s = data;
	struct tb_soft_state *state = tb_soft_file_state(s->file);
	uint64_t cost = 0;

	while (!wait_us(s, pause_us(s, cost))) {
		uint64_t before = clock_us(CLOCK_THREAD_CPUTIME_ID);

		round_of(s);
		cost = clock_us(CLOCK_THREAD_CPUTIME_ID) - before;
		state->cost_us += cost;
	}
	return NULL;
}

/* ---- beginning and end ---- */

static struct tb_bitset *parse(const char *list)
{
	return tb_bitset_parse_list(list, TB_REGISTRY_CPUS, NULL);
}

/* With as many bits as the sets of holds. */
static struct tb_bitset *widened(const struct tb_bitset *set)
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

static int open_usage(struct task *task, const char *path,
		      struct tb_error *err)
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

static int open_task(struct task *task, const struct tb_spreader_task *input,
		     struct tb_error *err)
{
	char *path = tb_cpuset_path_of(input->pid, err);
	int rc = -1;

	if (path == NULL)
		return -1;
	task->scope = widened(input->scope);
	if (task->scope == NULL)
		tb_fail(err, "out of memory");
	else if (open_group(&task->group, path, widened(input->preferred),
			    err) == 0)
		rc = open_usage(task, path, err);
	free(path);
	return rc;
}

/* Cut n names off the end of a path. */
static void cut(char *path, unsigned n)
{
	for (char *slash; n > 0 && (slash = strrchr(path, '/')) != NULL; n--)
		*slash = '\0';
}

/* v2: JOB/step_S/user/task_N */
static int open_outers(struct tb_spreader *s,
		       const struct tb_spreader_input *input,
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
	cut(path, 1);
	rc = open_group(&s->outer[1], path, parse(input->step_cpus), err);
	cut(path, 2);
	if (rc == 0)
		rc = open_group(&s->outer[0], path, parse(input->job_cpus),
				err);
	free(path);
	return rc;
}

static int print_group(FILE *out, const struct group *group)
{
	char *list = tb_bitset_print_list(group->base);

	if (list == NULL)
		return -1;
	fprintf(out, "%s %s\n", list, tb_cpuset_path(group->cpuset));
	free(list);
	return 0;
}

/* malloc()ed; NULL when out of memory. */
static char *print_groups(const struct tb_spreader *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc = 0;

	if (out == NULL)
		return NULL;
	for (unsigned i = 0; rc == 0 && i < s->outers; i++)
		rc = print_group(out, &s->outer[i]);
	for (unsigned i = 0; rc == 0 && i < s->tasks; i++)
		rc = print_group(out, &s->task[i].group);
	if (fclose(out) == 0 && rc == 0)
		return text;
	free(text);
	return NULL;
}

static int make_file(struct tb_spreader *s, const struct tb_registry_id *id,
		     struct tb_error *err)
{
	char *cgroups = print_groups(s);

	if (cgroups == NULL)
		return tb_fail(err, "out of memory");
	if (tb_registry_lock(s->registry, err) == 0) {
		s->file = tb_soft_file_create(s->registry, id, s->tasks,
					      cgroups, err);
		tb_registry_unlock(s->registry);
	}
	free(cgroups);
	return s->file != NULL ? 0 : -1;
}

static int open_load_of_all(struct tb_spreader *s, struct tb_error *err)
{
	if (s->conf.count == TB_SOFT_COUNT_JOB)
		return 0;
	for (unsigned i = 0; i < s->tasks; i++) {
		const struct tb_bitset *base = s->task[i].group.base;

		for (unsigned cpu = tb_bitset_next(base, s->cpus);
		     cpu < base->nbits; cpu = tb_bitset_next(base, cpu + 1))
			s->cpus = cpu + 1;
	}
	s->cpus_used_us = calloc(s->cpus, sizeof(*s->cpus_used_us));
	s->cpus_before_us = calloc(s->cpus, sizeof(*s->cpus_before_us));
	if (s->cpus_used_us == NULL || s->cpus_before_us == NULL)
		return tb_fail(err, "out of memory");
	s->proc_stat = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	if (s->proc_stat < 0)
		return tb_fail(err, "cannot open /proc/stat");
	return tb_usage_of_cpus(s->proc_stat, s->cpus_used_us, s->cpus);
}

static int set_native(struct task *task, pid_t pid, struct tb_error *err)
{
	char *list = tb_bitset_print_list(task->group.base);
	char *directory = tb_cpuset_directory(
		tb_cpuset_path(task->group.cpuset), err);
	int rc = -1;

	if (list != NULL && directory != NULL)
		rc = tb_preferred_set_cgroup(directory, list, err);
	if (rc == 0)
		rc = tb_preferred_set_process("/proc", pid, list, err);
	free(directory);
	free(list);
	task->native = rc > 0;
	return rc;
}

/*
 * Preferred CPUs are refused that are not inside the cpuset, and ignored when
 * they are all of it: first it is made as wide as it may be.
 */
static int use_native(struct tb_spreader *s,
		      const struct tb_spreader_input *input,
		      struct tb_error *err)
{
	bool native = false;

	s->off = tb_registry_is_off(s->registry, s->job);
	for (unsigned i = 0; i < s->tasks; i++) {
		if (set_native(&s->task[i], input->task[i].pid, err) < 0)
			return -1;
		native = native || s->task[i].native;
	}
	if (!native)
		return 0;
	tb_soft_file_state(s->file)->native = 1;
	if (apply(s, err) < 0)
		return -1;
	for (unsigned i = 0; i < s->tasks; i++)
		if (set_native(&s->task[i], input->task[i].pid, err) < 0)
			return -1;
	return 0;
}

/* No signal of slurmstepd's ends up in the thread. */
static int start_thread(struct tb_spreader *s, struct tb_error *err)
{
	pthread_condattr_t attributes;
	sigset_t all, before;
	int rc;

	pthread_mutex_init(&s->mutex, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->wake, &attributes);
	pthread_condattr_destroy(&attributes);
	s->sampled_us = clock_us(CLOCK_MONOTONIC);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&s->thread, NULL, run, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		return tb_fail(err, "no thread can be made: %s", strerror(rc));
	s->started = true;
	return 0;
}

static int open_all(struct tb_spreader *s,
		    const struct tb_spreader_input *input,
		    struct tb_error *err)
{
	s->task = calloc(input->tasks, sizeof(*s->task));
	if (s->task == NULL)
		return tb_fail(err, "out of memory");
	for (; s->tasks < input->tasks; s->tasks++)
		if (open_task(&s->task[s->tasks], &input->task[s->tasks],
			      err) < 0) {
			s->tasks++;
			return -1;
		}
	if (open_outers(s, input, err) < 0 || open_load_of_all(s, err) < 0)
		return -1;
	s->registry = tb_registry_open(input->spool_dir, err);
	if (s->registry == NULL || make_file(s, &input->id, err) < 0)
		return -1;
	return use_native(s, input, err);
}

struct tb_spreader *tb_spreader_start(const struct tb_spreader_input *input,
				      struct tb_error *err)
{
	struct tb_spreader *s = calloc(1, sizeof(*s));
	struct tb_soft_counts counts;

	if (s == NULL) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	s->conf = input->conf;
	s->job = input->id.job;
	s->proc_stat = -1;
	if (open_all(s, input, err) == 0 && start_thread(s, err) == 0)
		return s;
	tb_spreader_stop(s, &counts);
	return NULL;
}

static void stop_thread(struct tb_spreader *s)
{
	if (!s->started)
		return;
	pthread_mutex_lock(&s->mutex);
	s->ending = true;
	pthread_cond_signal(&s->wake);
	pthread_mutex_unlock(&s->mutex);
	pthread_join(s->thread, NULL);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->mutex);
}

static void leave_registry(struct tb_spreader *s,
			   struct tb_soft_counts *counts)
{
	const struct tb_soft_state *state;

	if (s->registry == NULL)
		return;
	if (s->file != NULL && tb_registry_lock(s->registry, NULL) == 0) {
		state = tb_soft_file_state(s->file);
		counts->preferred = state->preferred;
		counts->allowed = state->allowed;
		counts->smoothed = state->smoothed;
		tb_soft_add_counts(s->registry, s->job, counts);
		tb_registry_unlock(s->registry);
	}
	tb_soft_file_remove(s->registry, s->file);
	tb_registry_close(s->registry);
}

void tb_spreader_stop(struct tb_spreader *s, struct tb_soft_counts *counts)
{
	*counts = (struct tb_soft_counts){ 0 };
	if (s == NULL)
		return;
	stop_thread(s);
	for (unsigned i = 0; i < s->tasks; i++) {
		close_group(&s->task[i].group);
		tb_bitset_destroy(s->task[i].scope);
		tb_usage_close(s->task[i].usage);
	}
	for (unsigned i = 0; i < s->outers; i++)
		close_group(&s->outer[i]);
	leave_registry(s, counts);
	if (s->proc_stat >= 0)
		close(s->proc_stat);
	free(s->cpus_used_us);
	free(s->cpus_before_us);
	free(s->task);
	free(s);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The thread: samples, choices, and the CPUs of cgroups.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "soft_controller_private.h"

/* It may use one part in so many of a CPU, at the default interval. */
#define COST_PARTS 500

/* Counters are saved first after that time. */
#define SAVE_AFTER_US (10 * 1000000ULL)

/*
 * To look whether topobind.conf, or the kernel's switch, has changed, and to show the
 * user how things are.
 */
#define LOOK_PAUSE_US (2 * 1000000ULL)

/* ---- time ---- */

static uint64_t clock_us(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* How long to wait after a round that has cost so much. */
static uint64_t pause_us(const struct tb_soft_controller *s, uint64_t cost_us)
{
	uint64_t interval = (uint64_t)s->conf.interval_ms * 1000;
	uint64_t least = cost_us * COST_PARTS;

	/* Who asks for more rounds agrees to pay for them. */
	if (s->conf.interval_ms < TB_SOFT_INTERVAL_MS)
		least = least * s->conf.interval_ms / TB_SOFT_INTERVAL_MS;
	return interval > least ? interval : least;
}

/* True when it is time to end. */
static bool wait_us(struct tb_soft_controller *s, uint64_t us)
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

static uint64_t subtract_time(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

uint64_t tb_soft_controller_busy_of(const struct tb_soft_controller *s,
				    const struct tb_bitset *cpus)
{
	uint64_t sum = 0;

	TB_BITSET_EACH(cpu, cpus)
		sum += subtract_time(s->cpus_used_us[cpu],
				     s->cpus_before_us[cpu]);
	return sum;
}

static uint64_t busy_of_task(struct task *task)
{
	uint64_t now = tb_usage_read(task->usage);
	uint64_t busy = subtract_time(now, task->used_us);

	task->used_us = now;
	return busy;
}

static uint64_t subtract_count(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/* Of counters; somebody may have set them to zero between. */
static struct tb_soft_counts
subtract_counts(const struct tb_soft_counts *before,
		const struct tb_soft_counts *now)
{
	return (struct tb_soft_counts){
		subtract_count(now->preferred, before->preferred),
		subtract_count(now->allowed, before->allowed),
		subtract_count(now->smoothed, before->smoothed),
	};
}

static struct tb_soft_task *task_state(const struct tb_soft_controller *s,
				       const struct task *task)
{
	return &tb_soft_file_state(s->file)->task[task - s->task];
}

/* For who looks now, and can set it to zero, and for the job's record. */
static void add_counts(struct tb_soft_controller *s, const struct task *task,
		       const struct tb_soft_counts *more)
{
	struct tb_soft_task *state = task_state(s, task);

	state->preferred += more->preferred;
	state->allowed += more->allowed;
	state->smoothed += more->smoothed;
	s->unsaved.preferred += more->preferred;
	s->unsaved.allowed += more->allowed;
	s->unsaved.smoothed += more->smoothed;
}

/* As who resets ours has asked. */
static void reset_native(struct task *task, unsigned reset)
{
	const struct tb_preferred_which which = {
		.preferred = reset & TB_SOFT_RESET_PREFERRED,
		.allowed = reset & TB_SOFT_RESET_ALLOWED,
		.smoothed = reset & TB_SOFT_RESET_SMOOTHED,
	};

	tb_preferred_counters_reset(task->counters, &which);
	task->counted = tb_preferred_counters_read(task->counters);
}

/* What the kernel has chosen. */
static void count_native(struct tb_soft_controller *s, struct task *task)
{
	unsigned reset = atomic_exchange(&task_state(s, task)->reset, 0);
	struct tb_soft_counts now, more;

	if (task->counters == NULL)
		return;
	if (reset != 0)
		reset_native(task, reset);
	now = tb_preferred_counters_read(task->counters);
	more = subtract_counts(&task->counted, &now);
	task->counted = now;
	add_counts(s, task, &more);
}

/* Moves its choice; counts. */
static void decide_task(struct tb_soft_controller *s, struct task *task,
			uint64_t elapsed_us, bool paused)
{
	struct tb_soft_counts more, before = task->soft.counts;
	uint64_t own_us = busy_of_task(task);
	bool all = s->conf.count == TB_SOFT_COUNT_ALL && s->proc_stat >= 0;
	const struct tb_soft_sample sample = {
		.busy_us = all ? tb_soft_controller_busy_of(s, task->preferred)
			       : own_us,
		.room_us = elapsed_us * tb_bitset_count(task->preferred),
		.paused = paused,
	};

	if (s->mode != TB_SOFT_ON) {
		tb_soft_retreat(&task->soft);
		return;
	}
	tb_soft_decide(&task->soft, s->conf.low_pct, &sample);
	more = subtract_counts(&before, &task->soft.counts);
	add_counts(s, task, &more);
}

static bool is_spread(const struct tb_soft_controller *s,
		      const struct task *task)
{
	if (s->mode != TB_SOFT_ON)
		return s->mode == TB_SOFT_OFF;
	return task->native || task->soft.choice == TB_SOFT_ALLOWED;
}

/* True when some task is to move. */
static bool sample_tasks(struct tb_soft_controller *s)
{
	struct tb_soft_state *state = tb_soft_file_state(s->file);
	uint64_t now = clock_us(CLOCK_MONOTONIC);
	bool paused = s->suspended();
	bool moves = false;

	state->paused = paused;
	if (s->proc_stat >= 0) {
		memcpy(s->cpus_before_us, s->cpus_used_us,
		       s->cpus * sizeof(*s->cpus_used_us));
		tb_usage_of_cpus(s->proc_stat, s->cpus_used_us, s->cpus);
	}
	for (unsigned i = 0; i < s->tasks; i++) {
		struct task *task = &s->task[i];
		enum tb_soft_choice before = task->soft.choice;

		/* The first after a pause has some of it. */
		if (task->native)
			count_native(s, task);
		else
			decide_task(s, task, now - s->sampled_us,
				    paused || s->was_paused);
		moves = moves || task->soft.choice != before;
		state->task[i].spread = is_spread(s, task);
	}
	tb_soft_controller_sample_threads(s, now - s->sampled_us,
					  paused || s->was_paused);
	s->sampled_us = now;
	s->was_paused = paused;
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
static void read_group(struct group *group)
{
	struct tb_bitset *seen =
		tb_cpuset_read_cpus(tb_cpuset_path(group->cpuset), NULL);

	if (seen != NULL)
		tb_bitset_assign(group->now, seen);
	else
		tb_bitset_clear_all(group->now);
	tb_bitset_destroy(seen);
}

/* To write one that is off fails.  False: all of them are, and stay in the set. */
static bool keep_online(const struct tb_soft_controller *s,
			struct tb_bitset *cpus)
{
	if (s->online == NULL)
		return true;
	if (!tb_bitset_intersects(cpus, s->online))
		return false;
	tb_bitset_and(cpus, s->online);
	return true;
}

/* The cgroups above a task let it go so far; other steps' share the job's. */
static int widen_outers(struct tb_soft_controller *s,
			const struct tb_bitset *claimed,
			const struct tb_bitset *wanted, struct tb_error *err)
{
	struct tb_bitset *cpus = tb_bitset_create(TB_REGISTRY_CPUS);
	int rc = cpus != NULL ? 0 : tb_fail(err, "out of memory");

	for (unsigned i = 0; rc == 0 && i < s->outers; i++) {
		struct group *outer = &s->outer[i];

		read_group(outer);
		tb_bitset_assign(cpus, outer->now);
		tb_bitset_or(cpus, wanted);
		tb_bitset_andnot(cpus, claimed);
		tb_bitset_or(cpus, outer->base);
		keep_online(s, cpus);
		rc = write_group(outer, cpus, err);
	}
	tb_bitset_destroy(cpus);
	return rc;
}

static void find_wanted(const struct tb_soft_controller *s,
			const struct task *task,
			const struct tb_bitset *claimed, struct tb_bitset *cpus)
{
	tb_soft_allowed(task->scope, task->group.base, claimed, cpus);
	tb_soft_preferred(task->said, task->group.base, cpus, task->preferred);
	keep_online(s, cpus);
	/* Without any of those that it prefers it has the others. */
	if (!is_spread(s, task) && keep_online(s, task->preferred))
		tb_bitset_assign(cpus, task->preferred);
}

static int write_groups(struct tb_soft_controller *s,
			const struct tb_bitset *claimed, struct tb_error *err)
{
	struct tb_bitset *cpus = tb_bitset_create(TB_REGISTRY_CPUS);
	struct tb_bitset *all = tb_bitset_create(TB_REGISTRY_CPUS);
	int rc = cpus != NULL && all != NULL ? 0
					     : tb_fail(err, "out of memory");

	for (unsigned i = 0; rc == 0 && i < s->tasks; i++) {
		find_wanted(s, &s->task[i], claimed, cpus);
		tb_bitset_or(all, cpus);
	}
	if (rc == 0)
		rc = widen_outers(s, claimed, all, err);
	for (unsigned i = 0; rc == 0 && i < s->tasks; i++) {
		find_wanted(s, &s->task[i], claimed, cpus);
		read_group(&s->task[i].group);
		rc = write_group(&s->task[i].group, cpus, err);
	}
	tb_bitset_destroy(cpus);
	tb_bitset_destroy(all);
	return rc;
}

int tb_soft_controller_apply(struct tb_soft_controller *s, struct tb_error *err)
{
	struct tb_bitset *claimed;
	int rc = -1;

	if (tb_registry_lock(s->registry, err) < 0)
		return -1;
	claimed = tb_registry_claimed(s->registry, s->id.job, err);
	if (claimed != NULL)
		rc = write_groups(s, claimed, err);
	tb_bitset_destroy(claimed);
	tb_registry_unlock(s->registry);
	return rc;
}

/* v2: Slurm limits the job again whenever another step of it starts. */
static bool was_limited(const struct tb_soft_controller *s)
{
	bool limited = false;

	for (unsigned i = 0; !limited && s->outers > 0 && i < s->tasks; i++) {
		const struct group *group = &s->task[i].group;
		struct tb_bitset *seen;

		if (!is_spread(s, &s->task[i]) && s->task[i].said == NULL)
			continue;
		seen = tb_cpuset_read_cpus(tb_cpuset_path(group->cpuset), NULL);
		limited = seen != NULL && !tb_bitset_equal(seen, group->now);
		tb_bitset_destroy(seen);
	}
	return limited;
}

/* Now and then: topobind.conf may be on another machine.  True: something is new. */
static bool look_in_time(struct tb_soft_controller *s)
{
	uint64_t now = clock_us(CLOCK_MONOTONIC), before, cost;
	bool is_new;

	if (now < s->look_at_us)
		return false;
	is_new = s->reload(&s->site);
	is_new = tb_soft_controller_watch_kernel(s) || is_new;
	is_new = tb_soft_controller_watch_cpus(s) || is_new;
	before = clock_us(CLOCK_THREAD_CPUTIME_ID);
	tb_soft_controller_confine_again(s);
	tb_soft_controller_show(s);
	cost = clock_us(CLOCK_THREAD_CPUTIME_ID) - before;
	s->look_at_us = now + (cost * COST_PARTS > LOOK_PAUSE_US
				       ? cost * COST_PARTS
				       : LOOK_PAUSE_US);
	return is_new;
}

static void control_tasks(struct tb_soft_controller *s, bool is_new)
{
	bool changed = tb_registry_has_changed(s->registry, &s->registry_seen);
	enum tb_soft_mode before = s->mode;
	bool said = s->is_said, moves;

	if (changed || is_new) {
		tb_soft_controller_take_settings(s);
		s->mode = tb_soft_controller_mode(s);
		tb_soft_file_state(s->file)->site_off = !s->conf.on;
	}
	said = said || s->is_said;
	moves = sample_tasks(s);
	/* At a cgroup's end writing fails; there is nobody to tell. */
	if (moves || is_new || s->failed || s->mode != before ||
	    ((said || tb_soft_state_spread(tb_soft_file_state(s->file)) > 0) &&
	     (changed || was_limited(s))))
		s->failed = tb_soft_controller_apply(s, NULL) < 0;
	tb_soft_controller_place_threads(s);
	if (is_new || s->mode != before || (changed && said))
		tb_soft_controller_tell_kernel(s, NULL);
}

/* ---- counters ---- */

void tb_soft_controller_counts(const struct tb_soft_controller *s,
			       struct tb_soft_counts *counts)
{
	*counts = tb_soft_state_counts(tb_soft_file_state(s->file));
}

void tb_soft_controller_save(struct tb_soft_controller *s)
{
	struct tb_soft_counts *unsaved = &s->unsaved;

	if (s->save != NULL &&
	    unsaved->preferred + unsaved->allowed + unsaved->smoothed > 0 &&
	    s->save(s->registry, s->id.job, unsaved))
		*unsaved = (struct tb_soft_counts){ 0 };
}

static void save_in_time(struct tb_soft_controller *s)
{
	if (clock_us(CLOCK_MONOTONIC) < s->save_at_us)
		return;
	s->save_at_us += s->save_after_us;
	s->save_after_us *= 2;
	tb_soft_controller_save(s);
}

/* ---- the thread ---- */

static void *run_rounds(void *data)
{
	struct tb_soft_controller *s = data;
	struct tb_soft_state *state = tb_soft_file_state(s->file);
	uint64_t before = clock_us(CLOCK_THREAD_CPUTIME_ID);
	uint64_t round = 0, cost;
	bool is_new = false;

	/*
	 * To be woken, too, is a cost.  So is to save, and to read topobind.conf,
	 * but that is rare and no reason to look less often.
	 */
	while (!wait_us(s, pause_us(s, round))) {
		control_tasks(s, is_new);
		round = clock_us(CLOCK_THREAD_CPUTIME_ID) - before;
		save_in_time(s);
		is_new = look_in_time(s);
		cost = clock_us(CLOCK_THREAD_CPUTIME_ID) - before;
		before += cost;
		state->cost_us += cost;
	}
	return NULL;
}

/* No signal of slurmstepd's ends up in the thread. */
int tb_soft_controller_start_thread(struct tb_soft_controller *s,
				    struct tb_error *err)
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
	s->save_after_us = SAVE_AFTER_US;
	s->save_at_us = s->sampled_us + s->save_after_us;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&s->thread, NULL, run_rounds, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		return tb_fail(err,
			       "the controller's thread cannot be started: %s",
			       strerror(rc));
	/* So that top shows whose time it is. */
	pthread_setname_np(s->thread, "topobind-soft");
	s->started = true;
	return 0;
}

void tb_soft_controller_stop_thread(struct tb_soft_controller *s)
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

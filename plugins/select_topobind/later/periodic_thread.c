/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "periodic_thread.h"

#include <errno.h>
#include <time.h>

#include "compat/select_compat.h"

#include "src/common/log.h"
#include "src/common/macros.h"

/* By the clock that nobody sets: a pause is not longer when the other one jumps. */
static struct timespec
find_end_of_pause(const struct tb_periodic_thread *thread)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += thread->pause / 1000;
	until.tv_nsec += thread->pause % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	return until;
}

static bool is_told_to_end(struct tb_periodic_thread *thread)
{
	struct timespec until = find_end_of_pause(thread);
	bool ends;

	slurm_mutex_lock(&thread->lock);
	if (!thread->ends)
		slurm_cond_timedwait(&thread->wakes, &thread->lock, &until);
	ends = thread->ends;
	slurm_mutex_unlock(&thread->lock);
	return ends;
}

static void *work_until_end(void *arg)
{
	struct tb_periodic_thread *thread = arg;

	while (!is_told_to_end(thread) && !slurmctld_config.shutdown_time)
		thread->work();
	if (thread->last)
		thread->last();
	slurm_mutex_lock(&thread->lock);
	thread->has_ended = true;
	slurm_mutex_unlock(&thread->lock);
	return NULL;
}

bool tb_periodic_thread_runs(struct tb_periodic_thread *thread)
{
	bool runs;

	slurm_mutex_lock(&thread->lock);
	runs = thread->runs && !thread->has_ended;
	slurm_mutex_unlock(&thread->lock);
	return runs;
}

static void make_wakes(pthread_cond_t *wakes)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(wakes, &attributes);
	pthread_condattr_destroy(&attributes);
}

void tb_periodic_thread_begin(struct tb_periodic_thread *thread)
{
	if (tb_periodic_thread_runs(thread))
		return;
	tb_periodic_thread_end(thread);
	thread->ends = thread->has_ended = false;
	make_wakes(&thread->wakes);
	/* Slurm 26.05 lends threads of its own only, which end before it does. */
	errno = pthread_create(&thread->id, NULL, work_until_end, thread);
	thread->runs = errno == 0;
	if (thread->runs)
		return;
	pthread_cond_destroy(&thread->wakes);
	error("topobind: a thread cannot be created: %m");
}

void tb_periodic_thread_end(struct tb_periodic_thread *thread)
{
	if (!thread->runs)
		return;
	slurm_mutex_lock(&thread->lock);
	thread->ends = true;
	slurm_cond_signal(&thread->wakes);
	slurm_mutex_unlock(&thread->lock);
	pthread_join(thread->id, NULL);
	pthread_cond_destroy(&thread->wakes);
	thread->runs = false;
}

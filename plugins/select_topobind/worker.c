/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "worker.h"

#include <errno.h>
#include <time.h>

#include "compat/select_compat.h"

#include "src/common/log.h"
#include "src/common/macros.h"

static struct timespec end_of_pause(const struct tb_worker *worker)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += worker->pause / 1000;
	until.tv_nsec += worker->pause % 1000 * 1000000L;
	if (until.tv_nsec >= 1000000000L) {
		until.tv_nsec -= 1000000000L;
		until.tv_sec++;
	}
	return until;
}

static bool is_told_to_end(struct tb_worker *worker)
{
	struct timespec until = end_of_pause(worker);
	bool ends;

	slurm_mutex_lock(&worker->lock);
	if (!worker->ends)
		slurm_cond_timedwait(&worker->wakes, &worker->lock, &until);
	ends = worker->ends;
	slurm_mutex_unlock(&worker->lock);
	return ends;
}

static void *run(void *arg)
{
	struct tb_worker *worker = arg;

	while (!is_told_to_end(worker) && !slurmctld_config.shutdown_time)
		worker->work();
	if (worker->last)
		worker->last();
	slurm_mutex_lock(&worker->lock);
	worker->has_ended = true;
	slurm_mutex_unlock(&worker->lock);
	return NULL;
}

bool tb_worker_runs(struct tb_worker *worker)
{
	bool runs;

	slurm_mutex_lock(&worker->lock);
	runs = worker->runs && !worker->has_ended;
	slurm_mutex_unlock(&worker->lock);
	return runs;
}

void tb_worker_begin(struct tb_worker *worker)
{
	if (tb_worker_runs(worker))
		return;
	tb_worker_end(worker);
	worker->ends = worker->has_ended = false;
	/* Slurm 26.05 lends threads of its own only, which end before it does. */
	errno = pthread_create(&worker->thread, NULL, run, worker);
	worker->runs = errno == 0;
	if (!worker->runs)
		error("topobind: a thread cannot be created: %m");
}

void tb_worker_end(struct tb_worker *worker)
{
	if (!worker->runs)
		return;
	slurm_mutex_lock(&worker->lock);
	worker->ends = true;
	slurm_cond_signal(&worker->wakes);
	slurm_mutex_unlock(&worker->lock);
	pthread_join(worker->thread, NULL);
	worker->runs = false;
}

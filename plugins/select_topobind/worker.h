/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * worker.h - a thread of the plugin that looks after something from time to
 * time
 *
 * slurmctld calls no select plugin when some things change.  What waits for
 * them is looked after by a thread that takes the locks it needs, does little,
 * and ends with slurmctld.
 */
#ifndef TB_SELECT_WORKER_H
#define TB_SELECT_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct tb_worker {
	void (*work)(void); /* called without locks */
	unsigned pause;     /* so many milliseconds between two calls */
	void (*last)(void); /* the thread's last call; NULL: none */
	/* Private. */
	pthread_t thread;
	bool runs;
	pthread_mutex_t lock; /* guards the next */
	pthread_cond_t wakes;
	bool ends;
	bool has_ended;
};

#define TB_WORKER(what, milliseconds, at_last) { \
	.work = what, \
	.pause = milliseconds, \
	.last = at_last, \
	.lock = PTHREAD_MUTEX_INITIALIZER, \
	.wakes = PTHREAD_COND_INITIALIZER, \
}

/* Nothing when it runs already. */
void tb_worker_begin(struct tb_worker *worker);
/* Has it begun, and not come to its end? */
bool tb_worker_runs(struct tb_worker *worker);
/* Waits for its end; called without locks.  Nothing when it does not run. */
void tb_worker_end(struct tb_worker *worker);

#endif

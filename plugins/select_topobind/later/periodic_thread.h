/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * periodic_thread.h - a thread of the plugin that does something again and again
 *
 * slurmctld calls no select plugin when some things change.  A thread waits for
 * these changes.  It takes the locks it needs, does little, and ends with
 * slurmctld.
 */
#ifndef TB_SELECT_TOPOBIND_LATER_PERIODIC_THREAD_H
#define TB_SELECT_TOPOBIND_LATER_PERIODIC_THREAD_H

#include <pthread.h>
#include <stdbool.h>

struct tb_periodic_thread {
	void (*work)(void); /* called without locks */
	unsigned pause;	    /* between two calls, in milliseconds */
	void (*last)(void); /* the thread's last call; NULL: none */
	/* Private. */
	pthread_t id;
	bool runs;
	pthread_cond_t wakes; /* while it runs */
	pthread_mutex_t lock; /* guards the next */
	bool ends;
	bool has_ended;
};

#define TB_PERIODIC_THREAD(what, milliseconds, at_last) \
	{ \
		.work = what, .pause = milliseconds, .last = at_last, \
		.lock = PTHREAD_MUTEX_INITIALIZER, \
	}

/* Does nothing when it runs already. */
void tb_periodic_thread_begin(struct tb_periodic_thread *thread);
/* Has it begun, and not ended? */
bool tb_periodic_thread_runs(struct tb_periodic_thread *thread);
/* Waits for its end; called without locks.  Does nothing when it does not run. */
void tb_periodic_thread_end(struct tb_periodic_thread *thread);

#endif

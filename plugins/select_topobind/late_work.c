/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "late_work.h"

#include <stdatomic.h>

#include "compat/select_compat.h"

#include "src/slurmctld/locks.h"

#include "periodic_thread.h"

enum { LOOK_MS = 200 };

static void (*workers[TB_LATE_WORKS])(void);
static atomic_bool is_due[TB_LATE_WORKS];

static void do_work(enum tb_late_work what)
{
	const slurmctld_lock_t locks = { .conf = READ_LOCK,
					 .job = WRITE_LOCK,
					 .node = WRITE_LOCK,
					 .part = READ_LOCK };

	lock_slurmctld(locks);
	workers[what]();
	unlock_slurmctld(locks);
}

static void do_what_is_due(void)
{
	for (enum tb_late_work what = 0; what < TB_LATE_WORKS; what++)
		if (atomic_exchange(&is_due[what], false))
			do_work(what);
}

static struct tb_periodic_thread worker = TB_PERIODIC_THREAD(do_what_is_due,
							     LOOK_MS, NULL);

void tb_late_work_set(enum tb_late_work what, void (*work)(void))
{
	workers[what] = work;
}

void tb_late_work_add(enum tb_late_work what)
{
	atomic_store(&is_due[what], true);
	if (!slurmctld_config.shutdown_time)
		tb_periodic_thread_begin(&worker);
}

void tb_late_work_fini(void)
{
	tb_periodic_thread_end(&worker);
}

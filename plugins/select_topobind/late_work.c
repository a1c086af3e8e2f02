/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "late_work.h"

#include <stdatomic.h>

#include "compat/select_compat.h"

#include "src/slurmctld/locks.h"

#include "periodic_thread.h"

enum { LOOK_MS = 200 };

static void (*do_late_work)(void);
static atomic_bool is_due;

static void work_if_due(void)
{
	const slurmctld_lock_t locks = { .conf = READ_LOCK,
					 .node = WRITE_LOCK,
					 .part = READ_LOCK };

	if (!atomic_exchange(&is_due, false))
		return;
	lock_slurmctld(locks);
	do_late_work();
	unlock_slurmctld(locks);
}

static struct tb_periodic_thread worker = TB_PERIODIC_THREAD(work_if_due,
							     LOOK_MS, NULL);

void tb_late_work_set(void (*work)(void))
{
	do_late_work = work;
}

void tb_late_work_add(void)
{
	atomic_store(&is_due, true);
	if (!slurmctld_config.shutdown_time)
		tb_periodic_thread_begin(&worker);
}

void tb_late_work_fini(void)
{
	tb_periodic_thread_end(&worker);
}

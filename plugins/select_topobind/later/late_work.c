/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "late_work.h"

#include <stdatomic.h>

#include "compat/select_compat.h"

#include "src/slurmctld/locks.h"

#include "periodic_thread.h"

enum { LOOK_MS = 200 };

static void (*works[TB_LATE_WORKS])(void);
static atomic_bool is_due[TB_LATE_WORKS];

static void do_if_due(enum tb_late_work kind)
{
	const slurmctld_lock_t locks = {
		.conf = READ_LOCK,
		.job = kind == TB_LATE_JOBS ? WRITE_LOCK : NO_LOCK,
		.node = WRITE_LOCK,
		.part = READ_LOCK,
	};

	if (!atomic_exchange(&is_due[kind], false))
		return;
	lock_slurmctld(locks);
	works[kind]();
	unlock_slurmctld(locks);
}

static void work_if_due(void)
{
	do_if_due(TB_LATE_NODES);
	do_if_due(TB_LATE_JOBS);
}

static struct tb_periodic_thread worker = TB_PERIODIC_THREAD(work_if_due,
							     LOOK_MS, NULL);

void tb_late_work_set(enum tb_late_work kind, void (*work)(void))
{
	works[kind] = work;
}

void tb_late_work_add(enum tb_late_work kind)
{
	atomic_store(&is_due[kind], true);
	if (!slurmctld_config.shutdown_time)
		tb_periodic_thread_begin(&worker);
}

void tb_late_work_fini(void)
{
	tb_periodic_thread_end(&worker);
}

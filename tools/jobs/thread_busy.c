/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread_busy.c - see thread_busy.h */
#include <stdlib.h>
#include <time.h>

#include "cgroup/cpu_look.h"
#include "thread_busy.h"

static void wait_for(unsigned seconds)
{
	struct timespec left = { .tv_sec = seconds };

	while (nanosleep(&left, &left))
		;
}

/* By thread of the machine. */
static double *divide(const struct tb_machine *machine,
		      const struct tb_cpu_look *before,
		      const struct tb_cpu_look *after, struct tb_error *err)
{
	unsigned nthreads = tb_topology_threads(tb_machine_topology(machine));
	double *busy = calloc(nthreads + 1, sizeof(*busy));

	if (!busy)
		tb_fail(err, "out of memory");
	for (unsigned i = 0; busy && i < nthreads; i++)
		busy[i] = tb_cpu_look_busy(before, after,
					   tb_machine_os_cpu(machine, i));
	return busy;
}

double *tb_thread_busy_measure(const struct tb_machine *machine,
			       unsigned seconds, struct tb_error *err)
{
	struct tb_cpu_look before = { 0 }, after = { 0 };
	double *busy = NULL;

	if (!tb_cpu_look_take(&before, err)) {
		wait_for(seconds);
		if (!tb_cpu_look_take(&after, err))
			busy = divide(machine, &before, &after, err);
	}
	tb_cpu_look_clear(&before);
	tb_cpu_look_clear(&after);
	return busy;
}

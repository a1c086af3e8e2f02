/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "cpu_look.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "usage.h"

int tb_cpu_look_take(struct tb_cpu_look *look, struct tb_error *err)
{
	int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	struct timespec now;
	int rc = -1;

	look->used_us = calloc(TB_CPU_LOOK_CPUS, sizeof(*look->used_us));
	clock_gettime(CLOCK_MONOTONIC, &now);
	look->at = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	if (look->used_us == NULL)
		tb_fail(err, "out of memory");
	else if (file < 0 ||
		 tb_usage_of_cpus(file, look->used_us, TB_CPU_LOOK_CPUS) < 0)
		tb_fail(err, "/proc/stat cannot be read");
	else
		rc = 0;
	if (file >= 0)
		close(file);
	return rc;
}

void tb_cpu_look_clear(struct tb_cpu_look *look)
{
	free(look->used_us);
	look->used_us = NULL;
}

double tb_cpu_look_busy(const struct tb_cpu_look *before,
			const struct tb_cpu_look *after, unsigned cpu)
{
	double passed = (after->at - before->at) * 1e6;
	double used = (double)(after->used_us[cpu] - before->used_us[cpu]);

	/* The kernel counts in whole ticks. */
	return used < passed ? used / passed : 1;
}

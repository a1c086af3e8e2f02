/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_look.h - how busy each CPU was between two looks, whoever used it
 *
 * By /proc/stat, whatever cgroups there are; as fine as the kernel's clock ticks.
 */
#ifndef TB_CGROUP_CPU_LOOK_H
#define TB_CGROUP_CPU_LOOK_H

#include <stdint.h>

#include "core/base/error.h"

/* OS CPU numbers are below this. */
#define TB_CPU_LOOK_CPUS 65536

struct tb_cpu_look {
	double at;	   /* seconds, of no certain beginning */
	uint64_t *used_us; /* by OS CPU; NULL: none was taken */
};

/* -1 with a sentence.  tb_cpu_look_clear() is right after both, and after {0}. */
int tb_cpu_look_take(struct tb_cpu_look *look, struct tb_error *err);
void tb_cpu_look_clear(struct tb_cpu_look *look);

/* Between two that were taken: 0 never, 1 always. */
double tb_cpu_look_busy(const struct tb_cpu_look *before,
			const struct tb_cpu_look *after, unsigned cpu);

#endif

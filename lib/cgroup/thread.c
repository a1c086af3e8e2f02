/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "thread.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpuset.h"
#include "usage.h"

/* Behind the name: state, eleven of no matter, utime and stime, and so on. */
#define STAT_FORMAT \
	" %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u" \
	" %" SCNu64 " %" SCNu64 " %*d %*d %*d %*d %*d %*d" \
	" %" SCNu64 " %*u %*d %*u %*u %*u %*u %*u %*u %*u" \
	" %*u %*u %*u %*u %*u %*u %*d %d"

/* Its name, in brackets, can have anything in it, brackets too. */
static bool parse_stat(const char *stat, struct tb_thread *thread)
{
	const char *begin = strchr(stat, '('), *end = strrchr(stat, ')');
	uint64_t user, kernel;

	if (begin == NULL || end == NULL || end < begin ||
	    sscanf(end + 1, STAT_FORMAT, &user, &kernel, &thread->started,
		   &thread->cpu) != 4)
		return false;
	thread->used_us = tb_usage_of_ticks(user + kernel);
	snprintf(thread->name, sizeof(thread->name), "%.*s",
		 (int)(end - begin - 1), begin + 1);
	return true;
}

bool tb_thread_read(pid_t tid, struct tb_thread *thread)
{
	char path[60], stat[1024];
	size_t size;
	FILE *file;

	/* What /proc/TID/stat has is of its whole process. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)tid,
		 (int)tid);
	file = fopen(path, "re");
	if (file == NULL)
		return false;
	size = fread(stat, 1, sizeof(stat) - 1, file);
	fclose(file);
	stat[size] = '\0';
	return parse_stat(stat, thread);
}

struct tb_bitset *tb_thread_cpus(pid_t tid)
{
	size_t size = CPU_ALLOC_SIZE(TB_CPUSET_OS_MAX);
	cpu_set_t *mask = CPU_ALLOC(TB_CPUSET_OS_MAX);
	struct tb_bitset *cpus = NULL;
	int left = 0;

	if (mask != NULL && sched_getaffinity(tid, size, mask) == 0) {
		cpus = tb_bitset_create(TB_CPUSET_OS_MAX);
		left = CPU_COUNT_S(size, mask);
	}
	/* Few are as many as there can be. */
	for (unsigned i = 0; cpus != NULL && left > 0; i++)
		if (CPU_ISSET_S(i, size, mask)) {
			tb_bitset_set(cpus, i);
			left--;
		}
	CPU_FREE(mask);
	return cpus;
}

bool tb_thread_keep(pid_t tid, const struct tb_bitset *os_cpus)
{
	size_t size = CPU_ALLOC_SIZE(TB_CPUSET_OS_MAX);
	cpu_set_t *mask = CPU_ALLOC(TB_CPUSET_OS_MAX);
	bool kept;

	if (mask == NULL)
		return false;
	memset(mask, os_cpus != NULL ? 0 : 0xff, size);
	if (os_cpus != NULL)
		TB_BITSET_EACH(cpu, os_cpus)
			CPU_SET_S(cpu, size, mask);
	kept = sched_setaffinity(tid, size, mask) == 0;
	CPU_FREE(mask);
	return kept;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * affinity_log.c - preloaded into a program that binds processes to CPUs which
 * this machine does not have: what it asks the kernel for is written to
 * AFFINITY_LOG/PID, one CPU a line, and succeeds
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	const char *dir = getenv("AFFINITY_LOG");
	char path[4096];
	FILE *out;

	if (!dir)
		return 0;
	snprintf(path, sizeof(path), "%s/%d", dir, pid ? pid : getpid());
	out = fopen(path, "w");
	if (!out)
		return -1;
	for (size_t cpu = 0; cpu < 8 * size; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			fprintf(out, "%zu\n", cpu);
	return fclose(out);
}

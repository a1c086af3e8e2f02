/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * escape.c - try every CPU of the machine one by one, and all at once
 *
 * Prints the CPUs on which it could be, as a list of words: those that
 * sched_setaffinity() accepted, and then, after a colon, those that were left of
 * a mask with all.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int count = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set;

	for (int cpu = 0; cpu < count; cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if (sched_setaffinity(0, sizeof(set), &set) == 0)
			printf("%d ", sched_getcpu());
	}
	printf(":");
	CPU_ZERO(&set);
	for (int cpu = 0; cpu < count; cpu++)
		CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0 ||
	    sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	for (int cpu = 0; cpu < count; cpu++)
		if (CPU_ISSET(cpu, &set))
			printf(" %d", cpu);
	printf("\n");
	return 0;
}

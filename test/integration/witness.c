/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * witness.c - do soft-bound threads keep off the CPUs of this job?
 *
 * usage: witness PROGRAM TENTHS - look for so many tenths of a second, over and
 * over, in /proc, which CPUs threads of processes of that program, a full path,
 * may use.  Says "touched" for each that may use one of its own, and at the end how
 * often it has looked, how many of the processes were there at the first look, and
 * how many came.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Processes that were seen. */
#define SEEN_MAX 4096

struct witness {
	const char *program;
	cpu_set_t own;
	unsigned looks, met, came;
	int seen[SEEN_MAX];
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The value of a line of a status file; false when there is none. */
static bool read_line(const char *path, const char *key, char *value, int size)
{
	FILE *file = fopen(path, "re");
	bool found = false;

	if (file == NULL)
		return false;
	while (!found && fgets(value, size, file) != NULL)
		found = strncmp(value, key, strlen(key)) == 0;
	fclose(file);
	if (found)
		memmove(value, value + strlen(key),
			strlen(value + strlen(key)) + 1);
	value[strcspn(value, "\n")] = '\0';
	return found;
}

/* "0-2,5" has one of the set? */
static bool meets(const char *list, const cpu_set_t *set)
{
	bool met = false;

	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (unsigned long cpu = first; cpu <= last; cpu++)
			met = met || CPU_ISSET(cpu, set);
		list = *end == ',' ? end + 1 : end;
	}
	return met;
}

static void look_at_threads(const struct witness *witness, int pid)
{
	char path[300], list[4096];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	threads = opendir(path);
	while (threads != NULL && (entry = readdir(threads)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/status", pid,
			 entry->d_name);
		if (entry->d_name[0] != '.' &&
		    read_line(path, "Cpus_allowed_list:\t", list,
			      sizeof(list)) &&
		    meets(list, &witness->own))
			printf("touched: thread %s may use %s\n", entry->d_name,
			       list);
	}
	if (threads != NULL)
		closedir(threads);
}

static void note(struct witness *witness, int pid)
{
	unsigned known = witness->met + witness->came;

	for (unsigned i = 0; i < known; i++)
		if (witness->seen[i] == pid)
			return;
	if (known == SEEN_MAX)
		return;
	witness->seen[known] = pid;
	if (witness->looks == 0)
		witness->met++;
	else
		witness->came++;
}

static bool runs(int pid, const char *program)
{
	char path[64], link[4096];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	length = readlink(path, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	return strcmp(link, program) == 0;
}

static void look(struct witness *witness)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	while (proc != NULL && (entry = readdir(proc)) != NULL) {
		int pid = atoi(entry->d_name);

		if (pid > 0 && runs(pid, witness->program)) {
			note(witness, pid);
			look_at_threads(witness, pid);
		}
	}
	if (proc != NULL)
		closedir(proc);
	witness->looks++;
}

int main(int argc, char **argv)
{
	static struct witness witness;
	double end;

	if (argc != 3)
		return 2;
	witness.program = argv[1];
	end = now() + atof(argv[2]) / 10;
	if (sched_getaffinity(0, sizeof(witness.own), &witness.own) < 0)
		return 2;
	do
		look(&witness);
	while (now() < end);
	printf("looks %u met %u came %u\n", witness.looks, witness.met,
	       witness.came);
	return 0;
}

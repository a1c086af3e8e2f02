/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "usage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX 4096

struct tb_usage {
	bool is_v2;
	int file; /* v2: cpu.stat; v1: the cgroup's directory */
};

struct tb_usage *tb_usage_open(const char *directory, bool is_v2,
			       struct tb_error *err)
{
	struct tb_usage *usage = malloc(sizeof(*usage));
	char *path = NULL;

	if (usage == NULL ||
	    asprintf(&path, "%s%s", directory, is_v2 ? "/cpu.stat" : "") < 0) {
		tb_fail(err, "out of memory");
		free(usage);
		return NULL;
	}
	usage->is_v2 = is_v2;
	usage->file = open(path, O_RDONLY | O_CLOEXEC);
	if (usage->file < 0) {
		tb_fail(err, "cannot open %.300s: %s", path, strerror(errno));
		free(usage);
		usage = NULL;
	}
	free(path);
	return usage;
}

void tb_usage_close(struct tb_usage *usage)
{
	if (usage == NULL)
		return;
	close(usage->file);
	free(usage);
}

uint64_t tb_usage_of_ticks(uint64_t ticks)
{
	return ticks * 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* Up to a block of a file from somewhere, as a string. */
static ssize_t read_at(int file, char text[TEXT_MAX], off_t from)
{
	ssize_t got = pread(file, text, TEXT_MAX - 1, from);

	text[got > 0 ? got : 0] = '\0';
	return got;
}

/* The times of one process and the children it has waited for. */
static uint64_t process_us(unsigned long pid)
{
	unsigned long long user, system;
	long long of_children, system_of_children;
	char name[40], text[TEXT_MAX];
	const char *rest;
	ssize_t got;
	int file;

	snprintf(name, sizeof(name), "/proc/%lu/stat", pid);
	file = open(name, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	got = read_at(file, text, 0);
	close(file);
	/* A program's name can have brackets and blanks in it. */
	rest = got > 0 ? strrchr(text, ')') : NULL;
	if (rest == NULL ||
	    sscanf(rest + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld",
		   &user, &system, &of_children, &system_of_children) != 4)
		return 0;
	return tb_usage_of_ticks(user + system + (uint64_t)of_children +
				 (uint64_t)system_of_children);
}

/* An open cgroup.procs of v1 shows who was there when it was first read. */
static uint64_t processes_us(int directory)
{
	int procs = openat(directory, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	char text[TEXT_MAX];
	uint64_t sum = 0;
	off_t from = 0;

	while (procs >= 0 && read_at(procs, text, from) > 0) {
		char *end = strrchr(text, '\n');
		char *line = text;

		if (end == NULL)
			break;
		*end = '\0';
		from += end + 1 - text;
		while (line != NULL && *line != '\0') {
			sum += process_us(strtoul(line, &line, 10));
			line = strchr(line, '\n');
			line += line != NULL;
		}
	}
	if (procs >= 0)
		close(procs);
	return sum;
}

static uint64_t stat_us(int file)
{
	static const char key[] = "usage_usec ";
	char text[TEXT_MAX];
	const char *line;

	if (read_at(file, text, 0) <= 0)
		return 0;
	line = strstr(text, key);
	return line != NULL ? strtoull(line + strlen(key), NULL, 10) : 0;
}

uint64_t tb_usage_read(const struct tb_usage *usage)
{
	return usage->is_v2 ? stat_us(usage->file) : processes_us(usage->file);
}

/* user nice system idle iowait irq softirq steal, of these all but idle ones */
static bool read_cpu_line(const char *line, unsigned *cpu, uint64_t *used_us)
{
	unsigned long long t[8];

	if (sscanf(line, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", cpu,
		   &t[0], &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) != 9)
		return false;
	*used_us = tb_usage_of_ticks(t[0] + t[1] + t[2] + t[5] + t[6] + t[7]);
	return true;
}

int tb_usage_of_cpus(int file, uint64_t *used_us, unsigned count)
{
	off_t from = 0;
	char text[TEXT_MAX];

	while (read_at(file, text, from) > 0) {
		char *line = text, *end;

		while ((end = strchr(line, '\n')) != NULL) {
			uint64_t used;
			unsigned cpu;

			*end = '\0';
			/* The first is the sum; the CPUs come before the rest. */
			if (strncmp(line, "cpu", 3) != 0)
				return 0;
			if (line[3] != ' ' &&
			    read_cpu_line(line, &cpu, &used) && cpu < count)
				used_us[cpu] = used;
			line = end + 1;
		}
		if (line == text)
			break;
		from += line - text;
	}
	return from > 0 ? 0 : -1;
}

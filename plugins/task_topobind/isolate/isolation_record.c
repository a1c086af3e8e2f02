/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "isolation_record.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/read_file.h"

/* Two paths and a list. */
#define RECORD_MAX (512 * 1024)

char *tb_isolation_record_print(const char *top, const char *cgroup,
				uint32_t job, const char *cpus)
{
	char *text;

	return asprintf(&text, "%s\n%s\n%" PRIu32 "\n%s\n", top, cgroup, job,
			cpus) < 0
		       ? NULL
		       : text;
}

/* The next line of a text, which goes on behind it; NULL: there is no whole one. */
static char *take_line(char **text)
{
	char *line = *text, *end = strchr(line, '\n');

	if (end == NULL)
		return NULL;
	*end = '\0';
	*text = end + 1;
	return line;
}

static bool fill(struct tb_isolation_record *record, char *text)
{
	char *top = take_line(&text);
	char *cgroup = top != NULL ? take_line(&text) : NULL;
	char *job = cgroup != NULL ? take_line(&text) : NULL;
	char *cpus = job != NULL ? take_line(&text) : NULL;

	if (cpus == NULL)
		return false;
	record->top = strdup(top);
	record->cgroup = strdup(cgroup);
	record->job = (uint32_t)strtoul(job, NULL, 10);
	record->cpus = tb_bitset_parse_list(cpus, TB_ISOLATION_CPUS, NULL);
	return record->top != NULL && record->cgroup != NULL &&
	       record->cpus != NULL;
}

struct tb_isolation_record *tb_isolation_record_read(int fd, const char *name)
{
	struct tb_isolation_record *record = calloc(1, sizeof(*record));
	size_t size;
	char *text = record != NULL ? tb_read_file(fd, RECORD_MAX, &size)
				    : NULL;
	bool filled = false;

	if (text != NULL) {
		record->name = strdup(name);
		filled = record->name != NULL && fill(record, text);
	}
	free(text);
	if (filled)
		return record;
	tb_isolation_records_destroy(record);
	return NULL;
}

struct reader {
	const struct tb_locked_dir *dir;
	struct tb_isolation_record **next;
};

static int read_record(const char *name, void *data)
{
	struct reader *reader = data;
	int fd = openat(reader->dir->fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return 0;
	*reader->next = tb_isolation_record_read(fd, name);
	if (*reader->next != NULL)
		reader->next = &(*reader->next)->next;
	close(fd);
	return 0;
}

int tb_isolation_records_read(const struct tb_locked_dir *dir,
			      struct tb_isolation_record **records)
{
	struct reader reader = { dir, records };

	*records = NULL;
	return tb_locked_dir_each(dir, "", read_record, &reader);
}

void tb_isolation_records_destroy(struct tb_isolation_record *records)
{
	while (records != NULL) {
		struct tb_isolation_record *record = records;

		records = record->next;
		free(record->name);
		free(record->top);
		free(record->cgroup);
		tb_bitset_destroy(record->cpus);
		free(record);
	}
}

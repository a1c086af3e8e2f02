/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task_tres.c - see task_tres.h */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "task_tres.h"

#define GRES "gres/"

static bool starts(const char *text, const char *start)
{
	return !strncasecmp(text, start, strlen(start));
}

static int fail_for(const char *item, size_t length, struct tb_error *err)
{
	return tb_fail(
		err,
		"--tres-per-task=%.*s is not right, give cpu=N, gres/NAME=N and gres/NAME:TYPE=N with commas between them",
		(int)(length < 60 ? length : 60), item);
}

static int read_cpus(struct tb_task_tres *tres, const char *item, size_t length,
		     struct tb_error *err)
{
	const char *number = item + strlen("cpu=");
	unsigned long cpus;
	char *end;

	if (item[3] != '=' && item[3] != ':')
		return fail_for(item, length, err);
	errno = 0;
	cpus = strtoul(number, &end, 10);
	if (*number < '0' || *number > '9' || end != item + length || errno ||
	    !cpus || cpus >= UINT16_MAX - 1)
		return fail_for(item, length, err);
	tres->cpus = (uint16_t)cpus;
	return 0;
}

static int add_gres(struct tb_task_tres *tres, const char *item, size_t length,
		    struct tb_error *err)
{
	const char *name = item + strlen(GRES);
	size_t size = length - strlen(GRES);
	char *list;

	if (!size || strchr("=:", *name))
		return fail_for(item, length, err);
	if (asprintf(&list, "%s%s%.*s", tres->gres ? tres->gres : "",
		     tres->gres ? "," : "", (int)size, name) < 0)
		return tb_fail(err, "out of memory");
	for (char *c = list; *c; c++)
		if (*c == '=')
			*c = ':';
	free(tres->gres);
	tres->gres = list;
	tres->gpus = tres->gpus ||
		     (starts(name, "gpu") &&
		      (size == 3 || name[3] == ':' || name[3] == '='));
	return 0;
}

static int read_item(struct tb_task_tres *tres, const char *item, size_t length,
		     struct tb_error *err)
{
	if (!length)
		return fail_for(item, length, err);
	if (starts(item, "mem") || starts(item, "energy"))
		return tb_fail(
			err,
			"--tres-per-task=%.*s: memory and energy are of no task, say how much memory with --mem, --mem-per-cpu or --mem-per-gpu",
			(int)(length < 60 ? length : 60), item);
	if (length > 3 && starts(item, "cpu"))
		return read_cpus(tres, item, length, err);
	if (length >= strlen(GRES) && starts(item, GRES))
		return add_gres(tres, item, length, err);
	return memchr(item, '/', length) ? 0 : fail_for(item, length, err);
}

int tb_task_tres_read(struct tb_task_tres *tres, const char *text,
		      struct tb_error *err)
{
	*tres = (struct tb_task_tres){ .gres = NULL };
	for (;;) {
		size_t length = strcspn(text, ",");

		if (read_item(tres, text, length, err))
			return -1;
		if (!text[length])
			return 0;
		text += length + 1;
	}
}

void tb_task_tres_clear(struct tb_task_tres *tres)
{
	free(tres->gres);
	tres->gres = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "soft_state_v1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct state_v1 {
	uint32_t version, size, job, step, tasks, spread, paused, native;
	uint64_t preferred, allowed, smoothed, cost_us;
	char cgroups[]; /* a line for each: "BASE PATH" */
};

static bool is_whole(const struct state_v1 *old, size_t size)
{
	return size > sizeof(*old) && old->version == 1 && old->size == size &&
	       memchr(old->cgroups, '\0', size - sizeof(*old)) != NULL;
}

/* "BASE BASE PATH": it is not known what else they may have. */
static void print_lines(const char *lines, FILE *out)
{
	for (size_t length; *lines != '\0'; lines += length) {
		length = strcspn(lines, "\n") + 1;
		if (lines[length - 1] == '\0')
			return;
		fprintf(out, "%.*s %.*s", (int)strcspn(lines, " \n"), lines,
			(int)length, lines);
	}
}

static char *convert_lines(const char *lines)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	print_lines(lines, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

struct tb_soft_state *tb_soft_state_of_v1(const void *file, size_t size)
{
	const struct state_v1 *old = file;
	struct tb_soft_state *state = NULL;
	char *text;

	if (!is_whole(old, size))
		return NULL;
	text = convert_lines(old->cgroups);
	if (text != NULL)
		state = calloc(1, sizeof(*state) + strlen(text) + 1);
	if (state != NULL) {
		state->job = old->job;
		state->step = old->step;
		state->paused = old->paused;
		state->native = old->native;
		state->cost_us = old->cost_us;
		memcpy(state->task, text, strlen(text) + 1);
	}
	free(text);
	return state;
}

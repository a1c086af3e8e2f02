/* SPDX-License-Identifier: GPL-2.0-or-later */
/* progress.c - see progress.h */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

/* A letter for each five percent. */
static const char full[] = "####################";
#define LETTERS ((int)sizeof(full) - 1)

static bool can_move(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && strcmp(term, "dumb");
}

void tb_progress_show(const char *what, unsigned percent)
{
	int done = (int)percent * LETTERS / 100;

	if (can_move())
		fprintf(stderr, "\r%-20.20s [%.*s%*s] %3u%%", what, done, full,
			LETTERS - done, "", percent);
}

void tb_progress_clear(void)
{
	if (can_move())
		fputs("\r\033[K", stderr);
}

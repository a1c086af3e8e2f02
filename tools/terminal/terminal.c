/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.c - see terminal.h */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

#define WIDTH_DEFAULT 80
#define WIDTH_MIN 40
#define WIDTH_MAX 10000

int tb_color_parse(const char *text, enum tb_color *color)
{
	if (!strcmp(text, "auto"))
		*color = TB_COLOR_AUTO;
	else if (!strcmp(text, "always"))
		*color = TB_COLOR_ALWAYS;
	else if (!strcmp(text, "never"))
		*color = TB_COLOR_NEVER;
	else
		return -1;
	return 0;
}

bool tb_color_is_on(enum tb_color color)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (color != TB_COLOR_AUTO)
		return color == TB_COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

/* 0: nothing says it. */
static unsigned find_width(void)
{
	const char *columns = getenv("COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize size;

	if (width <= 0 && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		width = size.ws_col;
	if (width <= 0)
		return 0;
	if (width < WIDTH_MIN)
		width = WIDTH_MIN;
	return width < WIDTH_MAX ? (unsigned)width : WIDTH_MAX;
}

unsigned tb_terminal_width(void)
{
	unsigned width = find_width();

	return width ? width : WIDTH_DEFAULT;
}

unsigned tb_line_width(void)
{
	unsigned width = find_width();

	return width ? width : UINT_MAX;
}

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

static unsigned limit_width(unsigned long width)
{
	if (width < WIDTH_MIN)
		return WIDTH_MIN;
	return width < WIDTH_MAX ? (unsigned)width : WIDTH_MAX;
}

/* What COLUMNS says; 0: it says no number. */
static unsigned long read_columns(void)
{
	const char *columns = getenv("COLUMNS");

	if (!columns || !*columns ||
	    columns[strspn(columns, "0123456789")] != '\0')
		return 0;
	return strtoul(columns, NULL, 10);
}

unsigned tb_line_width(void)
{
	unsigned long columns = read_columns();
	struct winsize size;

	if (columns)
		return limit_width(columns);
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return limit_width(size.ws_col);
	return isatty(STDOUT_FILENO) ? WIDTH_DEFAULT : UINT_MAX;
}

unsigned tb_terminal_width(void)
{
	unsigned width = tb_line_width();

	return width < UINT_MAX ? width : WIDTH_DEFAULT;
}

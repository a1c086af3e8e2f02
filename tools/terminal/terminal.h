/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal.h - how wide the output is and whether it has colours
 */
#ifndef TB_TOOLS_TERMINAL_TERMINAL_H
#define TB_TOOLS_TERMINAL_TERMINAL_H

#include <stdbool.h>

enum tb_color { TB_COLOR_AUTO, TB_COLOR_ALWAYS, TB_COLOR_NEVER };

/* The value of --color.  -1 when it is none of auto, always, never. */
int tb_color_parse(const char *text, enum tb_color *color);

/*
 * With auto: stdout is a terminal that can, and the environment has no NO_COLOR
 * (https://no-color.org).
 */
bool tb_color_is_on(enum tb_color color);

/* Columns: COLUMNS, else the terminal's, else 80; at least 40. */
unsigned tb_terminal_width(void);

/* The same for sentences: where nothing says how wide lines are, they stay whole. */
unsigned tb_line_width(void);

#endif

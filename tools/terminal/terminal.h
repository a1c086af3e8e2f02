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

/*
 * The columns of a line: what COLUMNS says, else those of the terminal, 80 if it
 * does not tell them; at least 40.  Without either it is UINT_MAX, as lines stay
 * whole for programs.
 */
unsigned tb_line_width(void);

/* The same for drawings, which have 80 columns where lines stay whole. */
unsigned tb_terminal_width(void);

#endif

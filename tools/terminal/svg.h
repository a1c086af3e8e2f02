/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg.h - pictures that are whole files and need nothing else
 */
#ifndef TB_TOOLS_TERMINAL_SVG_H
#define TB_TOOLS_TERMINAL_SVG_H

#include <stdio.h>

struct tb_svg {
	const char *title;
	const char *description; /* for who does not see it; NULL: none */
	unsigned width, height;
	const char *style; /* CSS */
};

/* All before what is in it; "</svg>" ends it. */
void tb_svg_begin(const struct tb_svg *svg, FILE *out);

/* At most so many characters of UTF-8 text, nothing of it markup. */
void tb_svg_text(const char *text, unsigned most, FILE *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gres_text.h - Gres= of nodes, and the lines of gres.conf
 */
#ifndef TB_TOOLS_CONF_GRES_TEXT_H
#define TB_TOOLS_CONF_GRES_TEXT_H

#include <stdbool.h>

#define TB_GRES_FILE "gres.conf"

/* Does "gpu:2,mps:100(S:0)" have it?  gres NULL: it has none. */
bool tb_gres_has(const char *gres, const char *name);
/* Of how many it is there without a type; 0: of none. */
unsigned tb_gres_count(const char *gres, const char *name);

/* Is a word in a list with commas, in any case?  list NULL: it has none. */
bool tb_list_has(const char *list, const char *word);

/* A line; what it does not say is NULL. */
struct tb_gres_line {
	const char *nodes, *name, *cores, *count, *flags;
};

/* Takes the text apart, which the line then points into. */
struct tb_gres_line tb_gres_line_read(char *text);

#endif

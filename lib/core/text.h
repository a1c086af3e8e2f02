/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - a string that grows
 *
 * Private to lib/core.  Running out of memory is remembered, so that only
 * tb_text_take() needs a check.
 */
#ifndef TB_CORE_TEXT_H
#define TB_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct tb_text {
	char *bytes; /* NUL-terminated once anything was added */
	size_t length, room;
	bool failed;
};

#define TB_TEXT_EMPTY { NULL, 0, 0, false }

void tb_text_add(struct tb_text *text, const char *string);
void tb_text_add_char(struct tb_text *text, char c);
void tb_text_add_number(struct tb_text *text, unsigned number);

/* The string, which the caller frees; NULL when memory was short. */
char *tb_text_take(struct tb_text *text);

#endif

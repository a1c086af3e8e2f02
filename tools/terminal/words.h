/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words.h - lists of words with commas between them
 */
#ifndef TB_TOOLS_TERMINAL_WORDS_H
#define TB_TOOLS_TERMINAL_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The next word of a list and its length; NULL at the end.  list moves on. */
const char *tb_words_next(const char **list, size_t *length);

/* Is the word one of the list's?  A list that is NULL has none. */
bool tb_words_have(const char *list, const char *word, size_t length);

#endif

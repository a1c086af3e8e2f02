/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suggest.h - which word a person may have meant
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_BASE_SUGGEST_H
#define TB_CORE_BASE_SUGGEST_H

#include <stddef.h>

/* Longer words are neither suggested nor looked at. */
#define TB_SUGGEST_MAX 24

struct tb_suggestion {
	char text[TB_SUGGEST_MAX + sizeof(" (did you mean ?)")];
};

/*
 * " (did you mean WORD?)" with the word, of those with blanks or commas between
 * them, that a value of this length begins, or from which it is one or two
 * letters away; "" when there is none.  Case does not count.  By value, so that
 * tb_suggest(...).text can be an argument.
 */
struct tb_suggestion tb_suggest(const char *words, const char *value,
				size_t length);

#endif

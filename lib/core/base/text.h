/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - a string that grows, the case of letters, and words of counts
 *
 * struct tb_text is private to lib/core.  It remembers that memory ran out, so
 * that only the result of tb_text_take() needs a check.
 */
#ifndef TB_CORE_BASE_TEXT_H
#define TB_CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tb_text {
	char *bytes; /* NUL-terminated once anything was added */
	size_t length, room;
	bool failed;
};

#define TB_TEXT_EMPTY \
	{ \
		NULL, 0, 0, false \
	}

void tb_text_add(struct tb_text *text, const char *string);
void tb_text_add_char(struct tb_text *text, char c);
void tb_text_add_number(struct tb_text *text, uint64_t number);

/* The string, which the caller frees; NULL when out of memory. */
char *tb_text_take(struct tb_text *text);

/*
 * Read decimal digits and move *at behind them.  -1, and *at stays: there are none, or
 * they are a number above most, which is at most 2^60.
 */
int tb_text_read_number(const char **at, uint64_t most, uint64_t *number);

/*
 * A size in MB, as Slurm's options have it: digits, and K, M, G or T in either case if
 * not M is meant.  Kilobytes are rounded up.
 */
int tb_text_read_megabytes(const char **at, uint64_t *megabytes);

/* Letters of ASCII, whatever the locale. */
static inline bool tb_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline char tb_upper(char c)
{
	return tb_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

static inline char tb_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The word that goes with a count: "1 task", "0 tasks", "2 tasks". */
static inline const char *tb_count_word(uint64_t count, const char *one,
					const char *many)
{
	return count == 1 ? one : many;
}

/* Does text start with these characters, but for their case? */
bool tb_text_starts(const char *text, const char *start, size_t length);

/* Are the first length characters of text the word, but for their case? */
bool tb_text_is_word(const char *text, size_t length, const char *word);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suggest.h"

#include <string.h>

#include "text.h"

#define SEPARATORS ", "
/* Of two letters each word is as near as any other. */
#define SHORTEST 3

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to add, leave out or change: Levenshtein's distance, row by row. */
static size_t count_edits(const char *a, size_t a_length, const char *b,
			  size_t b_length)
{
	size_t row[TB_SUGGEST_MAX + 1];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 0; i < a_length; i++) {
		size_t corner = row[0]; /* of the row before, one to the left */

		row[0] = i + 1;
		for (size_t j = 0; j < b_length; j++) {
			size_t changed = corner +
					 (tb_upper(a[i]) != tb_upper(b[j]));

			corner = row[j + 1];
			row[j + 1] = least(changed, least(row[j], corner) + 1);
		}
	}
	return row[b_length];
}

/* Long words may have two wrong letters, and any may be cut short. */
static bool may_mean(const char *word, size_t word_length, const char *value,
		     size_t length, size_t *edits)
{
	*edits = 0;
	if (word_length < SHORTEST || word_length > TB_SUGGEST_MAX)
		return false;
	if (length < word_length && tb_text_starts(word, value, length))
		return true;
	*edits = count_edits(value, length, word, word_length);
	return *edits <= (word_length < 6 ? 1 : 2);
}

static struct tb_suggestion say_word(const char *word, size_t length)
{
	struct tb_suggestion suggestion = { " (did you mean " };
	size_t at = strlen(suggestion.text);

	memcpy(suggestion.text + at, word, length);
	memcpy(suggestion.text + at + length, "?)", sizeof("?)"));
	return suggestion;
}

struct tb_suggestion tb_suggest(const char *words, const char *value,
				size_t length)
{
	const char *best = NULL;
	size_t best_length = 0, best_edits = 0, edits;

	if (length < SHORTEST || length > TB_SUGGEST_MAX)
		return (struct tb_suggestion){ "" };
	for (const char *word = words; *word;) {
		size_t word_length = strcspn(word, SEPARATORS);

		if (may_mean(word, word_length, value, length, &edits) &&
		    (!best || edits < best_edits)) {
			best = word;
			best_length = word_length;
			best_edits = edits;
		}
		word += word_length;
		word += strspn(word, SEPARATORS);
	}
	return best ? say_word(best, best_length)
		    : (struct tb_suggestion){ "" };
}

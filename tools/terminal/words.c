/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c - see words.h */
#include <string.h>

#include "words.h"

const char *tb_words_next(const char **list, size_t *length)
{
	const char *word = *list;

	if (!word || !*word)
		return NULL;
	*length = strcspn(word, ",");
	*list = word + *length + (word[*length] == ',');
	return word;
}

bool tb_words_have(const char *list, const char *word, size_t length)
{
	const char *own;
	size_t own_length;

	while ((own = tb_words_next(&list, &own_length)))
		if (own_length == length && !strncmp(own, word, length))
			return true;
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text.h"

#include <stdlib.h>
#include <string.h>

static bool grow_text(struct tb_text *text, size_t more)
{
	size_t room = text->room ? text->room : 32;
	char *bytes;

	while (room < text->length + more + 1)
		room *= 2;
	bytes = realloc(text->bytes, room);
	if (!bytes) {
		text->failed = true;
		return false;
	}
	text->bytes = bytes;
	text->room = room;
	return true;
}

/* For so many bytes more and the NUL. */
static inline bool has_room(struct tb_text *text, size_t more)
{
	return !text->failed &&
	       (text->length + more < text->room || grow_text(text, more));
}

static void add_bytes(struct tb_text *text, const char *bytes, size_t count)
{
	if (!has_room(text, count))
		return;
	memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

void tb_text_add(struct tb_text *text, const char *string)
{
	add_bytes(text, string, strlen(string));
}

void tb_text_add_char(struct tb_text *text, char c)
{
	if (!has_room(text, 1))
		return;
	text->bytes[text->length++] = c;
	text->bytes[text->length] = '\0';
}

void tb_text_add_number(struct tb_text *text, uint64_t number)
{
	char digits[20]; /* as many as 2^64 has */
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	add_bytes(text, digits + i, sizeof(digits) - i);
}

char *tb_text_take(struct tb_text *text)
{
	char *bytes;

	add_bytes(text, "", 0); /* the empty string is a string too */
	bytes = text->bytes;
	if (text->failed) {
		free(bytes);
		bytes = NULL;
	}
	*text = (struct tb_text)TB_TEXT_EMPTY;
	return bytes;
}

int tb_text_read_number(const char **at, uint64_t most, uint64_t *number)
{
	const char *digit = *at;

	*number = 0;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		*number = *number * 10 + (uint64_t)(*digit - '0');
		if (*number > most)
			return -1;
	}
	if (digit == *at)
		return -1;
	*at = digit;
	return 0;
}

int tb_text_read_megabytes(const char **at, uint64_t *megabytes)
{
	if (tb_text_read_number(at, UINT32_MAX, megabytes))
		return -1;
	switch (tb_upper(**at)) {
	case 'K':
		*megabytes = (*megabytes + 1023) / 1024;
		break;
	case 'M':
		break;
	case 'G':
		*megabytes *= 1024;
		break;
	case 'T':
		*megabytes *= 1024 * 1024;
		break;
	default:
		return 0;
	}
	++*at;
	return 0;
}

bool tb_text_starts(const char *text, const char *start, size_t length)
{
	size_t i = 0;

	while (i < length && text[i] && tb_upper(text[i]) == tb_upper(start[i]))
		i++;
	return i == length;
}

bool tb_text_is_word(const char *text, size_t length, const char *word)
{
	return tb_text_starts(word, text, length) && !word[length];
}

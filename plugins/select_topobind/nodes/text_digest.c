/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_digest.h"

#include <string.h>

#define LANES 4

static uint64_t mix_words(uint64_t value, uint64_t word)
{
	value = (value ^ word) * 0x9e3779b97f4a7c15;
	return value ^ value >> 32;
}

/* In lanes that do not wait for each other. */
uint64_t tb_text_digest(const char *text)
{
	size_t left = text ? strlen(text) : 0;
	uint64_t lanes[LANES] = { ~(uint64_t)left, 1, 2, 3 };
	uint64_t words[LANES];

	while (left) {
		size_t size = left < sizeof(words) ? left : sizeof(words);

		if (size < sizeof(words))
			memset(words, 0, sizeof(words));
		memcpy(words, text, size);
		for (unsigned i = 0; i < LANES; i++)
			lanes[i] = mix_words(lanes[i], words[i]);
		text += size;
		left -= size;
	}
	for (unsigned i = 1; i < LANES; i++)
		lanes[0] = mix_words(lanes[0], lanes[i]);
	return lanes[0];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "text_digest.h"

#include <string.h>

#define LANES 4
#define WORDS (2 * LANES)

__extension__ typedef unsigned __int128 wide;

/* All bits of the result depend on all of both. */
static uint64_t fold(uint64_t left, uint64_t right)
{
	wide product = (wide)left * right;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t mix_words(uint64_t lane, uint64_t left, uint64_t right)
{
	return fold(left ^ 0x9e3779b97f4a7c15, right ^ lane);
}

static void mix_block(uint64_t *lanes, const uint64_t *words)
{
	for (unsigned i = 0; i < LANES; i++)
		lanes[i] = mix_words(lanes[i], words[2 * i], words[2 * i + 1]);
}

/* In lanes that do not wait for each other. */
uint64_t tb_text_digest(const char *text)
{
	size_t left = text ? strlen(text) : 0;
	uint64_t lanes[LANES] = { 0xc2b2ae3d27d4eb4f ^ left, 0x165667b19e3779f9,
				  0x85ebca77c2b2ae63, 0x27d4eb2f165667c5 };
	uint64_t words[WORDS];

	for (; left >= sizeof(words); left -= sizeof(words)) {
		memcpy(words, text, sizeof(words));
		mix_block(lanes, words);
		text += sizeof(words);
	}
	if (left) {
		memset(words, 0, sizeof(words));
		memcpy(words, text, left);
		mix_block(lanes, words);
	}
	for (unsigned i = 1; i < LANES; i++)
		lanes[0] = mix_words(lanes[0], lanes[i], i);
	return lanes[0];
}

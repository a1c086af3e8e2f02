/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz.h - what the harnesses share
 *
 * Each harness is one function that takes any bytes and ends the program when
 * a promise of the core is broken.  libFuzzer calls it with
 * --enable-fuzzers; otherwise replay.c calls it with every file of its corpus.
 */
#ifndef TB_TEST_FUZZ_H
#define TB_TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, \
				__LINE__, #condition); \
			abort(); \
		} \
	} while (0)

/* The input as a string, up to its first NUL.  The caller frees. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	FUZZ_CHECK(text);
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* Cut a line off the text; *text moves to the next one. */
static inline char *fuzz_line(char **text)
{
	char *line = *text;
	size_t length = strcspn(line, "\n");

	*text += length + (line[length] != '\0');
	line[length] = '\0';
	return line;
}

#endif

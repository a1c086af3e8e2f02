/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that users and sites chose, in the metrics file: each sample is one line,
 * and who reads it gets the same text.  The first line of the input is one label's
 * value, the rest another's.
 */
#define _GNU_SOURCE /* open_memstream */
#include "fuzz.h"

#include "common/metrics/exposition.h"

/* The value that text begins with, as a reader has it; *text is behind it. */
static char *read_value(const char **text)
{
	const char *at = *text;
	char *value = malloc(strlen(at) + 1), *to = value;

	FUZZ_CHECK(value && *at == '"');
	for (at++; *at != '"'; at++) {
		FUZZ_CHECK(*at && *at != '\n');
		if (*at == '\\') {
			at++;
			FUZZ_CHECK(*at == 'n' || *at == '\\' || *at == '"');
			*to++ = *at == 'n' ? '\n' : *at;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	*text = at + 1;
	return value;
}

static void check_label(const char **text, const char *before,
			const char *wanted)
{
	char *value;

	FUZZ_CHECK(!strncmp(*text, before, strlen(before)));
	*text += strlen(before);
	value = read_value(text);
	FUZZ_CHECK(!strcmp(value, wanted));
	free(value);
}

static char *print_sample(const char *one, const char *two)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	FUZZ_CHECK(out);
	tb_metric_sample(out, "metric", 1, "one", one, "two", two, NULL);
	FUZZ_CHECK(!fclose(out) && strlen(text) == size);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *input = fuzz_string(data, size);
	size_t length = strcspn(input, "\n");
	const char *two = input + length + (input[length] != '\0');
	const char *at;
	char *sample;

	input[length] = '\0';
	sample = print_sample(input, two);
	at = sample;
	check_label(&at, "metric{one=", input);
	check_label(&at, ",two=", two);
	FUZZ_CHECK(!strcmp(at, "} 1\n"));
	free(sample);
	free(input);
	return 0;
}

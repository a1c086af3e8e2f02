/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Job scripts: words are in the order of their lines, none is empty or longer than
 * the script, and a script that is refused has a sentence.
 */
#include "fuzz.h"

#include "plan/batch_script.h"

static void check_words(const struct tb_batch_script *script, size_t size)
{
	FUZZ_CHECK(script->nwords >= 1 && !*script->words[0]);
	FUZZ_CHECK(!script->words[script->nwords]);
	for (unsigned i = 1; i < script->nwords; i++) {
		FUZZ_CHECK(*script->words[i]);
		FUZZ_CHECK(strlen(script->words[i]) < size);
		FUZZ_CHECK(script->lines[i] >= script->lines[i - 1]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_batch_script script;
	struct tb_error err = { "" };

	if (!tb_batch_script_parse(&script, text, size, &err))
		check_words(&script, size);
	else
		FUZZ_CHECK(*err.text);
	tb_batch_script_clear(&script);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any string as a history; what is printed is read again as the same.
 */
#include "fuzz.h"

#include "core/policy/history.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz_string(data, size);
	struct tb_error err = { "" };
	struct tb_history *history = tb_history_parse(text, &err);

	if (history) {
		char *printed = tb_history_print(history);
		struct tb_history *again = tb_history_parse(printed, NULL);
		char *twice;

		FUZZ_CHECK(again);
		twice = tb_history_print(again);
		FUZZ_CHECK(twice && !strcmp(printed, twice));
		tb_history_destroy(again);
		tb_history_destroy(history);
		free(printed);
		free(twice);
	} else {
		FUZZ_CHECK(*err.text);
	}
	free(text);
	return 0;
}

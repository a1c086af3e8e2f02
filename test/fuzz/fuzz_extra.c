/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node's Extra field, which its slurmd and administrators write: what is found of
 * a node there is one word, and setting a token leaves the others.
 */
#include "fuzz.h"

#include <stdbool.h>

#include "common/node/extra_json.h"
#include "common/node/node_extra.h"

static const char *const names[] = { TB_EXTRA_TOPOLOGY, TB_EXTRA_DISTANCES,
				     TB_EXTRA_MEMORY, TB_EXTRA_SPEED,
				     TB_EXTRA_INUSE };
#define NAMES (sizeof(names) / sizeof(names[0]))

static bool is_same(const char *extra, const char *other, const char *name)
{
	size_t length, other_length;
	const char *value = tb_extra_find(extra, name, &length);
	const char *other_value = tb_extra_find(other, name, &other_length);

	if (!value || !other_value)
		return !value && !other_value;
	return length == other_length && !memcmp(value, other_value, length);
}

static void check_set(const char *extra, const char *name)
{
	char *with = tb_extra_with(extra, name, "sC", false);
	char *without = tb_extra_with(with, name, NULL, false);

	FUZZ_CHECK(with && without);
	FUZZ_CHECK(tb_extra_has(with, name, "sC"));
	FUZZ_CHECK(strlen(with) <= strlen(extra) + strlen(name) + 10);
	for (size_t i = 0; i < NAMES; i++)
		if (names[i] != name)
			FUZZ_CHECK(is_same(extra, with, names[i]) &&
				   is_same(extra, without, names[i]));
	free(with);
	free(without);
}

/* With extra_constraints the field becomes an object, whatever it was. */
static void check_set_as_json(const char *extra, const char *name)
{
	char *with = tb_extra_with(extra, name, "sC", true);

	FUZZ_CHECK(with && tb_extra_is_json(with));
	FUZZ_CHECK(tb_extra_has(with, name, "sC"));
	free(with);
}

static void check_found(const char *extra, const char *name)
{
	size_t length;
	const char *value = tb_extra_find(extra, name, &length);

	if (!value)
		return;
	FUZZ_CHECK(value >= extra && value + length <= extra + strlen(extra));
	FUZZ_CHECK(tb_extra_is_json(extra) || !memchr(value, ' ', length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *extra = fuzz_string(data, size);

	for (size_t i = 0; i < NAMES; i++) {
		check_found(extra, names[i]);
		check_set(extra, names[i]);
		check_set_as_json(extra, names[i]);
	}
	free(extra);
	return 0;
}

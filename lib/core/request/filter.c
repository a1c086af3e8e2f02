/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

static const char first_core[] = "first_core";

struct tb_filter {
	bool first_core;
	struct tb_topology *shape; /* NULL without a string */
	struct tb_bitset *masked;  /* its lower-case threads */
};

/* The string part, or NULL; *first_core says whether that was named. */
static const char *split_filter(const char *text, bool *has_first_core)
{
	size_t length = sizeof(first_core) - 1;

	*has_first_core = strncmp(text, first_core, length) == 0 &&
			  (!text[length] || text[length] == '+');
	if (!*has_first_core)
		return text;
	return text[length] ? text + length + 1 : NULL;
}

struct tb_filter *tb_filter_parse(const char *text, struct tb_error *err)
{
	struct tb_filter *filter = calloc(1, sizeof(*filter));
	const char *string;
	struct tb_error reason;

	if (!filter) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	string = split_filter(text, &filter->first_core);
	if (!string)
		return filter;
	filter->shape = tb_topology_parse(string, &filter->masked, &reason);
	if (filter->shape)
		return filter;
	tb_fail(err,
		"filter: allowed are 'first_core', a topology string with the masked units in lower case, or first_core+STRING; %s",
		reason.text);
	tb_filter_destroy(filter);
	return NULL;
}

void tb_filter_destroy(struct tb_filter *filter)
{
	if (!filter)
		return;
	tb_topology_destroy(filter->shape);
	tb_bitset_destroy(filter->masked);
	free(filter);
}

char *tb_filter_print(const struct tb_filter *filter)
{
	struct tb_text text = TB_TEXT_EMPTY;
	char *string;

	if (filter->first_core)
		tb_text_add(&text, first_core);
	if (filter->shape) {
		string = tb_topology_print(filter->shape, filter->masked);
		if (!string) {
			free(tb_text_take(&text));
			return NULL;
		}
		if (filter->first_core)
			tb_text_add(&text, "+");
		tb_text_add(&text, string);
		free(string);
	}
	return tb_text_take(&text);
}

bool tb_filter_matches(const struct tb_filter *filter,
		       const struct tb_topology *topology)
{
	return !filter->shape ||
	       tb_topology_same_shape(filter->shape, topology);
}

void tb_filter_add(const struct tb_filter *filter,
		   const struct tb_topology *topology, struct tb_bitset *masked)
{
	if (filter->first_core)
		tb_bitset_set_range(masked, 0, tb_core_threads(topology, 0));
	if (filter->masked)
		tb_bitset_or(masked, filter->masked);
}

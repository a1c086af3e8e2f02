/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prefer.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"

static const char feature_prefix[] = "feature:";

static const struct {
	const char *prefix;
	enum tb_preference_kind kind;
} sizes[] = {
	{ "mem:", TB_PREFERENCE_MEMORY },
	{ "swap:", TB_PREFERENCE_SWAP },
	{ "disk:", TB_PREFERENCE_DISK },
};

static bool begins_with(const char *text, const char *prefix)
{
	return tb_text_starts(text, prefix, strlen(prefix));
}

static bool is_feature_name(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name[i] <= ' ' || name[i] > '~' ||
		    strchr("&|*[]()\"'", name[i]))
			return false;
	return length > 0;
}

/* The item's kind, and where what is behind its prefix begins. */
static enum tb_preference_kind find_kind(const char *item, const char **rest)
{
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (begins_with(item, sizes[i].prefix)) {
			*rest = item + strlen(sizes[i].prefix);
			return sizes[i].kind;
		}
	*rest = begins_with(item, feature_prefix)
			? item + strlen(feature_prefix)
			: item;
	return TB_PREFERENCE_FEATURE;
}

/* An item of length characters. */
static bool read_item(const char *item, size_t length,
		      struct tb_preference *preference)
{
	const char *rest;

	preference->kind = find_kind(item, &rest);
	preference->name = rest;
	preference->length = (size_t)(item + length - rest);
	preference->megabytes = 0;
	if (preference->kind == TB_PREFERENCE_FEATURE)
		return is_feature_name(rest, preference->length);
	return !tb_text_read_megabytes(&rest, &preference->megabytes) &&
	       rest == item + length;
}

/* Its prefix is needed only where its name looks like something else. */
static bool needs_no_prefix(const struct tb_preference *preference)
{
	const char *rest;

	return preference->kind == TB_PREFERENCE_FEATURE &&
	       find_kind(preference->name, &rest) == TB_PREFERENCE_FEATURE &&
	       rest == preference->name;
}

char *tb_prefer_parse(const char *value, bool *is_list)
{
	char *list = malloc(strlen(value) + 1), *end = list;

	*is_list = true;
	while (list) {
		size_t length = strcspn(value, ",+");
		struct tb_preference item;
		const char *from = value;

		*is_list = read_item(value, length, &item);
		if (!*is_list)
			break;
		value += length;
		if (needs_no_prefix(&item))
			from = item.name;
		memcpy(end, from, (size_t)(value - from));
		end += value - from;
		if (!*value) {
			*end = '\0';
			return list;
		}
		*end++ = '+';
		value++;
	}
	free(list);
	return NULL;
}

bool tb_preference_next(const char **list, struct tb_preference *next)
{
	size_t length = strcspn(*list, "+");

	if (!length || !read_item(*list, length, next))
		return false;
	*list += length + ((*list)[length] == '+');
	return true;
}

int tb_request_check_features(const struct tb_request *request,
			      bool (*is_known)(const char *name, void *arg),
			      void *arg, struct tb_error *err)
{
	const char *at = request->prefer;
	char name[TB_PREFER_MAX + 1];
	struct tb_preference item;

	while (at && tb_preference_next(&at, &item)) {
		if (item.kind != TB_PREFERENCE_FEATURE)
			continue;
		memcpy(name, item.name, item.length);
		name[item.length] = '\0';
		if (!is_known(name, arg))
			return tb_fail(
				err,
				"bprefer=%.80s: no node has this feature; sinfo -o %%f lists those that there are",
				name);
	}
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_letters.c - options whose values are letters of objects */
#include "key.h"

#include <string.h>

#include "core/base/clip.h"

/* ballow: a letter, or the node */

static const char whole_node[] = "node";
static const char allow_letters[] = "SNX";

static int read_allow(struct tb_request *request, const char *value,
		      struct tb_error *err)
{
	bool is_letter = !value[1] && strchr(allow_letters, value[0]);

	if (!is_letter && strcmp(value, whole_node) != 0)
		return tb_key_refuse(TB_REQUEST_KEY_ALLOW, value, err);
	request->allow = is_letter ? value[0] : 0;
	return 0;
}

static bool is_default_allow(const struct tb_request *request)
{
	return !request->allow;
}

static void print_allow(const struct tb_request *request, struct tb_text *text)
{
	if (request->allow)
		tb_text_add_char(text, request->allow);
	else
		tb_text_add(text, whole_node);
}

const struct tb_key tb_key_allow = { read_allow, is_default_allow,
				     print_allow };

/* bspread: one letter */

static const char spread_letters[] = "SNX";

static int read_spread(struct tb_request *request, const char *value,
		       struct tb_error *err)
{
	if (value[1] || !strchr(spread_letters, value[0]))
		return tb_key_refuse(TB_REQUEST_KEY_SPREAD, value, err);
	request->spread = value[0];
	return 0;
}

static bool is_default_spread(const struct tb_request *request)
{
	return !request->spread;
}

static void print_spread(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add_char(text, request->spread);
}

const struct tb_key tb_key_spread = { read_spread, is_default_spread,
				      print_spread };

/* bsort: letters, each at most once, whatever its case */

static const char sort_letters[] = "SCENXYT";

static int read_sort(struct tb_request *request, const char *value,
		     struct tb_error *err)
{
	size_t length = 0;

	for (; value[length]; length++) {
		char letter = tb_upper(value[length]);

		if (!strchr(sort_letters, letter))
			return tb_key_refuse(TB_REQUEST_KEY_SORT, value, err);
		for (size_t i = 0; i < length; i++)
			if (tb_upper(value[i]) == letter)
				return tb_fail(
					err,
					"bsort=%s names %c twice; each letter is allowed once, in one case",
					tb_clip(value, strlen(value)).text,
					letter);
	}
	memcpy(request->sort, value, length + 1);
	return 0;
}

static bool is_default_sort(const struct tb_request *request)
{
	return !request->sort[0];
}

static void print_sort(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, request->sort);
}

const struct tb_key tb_key_sort = { read_sort, is_default_sort, print_sort };

/* bstart, bstop: one letter */

static const char window_letters[] = "SsCcEeNnXxYy";

static int read_window_letter(enum tb_request_key key, const char *value,
			      char *letter, struct tb_error *err)
{
	if (value[1] || !strchr(window_letters, value[0]))
		return tb_key_refuse(key, value, err);
	*letter = value[0];
	return 0;
}

static int read_start(struct tb_request *request, const char *value,
		      struct tb_error *err)
{
	return read_window_letter(TB_REQUEST_KEY_START, value, &request->start,
				  err);
}

static bool is_default_start(const struct tb_request *request)
{
	return !request->start;
}

static void print_start(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add_char(text, request->start);
}

const struct tb_key tb_key_start = { read_start, is_default_start,
				     print_start };

static int read_stop(struct tb_request *request, const char *value,
		     struct tb_error *err)
{
	return read_window_letter(TB_REQUEST_KEY_STOP, value, &request->stop,
				  err);
}

static bool is_default_stop(const struct tb_request *request)
{
	return !request->stop;
}

static void print_stop(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add_char(text, request->stop);
}

const struct tb_key tb_key_stop = { read_stop, is_default_stop, print_stop };

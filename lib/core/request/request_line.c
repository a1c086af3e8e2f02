/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options one by one, and the one-line form: reading and printing.
 */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "request_key.h"

size_t tb_request_text_length(const char *text)
{
	const char *end = memchr(text, '\0', TB_REQUEST_TEXT_MAX + 1);

	return end ? (size_t)(end - text) : TB_REQUEST_TEXT_MAX + 1;
}

int tb_request_check_length(size_t length, const char *text,
			    struct tb_error *err)
{
	if (length <= TB_REQUEST_TEXT_MAX)
		return 0;
	return tb_fail(
		err,
		"binding request '%s': it is too long; all of its text together may have at most %d bytes",
		tb_clip(text, tb_request_text_length(text)).text,
		TB_REQUEST_TEXT_MAX);
}

static int fail_unknown(const char *name, size_t length, struct tb_error *err)
{
	char known[TB_ERROR_TEXT_SIZE / 2];
	size_t used = 0;

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++) {
		size_t more = strlen(tb_request_keys[key]);

		if (used + more + 2 > sizeof(known))
			break;
		if (used)
			known[used++] = ' ';
		memcpy(known + used, tb_request_keys[key], more);
		used += more;
	}
	known[used] = '\0';
	return tb_fail(err, "unknown option '%s'%s; known are: %s",
		       tb_clip(name, length).text,
		       tb_suggest(known, name, length).text, known);
}

static int set_key(struct tb_request *request, const char *name, size_t length,
		   const char *value, struct tb_error *err)
{
	enum tb_request_key key = tb_request_key_find(name, length);

	if (key == TB_REQUEST_KEYS)
		return fail_unknown(name, length, err);
	if (!*value)
		return tb_fail(err, "%s has an empty value; allowed: %s",
			       tb_request_keys[key],
			       tb_request_key_allowed(key));
	if (tb_request_key_read(request, key, value, err))
		return -1;
	request->given |= tb_request_bit(key);
	return 0;
}

int tb_request_set(struct tb_request *request, const char *key,
		   const char *value, struct tb_error *err)
{
	if (tb_request_check_length(tb_request_text_length(value), value, err))
		return -1;
	return set_key(request, key, strlen(key), value, err);
}

/* One "key=value", NUL-terminated; column is that of its first byte. */
static int parse_pair(struct tb_request *request, const char *item,
		      size_t column, struct tb_error *err)
{
	const char *equals = strchr(item, '=');
	struct tb_error reason;

	if (!equals)
		return tb_fail(
			err,
			"binding request, column %zu: '%s' is not of the form key=value, as in %s",
			column, tb_clip(item, strlen(item)).text,
			/* Somebody who wrote bcpus=0-3,8? */
			*item >= '0' && *item <= '9' ? "bcpus=0-3+8"
						     : "bunit=X,bamount=1");
	if (!set_key(request, item, (size_t)(equals - item), equals + 1,
		     &reason))
		return 0;
	return tb_fail(err, "binding request, column %zu: %s", column,
		       reason.text);
}

int tb_request_parse(struct tb_request *request, const char *line,
		     struct tb_error *err)
{
	size_t length = tb_request_text_length(line);
	size_t at = 0;
	char *copy;
	int rc = 0;

	if (!length)
		return tb_fail(
			err,
			"binding request: it is empty; write key=value pairs, as in bunit=X,bamount=1");
	if (tb_request_check_length(length, line, err))
		return -1;
	copy = malloc(length + 1);
	if (!copy)
		return tb_fail(err, "out of memory");
	memcpy(copy, line, length + 1);
	/* An empty piece at the end counts, too: "bunit=X," is refused. */
	while (!rc && at <= length) {
		size_t piece = strcspn(copy + at, ",");

		copy[at + piece] = '\0';
		rc = parse_pair(request, copy + at, at + 1, err);
		at += piece + 1;
	}
	free(copy);
	return rc;
}

/* Options of a request as one line, all defaults too or none. */
static char *print_keys(const struct tb_request *request, unsigned keys,
			bool defaults)
{
	struct tb_text line = TB_TEXT_EMPTY;

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++) {
		if (!(request->given & keys & tb_request_bit(key)) ||
		    (!defaults && tb_request_key_is_default(request, key)))
			continue;
		if (line.length)
			tb_text_add(&line, ",");
		tb_text_add(&line, tb_request_keys[key]);
		tb_text_add(&line, "=");
		tb_request_key_print(request, key, &line);
	}
	return tb_text_take(&line);
}

char *tb_request_print(const struct tb_request *request)
{
	return print_keys(request, ~0u, false);
}

char *tb_request_print_open(const struct tb_request *request)
{
	unsigned keys = ~tb_request_bit(TB_REQUEST_KEY_AMOUNT);

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++)
		if (tb_request_key_choice(key) == TB_KEY_CHOOSES_NODES)
			keys &= ~tb_request_bit(key);
	return print_keys(request, keys, false);
}

char *tb_request_print_given(const struct tb_request *request)
{
	return print_keys(request, ~0u, true);
}

char *tb_request_print_sent(const struct tb_request *request)
{
	return print_keys(request, ~0u, tb_request_is_open(request));
}

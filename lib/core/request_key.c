/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options one by one: how each is read, printed and copied.
 */
#include "request_key.h"

#include <stdlib.h>
#include <string.h>

#include "clip.h"
#include "unit.h"

static int refuse(const struct tb_request_key *key, const char *value,
		  struct tb_error *err)
{
	return tb_fail(err, "%s=%s is not allowed; allowed: %s", key->name,
		       tb_clip(value, strlen(value)).text, key->allowed);
}

/* bunit */

static int read_unit(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	return tb_unit_parse(value, &request->unit) ? 0 :
	       refuse(key, value, err);
}

static bool default_unit(const struct tb_request *request)
{
	return request->unit.letter == 'C' && request->unit.kind == TB_POWER;
}

static void print_unit(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, tb_unit_name(request->unit));
}

static int copy_unit(struct tb_request *to, const struct tb_request *from)
{
	to->unit = from->unit;
	return 0;
}

/* bamount */

#define AMOUNT_DIGITS 5

static int read_amount(struct tb_request *request,
		       const struct tb_request_key *key, const char *value,
		       struct tb_error *err)
{
	size_t digits = strspn(value, "0123456789");
	unsigned amount = 0;

	if (value[digits] || digits > AMOUNT_DIGITS)
		return refuse(key, value, err);
	for (size_t i = 0; i < digits; i++)
		amount = amount * 10 + (unsigned)(value[i] - '0');
	if (amount > TB_AMOUNT_MAX)
		return refuse(key, value, err);
	request->amount = amount;
	return 0;
}

/* There is no default amount: what was given is printed, 0 too. */
static bool default_amount(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_amount(const struct tb_request *request,
			 struct tb_text *text)
{
	tb_text_add_number(text, request->amount);
}

static int copy_amount(struct tb_request *to, const struct tb_request *from)
{
	to->amount = from->amount;
	return 0;
}

/* btype, bstrategy: words of a list, by their value in an enum */

static const char *const types[] = {
	[TB_SLOT] = "slot", [TB_HOST] = "host", NULL
};
static const char *const strategies[] = {
	[TB_PACKED] = "packed", [TB_LINEAR] = "linear",
	[TB_SCATTER] = "scatter", NULL
};

/* The index of a word, or -1. */
static int find_word(const char *const words[], const char *value)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	return -1;
}

static int read_type(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	int word = find_word(types, value);

	if (word < 0)
		return refuse(key, value, err);
	request->type = (enum tb_type)word;
	return 0;
}

static bool default_type(const struct tb_request *request)
{
	return request->type == TB_SLOT;
}

static void print_type(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, types[request->type]);
}

static int copy_type(struct tb_request *to, const struct tb_request *from)
{
	to->type = from->type;
	return 0;
}

static int read_strategy(struct tb_request *request,
			 const struct tb_request_key *key, const char *value,
			 struct tb_error *err)
{
	int word = find_word(strategies, value);

	if (word < 0)
		return refuse(key, value, err);
	request->strategy = (enum tb_strategy)word;
	return 0;
}

static bool default_strategy(const struct tb_request *request)
{
	return request->strategy == TB_PACKED;
}

static void print_strategy(const struct tb_request *request,
			   struct tb_text *text)
{
	tb_text_add(text, strategies[request->strategy]);
}

static int copy_strategy(struct tb_request *to, const struct tb_request *from)
{
	to->strategy = from->strategy;
	return 0;
}

/* bsort: letters, each at most once, whatever its case */

static const char sort_letters[] = "SCENXYT";

static char upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static int read_sort(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	size_t length = 0;

	for (; value[length]; length++) {
		char letter = upper(value[length]);

		if (!strchr(sort_letters, letter))
			return refuse(key, value, err);
		for (size_t i = 0; i < length; i++)
			if (upper(value[i]) == letter)
				return tb_fail(err, "bsort=%s names %c twice; each letter is allowed once, in one case",
					       tb_clip(value,
						       strlen(value)).text,
					       letter);
	}
	memcpy(request->sort, value, length + 1);
	return 0;
}

static bool default_sort(const struct tb_request *request)
{
	return !request->sort[0];
}

static void print_sort(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, request->sort);
}

static int copy_sort(struct tb_request *to, const struct tb_request *from)
{
	memcpy(to->sort, from->sort, sizeof(to->sort));
	return 0;
}

/* bstart, bstop: one letter */

static const char window_letters[] = "SsCcEeNnXxYy";

static int read_window(const struct tb_request_key *key, const char *value,
		       char *letter, struct tb_error *err)
{
	if (value[1] || !strchr(window_letters, value[0]))
		return refuse(key, value, err);
	*letter = value[0];
	return 0;
}

static int read_start(struct tb_request *request,
		      const struct tb_request_key *key, const char *value,
		      struct tb_error *err)
{
	return read_window(key, value, &request->start, err);
}

static bool default_start(const struct tb_request *request)
{
	return !request->start;
}

static void print_start(const struct tb_request *request,
			struct tb_text *text)
{
	tb_text_add_char(text, request->start);
}

static int copy_start(struct tb_request *to, const struct tb_request *from)
{
	to->start = from->start;
	return 0;
}

static int read_stop(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	return read_window(key, value, &request->stop, err);
}

static bool default_stop(const struct tb_request *request)
{
	return !request->stop;
}

static void print_stop(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add_char(text, request->stop);
}

static int copy_stop(struct tb_request *to, const struct tb_request *from)
{
	to->stop = from->stop;
	return 0;
}

/* bfilter */

static int read_filter(struct tb_request *request,
		       const struct tb_request_key *key, const char *value,
		       struct tb_error *err)
{
	struct tb_error reason;

	request->filter = tb_filter_parse(value, &reason);
	if (request->filter)
		return 0;
	return tb_fail(err, "%s=%s: %s", key->name,
		       tb_clip(value, strlen(value)).text, reason.text);
}

static bool default_filter(const struct tb_request *request)
{
	return !request->filter;
}

static void print_filter(const struct tb_request *request,
			 struct tb_text *text)
{
	char *filter = tb_filter_print(request->filter);

	if (filter)
		tb_text_add(text, filter);
	else
		text->failed = true;
	free(filter);
}

static int copy_filter(struct tb_request *to, const struct tb_request *from)
{
	char *text = tb_filter_print(from->filter);

	if (text)
		to->filter = tb_filter_parse(text, NULL);
	free(text);
	return to->filter ? 0 : -1;
}

#define FIELD(field) \
	read_##field, default_##field, print_##field, copy_##field

const struct tb_request_key tb_request_table[] = {
	{ "bunit", tb_unit_names, FIELD(unit) },
	{ "bamount", "a whole number from 0 to 65535", FIELD(amount) },
	{ "btype", "slot, host", FIELD(type) },
	{ "bstrategy", "packed, linear, scatter", FIELD(strategy) },
	{ "bsort", "letters of S C E N X Y T, each once, capital (least used first) or small (most used first)",
	  FIELD(sort) },
	{ "bstart", "one letter of S s C c E e N n X x Y y", FIELD(start) },
	{ "bstop", "one letter of S s C c E e N n X x Y y", FIELD(stop) },
	{ "bfilter", "a topology string with the masked units in lower case, first_core, first_core+STRING",
	  FIELD(filter) },
};

const char *const tb_request_keys[] = {
	"bunit", "bamount", "btype", "bstrategy", "bsort", "bstart", "bstop",
	"bfilter", NULL
};

_Static_assert(sizeof(tb_request_keys) / sizeof(tb_request_keys[0]) ==
	       sizeof(tb_request_table) / sizeof(tb_request_table[0]) + 1,
	       "tb_request_keys[] and tb_request_table[] go together");

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alternatives.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "request_key.h"

/* Longer than the name of any unit. */
#define NAME_MAX_LENGTH 15

static bool is_same(const struct tb_alternative *a,
		    const struct tb_alternative *b)
{
	return a->unit.letter == b->unit.letter &&
	       a->unit.kind == b->unit.kind && a->amount == b->amount;
}

static void print_one(const struct tb_alternative *alternative,
		      struct tb_text *text)
{
	tb_text_add(text, tb_unit_name(alternative->unit));
	tb_text_add_char(text, ':');
	tb_text_add_number(text, alternative->amount);
}

unsigned tb_request_plain_count(const struct tb_request *request)
{
	return request->nalternatives ? request->nalternatives : 1;
}

struct tb_request tb_request_plain(const struct tb_request *request,
				   unsigned index)
{
	struct tb_request plain = *request;

	if (!request->nalternatives)
		return plain;
	plain.unit = request->alternatives[index].unit;
	/* An amount of 0 beside them switches all of them off. */
	if (request->amount)
		plain.amount = request->alternatives[index].amount;
	plain.given |= tb_request_bit(TB_REQUEST_KEY_AMOUNT);
	plain.nalternatives = 0;
	return plain;
}

char *tb_request_print_alternative(const struct tb_request *plain)
{
	struct tb_alternative alternative = { plain->unit, plain->amount };
	struct tb_text text = TB_TEXT_EMPTY;

	print_one(&alternative, &text);
	return tb_text_take(&text);
}

void tb_alternatives_print(const struct tb_request *request,
			   struct tb_text *text)
{
	for (unsigned i = 0; i < request->nalternatives; i++) {
		if (i)
			tb_text_add_char(text, '|');
		print_one(&request->alternatives[i], text);
	}
}

/* ---- reading ---- */

bool tb_alternatives_are_meant(const char *value)
{
	return value[strcspn(value, ":|+")] != '\0';
}

static int refuse_unit(const char *value, const char *name, size_t length,
		       struct tb_error *err)
{
	return tb_fail(err, "bunit=%s: '%s' is not a unit%s; allowed: %s",
		       tb_clip(value, strlen(value)).text,
		       tb_clip(name, length).text,
		       tb_suggest(tb_unit_names, name, length).text,
		       tb_unit_allowed);
}

static int read_unit(const char *value, const char *name, size_t length,
		     struct tb_unit *unit, struct tb_error *err)
{
	char copy[NAME_MAX_LENGTH + 1] = { 0 };

	if (length > NAME_MAX_LENGTH)
		return refuse_unit(value, name, length, err);
	memcpy(copy, name, length);
	return tb_unit_parse(copy, unit)
		       ? 0
		       : refuse_unit(value, name, length, err);
}

/* An amount that is not said is 1, as it is with bunit alone. */
static int read_amount(const char *value, const char *digits, size_t length,
		       unsigned *amount, struct tb_error *err)
{
	const char *at = digits;
	uint64_t number = 1;

	if (digits && (tb_text_read_number(&at, TB_AMOUNT_MAX, &number) ||
		       at != digits + length || !number))
		return tb_fail(
			err,
			"bunit=%s: the amount '%s' is not allowed; write a whole number from 1 to %d behind each colon, as in X:1|N:1",
			tb_clip(value, strlen(value)).text,
			tb_clip(digits, length).text, TB_AMOUNT_MAX);
	*amount = (unsigned)number;
	return 0;
}

/* One "X:1" of a value. */
static int read_one(const char *value, const char *piece, size_t length,
		    struct tb_alternative *alternative, struct tb_error *err)
{
	size_t name = strcspn(piece, ":|");
	bool has_amount = name < length;

	return read_unit(value, piece, name, &alternative->unit, err) ||
			       read_amount(value,
					   has_amount ? piece + name + 1 : NULL,
					   has_amount ? length - name - 1 : 0,
					   &alternative->amount, err)
		       ? -1
		       : 0;
}

static int check_new(const char *value, const struct tb_alternative *list,
		     unsigned count, struct tb_error *err)
{
	for (unsigned i = 0; i < count; i++)
		if (is_same(&list[i], &list[count]))
			return tb_fail(
				err,
				"bunit=%s names %u %s twice; name each alternative once",
				tb_clip(value, strlen(value)).text,
				list[i].amount, tb_unit_name(list[i].unit));
	return 0;
}

static int read_list(const char *value, struct tb_alternative *list,
		     unsigned *count, struct tb_error *err)
{
	const char *at = value;

	for (*count = 0;; at++) {
		size_t length = strcspn(at, "|");

		if (*count == TB_ALTERNATIVES_MAX)
			return tb_fail(
				err,
				"bunit=%s names too many alternatives; at most %d are allowed",
				tb_clip(value, strlen(value)).text,
				TB_ALTERNATIVES_MAX);
		if (read_one(value, at, length, &list[*count], err) ||
		    check_new(value, list, *count, err))
			return -1;
		++*count;
		at += length;
		if (!*at)
			return 0;
	}
}

int tb_alternatives_read(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	struct tb_alternative list[TB_ALTERNATIVES_MAX] = { 0 };
	unsigned count;

	if (strchr(value, '+'))
		return tb_fail(
			err,
			"bunit=%s: a task cannot have units of several kinds at once; name one, or alternatives as in X:1|N:1",
			tb_clip(value, strlen(value)).text);
	if (read_list(value, list, &count, err))
		return -1;
	memcpy(request->alternatives, list, sizeof(list));
	request->nalternatives = count;
	request->unit = list[0].unit;
	if (!(request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT)))
		request->amount = list[0].amount;
	return 0;
}

int tb_request_find_alternative(const struct tb_request *request,
				const char *text)
{
	struct tb_request wanted;
	int found = -1;

	tb_request_init(&wanted);
	if (tb_alternatives_are_meant(text) &&
	    !tb_alternatives_read(&wanted, text, NULL) &&
	    wanted.nalternatives == 1)
		for (unsigned i = 0; i < request->nalternatives; i++)
			if (is_same(&request->alternatives[i],
				    &wanted.alternatives[0]))
				found = (int)i;
	tb_request_clear(&wanted);
	return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "alternatives.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "request_key.h"

/* Longer than the name of any unit. */
#define NAME_MAX_LENGTH 15

static bool is_same(const struct tb_units *a, const struct tb_units *b)
{
	return a->unit.letter == b->unit.letter &&
	       a->unit.kind == b->unit.kind && a->amount == b->amount;
}

static void print_one(const struct tb_units *alternative, struct tb_text *text)
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
	struct tb_units alternative = { plain->unit, plain->amount };
	struct tb_text text = TB_TEXT_EMPTY;

	print_one(&alternative, &text);
	return tb_text_take(&text);
}

static void print_list(const struct tb_units *list, unsigned count,
		       char separator, struct tb_text *text)
{
	for (unsigned i = 0; i < count; i++) {
		if (i)
			tb_text_add_char(text, separator);
		print_one(&list[i], text);
	}
}

void tb_alternatives_print(const struct tb_request *request,
			   struct tb_text *text)
{
	if (request->nparts)
		print_list(request->parts, request->nparts, '+', text);
	else
		print_list(request->alternatives, request->nalternatives, '|',
			   text);
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
		    struct tb_units *alternative, struct tb_error *err)
{
	size_t name = strcspn(piece, ":|+");
	bool has_amount = name < length;

	return read_unit(value, piece, name, &alternative->unit, err) ||
			       read_amount(value,
					   has_amount ? piece + name + 1 : NULL,
					   has_amount ? length - name - 1 : 0,
					   &alternative->amount, err)
		       ? -1
		       : 0;
}

static int check_new_alternative(const char *value, const struct tb_units *list,
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

/* Threads of one core cannot be of two parts: Slurm gives whole cores. */
static int check_new_part(const char *value, const struct tb_units *list,
			  unsigned count, struct tb_error *err)
{
	if (list[count].unit.letter == 'T')
		return tb_fail(
			err,
			"bunit=%s: threads cannot be a part beside other units; name cores, as in X:1+C:2",
			tb_clip(value, strlen(value)).text);
	for (unsigned i = 0; i < count; i++)
		if (list[i].unit.letter == list[count].unit.letter &&
		    list[i].unit.kind == list[count].unit.kind)
			return tb_fail(
				err,
				"bunit=%s names %s twice; name each kind of unit once, with the amount of all of them",
				tb_clip(value, strlen(value)).text,
				tb_unit_name(list[i].unit));
	return 0;
}

/* A list of "X:1", and what its pieces have to be. */
struct list_kind {
	char separator;
	unsigned most;
	const char *too_many; /* of a sentence: what there are */
	int (*check_new)(const char *value, const struct tb_units *list,
			 unsigned count, struct tb_error *err);
};

static int read_list(const char *value, const struct list_kind *kind,
		     struct tb_units *list, unsigned *count,
		     struct tb_error *err)
{
	const char separator[] = { kind->separator, '\0' };
	const char *at = value;

	for (*count = 0;; at++) {
		size_t length = strcspn(at, separator);

		if (*count == kind->most)
			return tb_fail(
				err,
				"bunit=%s names too many %s; at most %u are allowed",
				tb_clip(value, strlen(value)).text,
				kind->too_many, kind->most);
		if (read_one(value, at, length, &list[*count], err) ||
		    kind->check_new(value, list, *count, err))
			return -1;
		++*count;
		at += length;
		if (!*at)
			return 0;
	}
}

static const struct list_kind alternatives = { '|', TB_ALTERNATIVES_MAX,
					       "alternatives",
					       check_new_alternative };
static const struct list_kind parts = { '+', TB_PARTS_MAX, "kinds of units",
					check_new_part };

static int read_alternatives(struct tb_request *request, const char *value,
			     struct tb_error *err)
{
	struct tb_units list[TB_ALTERNATIVES_MAX] = { 0 };
	unsigned count;

	if (read_list(value, &alternatives, list, &count, err))
		return -1;
	memcpy(request->alternatives, list, sizeof(list));
	request->nalternatives = count;
	request->nparts = 0;
	request->unit = list[0].unit;
	if (!(request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT)))
		request->amount = list[0].amount;
	return 0;
}

static int read_parts(struct tb_request *request, const char *value,
		      struct tb_error *err)
{
	struct tb_units list[TB_PARTS_MAX] = { 0 };
	unsigned count;

	if (strchr(value, '|'))
		return tb_fail(
			err,
			"bunit=%s has both + and |, which do not go together: name parts as in X:1+C:2, or alternatives as in X:1|N:1",
			tb_clip(value, strlen(value)).text);
	if (read_list(value, &parts, list, &count, err))
		return -1;
	memcpy(request->parts, list, sizeof(list));
	request->nparts = count;
	request->nalternatives = 0;
	request->unit = (struct tb_unit){ 'C', list[0].unit.kind };
	if (!(request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT)))
		request->amount = 1;
	return 0;
}

int tb_alternatives_read(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	return strchr(value, '+') ? read_parts(request, value, err)
				  : read_alternatives(request, value, err);
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

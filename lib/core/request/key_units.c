/* SPDX-License-Identifier: GPL-2.0-or-later */
/* key_units.c - how many of which units: bunit, bamount */
#include "key.h"

#include <string.h>

#include "core/topology/unit.h"
#include "alternatives.h"
#include "parts.h"

/* bunit */

static int read_unit(struct tb_request *request, const char *value,
		     struct tb_error *err)
{
	if (tb_alternatives_are_meant(value))
		return tb_alternatives_read(request, value, err);
	if (!tb_unit_parse(value, &request->unit))
		return tb_key_refuse(TB_REQUEST_KEY_UNIT, value, err);
	if (tb_request_unit_has_amount(request) &&
	    !(request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT)))
		request->amount = 0;
	request->nalternatives = 0;
	request->nparts = 0;
	return 0;
}

static bool is_default_unit(const struct tb_request *request)
{
	return !tb_request_unit_has_amount(request) &&
	       request->unit.letter == 'C' && request->unit.kind == TB_POWER;
}

static void print_unit(const struct tb_request *request, struct tb_text *text)
{
	if (tb_request_unit_has_amount(request))
		tb_alternatives_print(request, text);
	else
		tb_text_add(text, tb_unit_name(request->unit));
}

const struct tb_key tb_key_unit = { read_unit, is_default_unit, print_unit };

/* bamount */

#define AMOUNT_DIGITS 5

static int read_amount(struct tb_request *request, const char *value,
		       struct tb_error *err)
{
	size_t digits = strspn(value, "0123456789");
	unsigned amount = 0;

	if (value[digits] || digits > AMOUNT_DIGITS)
		return tb_key_refuse(TB_REQUEST_KEY_AMOUNT, value, err);
	for (size_t i = 0; i < digits; i++)
		amount = amount * 10 + (unsigned)(value[i] - '0');
	if (amount > TB_AMOUNT_MAX)
		return tb_key_refuse(TB_REQUEST_KEY_AMOUNT, value, err);
	request->amount = amount;
	return 0;
}

/* There is no default amount: any amount is printed, 0 too. */
static bool is_default_amount(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_amount(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add_number(text, request->amount);
}

const struct tb_key tb_key_amount = { read_amount, is_default_amount,
				      print_amount };

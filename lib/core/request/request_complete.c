/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a request needs, and which of its options do not go together. */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "alternatives.h"
#include "isolation.h"
#include "parts.h"
#include "request_key.h"

/* The value of an option, clipped, for a sentence about it. */
static int print_clipped_value(const struct tb_request *request,
			       enum tb_request_key key,
			       struct tb_clipped *value, struct tb_error *err)
{
	char *printed = tb_request_key_value(request, key);

	if (!printed)
		return tb_fail(err, "out of memory");
	*value = tb_clip(printed, strlen(printed));
	free(printed);
	return 0;
}

/* The first option of a request that is not about nodes; TB_REQUEST_KEYS: none. */
static enum tb_request_key
find_first_with_units(const struct tb_request *request)
{
	enum tb_request_key key = 0;

	while (key < TB_REQUEST_KEYS &&
	       (!(request->given & tb_request_bit(key)) ||
		tb_request_key_choice(key) == TB_KEY_CHOOSES_NODES))
		key++;
	return key;
}

static int check_cpu_list(const struct tb_request *request,
			  struct tb_error *err)
{
	enum tb_request_key key = tb_request_key_first(request,
						       TB_KEY_CHOOSES_UNITS);
	enum tb_request_key list = tb_request_key_first(request,
							TB_KEY_CHOOSES_CPUS);
	struct tb_clipped value, cpus;

	if (key == TB_REQUEST_KEYS)
		return 0;
	if (print_clipped_value(request, key, &value, err) ||
	    print_clipped_value(request, list, &cpus, err))
		return -1;
	return tb_fail(
		err,
		"%s=%s does not go with bcpus=%s, which names the CPUs of each node itself; allowed beside it are binstance, btopology, bmem, bmode, ballow and bisolate, or bamount=0 for no binding",
		tb_request_keys[key], value.text, cpus.text);
}

/* Soft binding needs tasks that topobind binds; ballow needs soft binding. */
static int check_soft_mode(const struct tb_request *request,
			   struct tb_error *err)
{
	struct tb_clipped value;

	if (request->mode == TB_SOFT && request->instance != TB_SET)
		return tb_fail(
			err,
			"bmode=soft does not go with binstance=%s, with which topobind does not hold the tasks; leave one of them out",
			tb_instance_name(request->instance));
	if (request->mode == TB_SOFT ||
	    !(request->given & tb_request_bit(TB_REQUEST_KEY_ALLOW)))
		return 0;
	if (print_clipped_value(request, TB_REQUEST_KEY_ALLOW, &value, err))
		return -1;
	return tb_fail(
		err,
		"ballow=%s says how far tasks may spread: it needs bmode=soft",
		value.text);
}

/* Only slots can be unequal, and threads never are. */
static int check_unequal_slots(const struct tb_request *request,
			       struct tb_error *err)
{
	if (request->equal == TB_EQUAL)
		return 0;
	if (request->type == TB_HOST)
		return tb_fail(
			err,
			"bequal=no does not go with btype=host, with which the tasks of a node share all of its units; leave one of them out");
	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct tb_request plain = tb_request_plain(request, i);

		if (plain.unit.letter == 'T')
			return tb_fail(
				err,
				"bequal=no does not go with bunit=%s: threads are all equal; leave it out, or ask for another unit",
				tb_unit_name(plain.unit));
	}
	return 0;
}

/* There is an amount for each of them; 0 is for none of them. */
static int check_amounts(const struct tb_request *request, struct tb_error *err)
{
	struct tb_clipped value;

	if (!tb_request_unit_has_amount(request) || !request->amount ||
	    !(request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT)))
		return 0;
	if (print_clipped_value(request, TB_REQUEST_KEY_UNIT, &value, err))
		return -1;
	return tb_fail(
		err,
		"bamount=%u does not go with bunit=%s, which has an amount for each of its units; leave one of them out",
		request->amount, value.text);
}

/* Only slots can be spread, and scatter goes by load instead. */
static int check_spread(const struct tb_request *request, struct tb_error *err)
{
	if (request->spread && request->type == TB_HOST)
		return tb_fail(
			err,
			"bspread=%c does not go with btype=host, with which a node has one slot; leave one of them out",
			request->spread);
	if (request->spread && request->strategy == TB_SCATTER)
		return tb_fail(
			err,
			"bspread=%c does not go with bstrategy=scatter, which puts slots where the load is least; leave one of them out",
			request->spread);
	return 0;
}

/* The first option that does not go with parts (parts.h), and what is said of it. */
static const char *find_no_part(const struct tb_request *request,
				enum tb_request_key *key)
{
	if (request->type != TB_HOST) {
		*key = TB_REQUEST_KEY_TYPE;
		return "which a node has once, for all tasks there: add btype=host";
	}
	if (request->strategy != TB_PACKED) {
		*key = TB_REQUEST_KEY_STRATEGY;
		return "which are always packed: leave bstrategy out";
	}
	if (request->start || request->stop) {
		*key = request->start ? TB_REQUEST_KEY_START
				      : TB_REQUEST_KEY_STOP;
		return "for which there are no windows: leave it out";
	}
	return NULL;
}

static int check_parts(const struct tb_request *request, struct tb_error *err)
{
	struct tb_clipped unit, value;
	enum tb_request_key key;
	const char *why = request->nparts ? find_no_part(request, &key) : NULL;

	if (!why)
		return 0;
	if (print_clipped_value(request, TB_REQUEST_KEY_UNIT, &unit, err) ||
	    print_clipped_value(request, key, &value, err))
		return -1;
	return tb_fail(err, "%s=%s does not go with the units of bunit=%s, %s",
		       tb_request_keys[key], value.text, unit.text, why);
}

/* How tasks are held. */
static int check_held(const struct tb_request *request, struct tb_error *err)
{
	return check_soft_mode(request, err) ||
			       tb_request_check_isolated(request, err)
		       ? -1
		       : 0;
}

/* A list of CPUs, or a topology string, can be longer here than as it was given. */
static int check_as_line(const struct tb_request *request, struct tb_error *err)
{
	char *line;
	int rc;

	if (!request->filter && !request->shape && !request->cpus)
		return 0;
	line = tb_request_print(request);
	rc = line ? tb_request_check_length(tb_request_text_length(line), line,
					    err)
		  : tb_fail(err, "out of memory");
	free(line);
	return rc;
}

/*
 * All options that choose units can be combined: letters inside or outside the
 * unit may cut a window, a stop needs no start, and scatter and linear have windows
 * and sorts as packed has.  Whether any units result depends on the node.  Here
 * only options are refused that can have no effect, because the request asks for
 * nothing, or names its CPUs one by one.
 */
static int check_combination(const struct tb_request *request,
			     struct tb_error *err)
{
	bool has_amount = tb_request_unit_has_amount(request) ||
			  request->given &
				  tb_request_bit(TB_REQUEST_KEY_AMOUNT);
	struct tb_clipped value;
	enum tb_request_key key;

	if (check_as_line(request, err))
		return -1;
	if (!tb_request_has_binding(request) ||
	    (has_amount && !request->amount))
		return 0;
	if (check_amounts(request, err))
		return -1;
	if (request->cpus)
		return check_cpu_list(request, err) ? -1
						    : check_held(request, err);
	if (has_amount)
		return check_unequal_slots(request, err) ||
				       check_spread(request, err) ||
				       check_parts(request, err)
			       ? -1
			       : check_held(request, err);
	key = find_first_with_units(request);
	if (print_clipped_value(request, key, &value, err))
		return -1;
	return tb_fail(
		err,
		"%s=%s needs an amount: add bamount with a number from 1 to %d, or 0 for no binding",
		tb_request_keys[key], value.text, TB_AMOUNT_MAX);
}

int tb_request_complete(struct tb_request *request, struct tb_error *err)
{
	unsigned amount = tb_request_bit(TB_REQUEST_KEY_AMOUNT);
	unsigned names_units = tb_request_bit(TB_REQUEST_KEY_UNIT) |
			       tb_request_bit(TB_REQUEST_KEY_FILTER) |
			       tb_request_bit(TB_REQUEST_KEY_SHAPE);

	if (request->given & names_units && !(request->given & amount) &&
	    !request->cpus && !tb_request_unit_has_amount(request)) {
		request->amount = 1;
		request->given |= amount;
	}
	return check_combination(request, err);
}

bool tb_request_is_open(const struct tb_request *request)
{
	unsigned added = tb_request_bit(TB_REQUEST_KEY_STRATEGY) |
			 tb_request_bit(TB_REQUEST_KEY_SORT) |
			 tb_request_bit(TB_REQUEST_KEY_INSTANCE) |
			 tb_request_bit(TB_REQUEST_KEY_MEMORY) |
			 tb_request_bit(TB_REQUEST_KEY_MODE) |
			 tb_request_bit(TB_REQUEST_KEY_ALLOW) |
			 tb_request_bit(TB_REQUEST_KEY_ISOLATE);

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++)
		if (request->given & ~added & tb_request_bit(key) &&
		    tb_request_key_choice(key) != TB_KEY_CHOOSES_NODES)
			return false;
	return true;
}

int tb_request_complete_open(struct tb_request *request, struct tb_error *err)
{
	return tb_request_is_open(request) ? check_held(request, err)
					   : tb_request_complete(request, err);
}

bool tb_request_is_given(const struct tb_request *request)
{
	return request->given != 0;
}

bool tb_request_has_binding(const struct tb_request *request)
{
	return find_first_with_units(request) != TB_REQUEST_KEYS;
}

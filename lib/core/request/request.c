/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests: options one by one, the one-line form, and how options combine.
 */
#include "request.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "core/base/text.h"
#include "alternatives.h"
#include "isolation.h"
#include "parts.h"
#include "request_key.h"

void tb_request_init(struct tb_request *request)
{
	*request = (struct tb_request){
		.unit = { 'C', TB_POWER },
		.type = TB_SLOT,
		.strategy = TB_PACKED,
	};
}

void tb_request_clear(struct tb_request *request)
{
	tb_filter_destroy(request->filter);
	tb_topology_destroy(request->shape);
	tb_bitset_destroy(request->cpus);
	free(request->prefer);
	tb_request_init(request);
}

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

/* Does a request have an option of this choice? */
static bool has_option_of_choice(const struct tb_request *request,
				 enum tb_key_choice choice)
{
	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++)
		if (request->given & tb_request_bit(key) &&
		    tb_request_key_choice(key) == choice)
			return true;
	return false;
}

/* Do units exclude a list of CPUs, or the other way round? */
static bool choice_is_displaced(bool has_units, bool has_cpus,
				enum tb_key_choice choice)
{
	return (has_units && choice == TB_KEY_CHOOSES_CPUS) ||
	       (has_cpus && choice == TB_KEY_CHOOSES_UNITS);
}

/*
 * Amounts in bunit exclude that of bamount.  Which options of a lower request
 * are displaced, as a bit set.
 */
static unsigned find_displaced_amounts(const struct tb_request *request,
				       const struct tb_request *lower)
{
	unsigned amount = tb_request_bit(TB_REQUEST_KEY_AMOUNT);

	if (tb_request_unit_has_amount(request))
		return amount;
	return tb_request_unit_has_amount(lower) && request->given & amount
		       ? tb_request_bit(TB_REQUEST_KEY_UNIT)
		       : 0;
}

/* The value as text, malloc()ed; NULL when out of memory. */
static char *print_key_value(const struct tb_request *request,
			     enum tb_request_key key)
{
	struct tb_text text = TB_TEXT_EMPTY;

	tb_request_key_print(request, key, &text);
	return tb_text_take(&text);
}

/* A printed value can be read again, so that options need no copy functions. */
static int copy_key(struct tb_request *to, const struct tb_request *from,
		    enum tb_request_key key)
{
	char *value = print_key_value(from, key);
	int rc = value ? tb_request_key_read(to, key, value, NULL) : -1;

	free(value);
	return rc;
}

int tb_request_inherit(struct tb_request *request,
		       const struct tb_request *lower, struct tb_error *err)
{
	bool has_units = has_option_of_choice(request, TB_KEY_CHOOSES_UNITS);
	bool has_cpus = has_option_of_choice(request, TB_KEY_CHOOSES_CPUS);
	unsigned kept = request->given | find_displaced_amounts(request, lower);

	for (enum tb_request_key key = 0; key < TB_REQUEST_KEYS; key++) {
		unsigned bit = tb_request_bit(key);

		if (kept & bit || !(lower->given & bit) ||
		    choice_is_displaced(has_units, has_cpus,
					tb_request_key_choice(key)))
			continue;
		if (copy_key(request, lower, key))
			return tb_fail(err, "out of memory");
		request->given |= bit;
	}
	return 0;
}

/* The value of an option, clipped, for a sentence about it. */
static int print_clipped_value(const struct tb_request *request,
			       enum tb_request_key key,
			       struct tb_clipped *value, struct tb_error *err)
{
	char *printed = print_key_value(request, key);

	if (!printed)
		return tb_fail(err, "out of memory");
	*value = tb_clip(printed, strlen(printed));
	free(printed);
	return 0;
}

/* The first option of a request with this choice; TB_REQUEST_KEYS: none. */
static enum tb_request_key find_first_choice(const struct tb_request *request,
					     enum tb_key_choice choice)
{
	enum tb_request_key key = 0;

	while (key < TB_REQUEST_KEYS &&
	       (!(request->given & tb_request_bit(key)) ||
		tb_request_key_choice(key) != choice))
		key++;
	return key;
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
	enum tb_request_key key = find_first_choice(request,
						    TB_KEY_CHOOSES_UNITS);
	enum tb_request_key list = find_first_choice(request,
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

bool tb_request_binds(const struct tb_request *request)
{
	bool off = request->given & tb_request_bit(TB_REQUEST_KEY_AMOUNT);

	return request->amount > 0 || (request->cpus && !off);
}

bool tb_request_matches(const struct tb_request *request,
			const struct tb_topology *topology)
{
	return !request->shape ||
	       tb_topology_same_shape(request->shape, topology);
}

struct tb_memory_policy tb_any_memory(void)
{
	return (struct tb_memory_policy){ TB_MEMORY_NONE, TB_MEMORY_ALL };
}

struct tb_memory_policy tb_request_memory(const struct tb_request *request,
					  struct tb_memory_policy site)
{
	bool given = request->given & tb_request_bit(TB_REQUEST_KEY_MEMORY);

	return given ? request->memory : site;
}

enum tb_hardness tb_request_mode(const struct tb_request *request,
				 enum tb_hardness site)
{
	if (request->given & tb_request_bit(TB_REQUEST_KEY_MODE))
		return request->mode;
	return request->instance == TB_SET ? site : TB_HARD;
}

bool tb_request_names_gpu_memory(const struct tb_request *request)
{
	struct tb_memory_policy memory = tb_request_memory(request,
							   tb_any_memory());

	return tb_request_binds(request) && memory.where != TB_MEMORY_NONE &&
	       memory.kinds & TB_MEMORY_BIT(TB_MEMORY_GPU);
}

int tb_request_check_gpus(const struct tb_request *request, bool has_gpus,
			  struct tb_error *err)
{
	if (has_gpus || !tb_request_names_gpu_memory(request))
		return 0;
	return tb_fail(
		err,
		"bmem with +gpu is memory of the job's GPUs, and it asks for none; ask for some with --gpus, --gpus-per-node, --gpus-per-task or --gres=gpu, or leave out +gpu");
}

enum tb_allocation tb_request_nodes(const struct tb_request *request,
				    enum tb_allocation site)
{
	bool given = request->given & tb_request_bit(TB_REQUEST_KEY_NODES);

	return given ? request->nodes : site;
}

void tb_request_widen_window(struct tb_request *request)
{
	/* That one object holds most when nothing of it is in use. */
	if (request->start && request->start == request->stop)
		request->start = request->stop = tb_upper(request->start);
	else if (tb_is_lower(request->start) ||
		 (request->stop && !tb_is_lower(request->stop)))
		request->start = request->stop = 0;
}

static char get_core_letter(const struct tb_request *request)
{
	return request->unit.kind == TB_EFFICIENCY ? 'E' : 'C';
}

/* The same letter twice: the window is one core. */
static bool window_is_one_core(const struct tb_request *request)
{
	return request->start && request->start == request->stop &&
	       (tb_upper(request->start) == 'C' ||
		tb_upper(request->start) == 'E');
}

/* Where there is no L2 cache a core is one. */
static bool one_core_holds_units(const struct tb_request *request)
{
	char core = get_core_letter(request);

	switch (request->unit.letter) {
	case 'T':
		return tb_upper(request->start) == core;
	case 'C':
	case 'Y':
		return request->start == core;
	default:
		return false;
	}
}

static int check_plain_window(const struct tb_request *request,
			      struct tb_error *err)
{
	const char *unit = tb_unit_name(request->unit);
	char core = get_core_letter(request);

	if (!tb_request_binds(request) || request->cpus)
		return 0;
	if (window_is_one_core(request))
		return one_core_holds_units(request)
			       ? 0
			       : tb_fail(err,
					 "bstart=%c with bstop=%c is a window of one core, in which no %s unit is ever free: leave one of them out, or name objects that have such units",
					 request->start, request->stop, unit);
	if (request->unit.letter == 'C' && request->stop == core &&
	    request->start != core)
		return tb_fail(
			err,
			"bstop=%c ends the window before the first free core, so that no %s unit in it is ever free: stop at a core in use with bstop=%c, or leave bstop out",
			core, unit, core - 'A' + 'a');
	return 0;
}

int tb_request_check_window(const struct tb_request *request,
			    struct tb_error *err)
{
	for (unsigned i = 0; i < tb_request_plain_count(request); i++) {
		struct tb_request plain = tb_request_plain(request, i);

		if (check_plain_window(&plain, err))
			return -1;
	}
	return 0;
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

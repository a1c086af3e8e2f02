/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How each option is read and printed.  Most options whose values are words have
 * their values in one table; the others have three functions each.
 */
#include "request_key.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "core/topology/unit.h"
#include "alternatives.h"
#include "parts.h"
#include "prefer.h"

const char *const tb_request_keys[TB_REQUEST_KEYS + 1] = {
	[TB_REQUEST_KEY_UNIT] = "bunit",
	[TB_REQUEST_KEY_AMOUNT] = "bamount",
	[TB_REQUEST_KEY_TYPE] = "btype",
	[TB_REQUEST_KEY_EQUAL] = "bequal",
	[TB_REQUEST_KEY_STRATEGY] = "bstrategy",
	[TB_REQUEST_KEY_SPREAD] = "bspread",
	[TB_REQUEST_KEY_SORT] = "bsort",
	[TB_REQUEST_KEY_START] = "bstart",
	[TB_REQUEST_KEY_STOP] = "bstop",
	[TB_REQUEST_KEY_FILTER] = "bfilter",
	[TB_REQUEST_KEY_INSTANCE] = "binstance",
	[TB_REQUEST_KEY_SHAPE] = "btopology",
	[TB_REQUEST_KEY_CPUS] = "bcpus",
	[TB_REQUEST_KEY_MEMORY] = "bmem",
	[TB_REQUEST_KEY_MODE] = "bmode",
	[TB_REQUEST_KEY_ALLOW] = "ballow",
	[TB_REQUEST_KEY_ISOLATE] = "bisolate",
	[TB_REQUEST_KEY_NODES] = "bnodes",
	[TB_REQUEST_KEY_PREFER] = "bprefer",
};

static int refuse_value(enum tb_request_key key, const char *value,
			struct tb_error *err)
{
	const char *words = tb_request_words(tb_request_keys[key]);

	return tb_fail(err, "%s=%s is not allowed%s; allowed: %s",
		       tb_request_keys[key], tb_clip(value, strlen(value)).text,
		       tb_suggest(words ? words : "", value, strlen(value)).text,
		       tb_request_key_allowed(key));
}

/* --- btype, bequal, bstrategy, binstance, bmode: one word of a list ------------------- */

#define WORDS_MAX 4 /* with the NULL after the last */

/* By the value of the field in its enum. */
static const char *const key_words[TB_REQUEST_KEYS][WORDS_MAX] = {
	[TB_REQUEST_KEY_TYPE] = { [TB_SLOT] = "slot", [TB_HOST] = "host" },
	[TB_REQUEST_KEY_EQUAL] = { [TB_EQUAL] = "yes", [TB_UNEQUAL] = "no" },
	[TB_REQUEST_KEY_STRATEGY] = { [TB_PACKED] = "packed",
				      [TB_LINEAR] = "linear",
				      [TB_SCATTER] = "scatter" },
	[TB_REQUEST_KEY_INSTANCE] = { [TB_SET] = "set",
				      [TB_ENV] = "env",
				      [TB_PE] = "pe" },
	[TB_REQUEST_KEY_MODE] = { [TB_HARD] = "hard", [TB_SOFT] = "soft" },
};

static bool key_has_words(enum tb_request_key key)
{
	return key_words[key][0];
}

static int get_word(const struct tb_request *request, enum tb_request_key key)
{
	switch (key) {
	case TB_REQUEST_KEY_TYPE:
		return request->type;
	case TB_REQUEST_KEY_EQUAL:
		return request->equal;
	case TB_REQUEST_KEY_STRATEGY:
		return request->strategy;
	case TB_REQUEST_KEY_INSTANCE:
		return request->instance;
	default:
		return request->mode;
	}
}

static void set_word(struct tb_request *request, enum tb_request_key key,
		     int word)
{
	switch (key) {
	case TB_REQUEST_KEY_TYPE:
		request->type = (enum tb_type)word;
		break;
	case TB_REQUEST_KEY_EQUAL:
		request->equal = (enum tb_equal)word;
		break;
	case TB_REQUEST_KEY_STRATEGY:
		request->strategy = (enum tb_strategy)word;
		break;
	case TB_REQUEST_KEY_INSTANCE:
		request->instance = (enum tb_instance)word;
		break;
	default:
		request->mode = (enum tb_hardness)word;
	}
}

static int read_key_word(struct tb_request *request, enum tb_request_key key,
			 const char *value, struct tb_error *err)
{
	const char *const *words = key_words[key];

	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], value) != 0)
			continue;
		set_word(request, key, i);
		return 0;
	}
	return refuse_value(key, value, err);
}

/* What a site can say in its place (bmode, as bmem) is none. */
static bool is_default_word(const struct tb_request *request,
			    enum tb_request_key key)
{
	return key != TB_REQUEST_KEY_MODE && get_word(request, key) == 0;
}

const char *tb_instance_name(enum tb_instance instance)
{
	return key_words[TB_REQUEST_KEY_INSTANCE][instance];
}

const char *tb_mode_name(enum tb_hardness mode)
{
	return key_words[TB_REQUEST_KEY_MODE][mode];
}

bool tb_mode_read(const char *word, enum tb_hardness *mode)
{
	for (int i = TB_HARD; i <= TB_SOFT; i++)
		if (tb_text_is_word(word, strlen(word),
				    key_words[TB_REQUEST_KEY_MODE][i])) {
			*mode = (enum tb_hardness)i;
			return true;
		}
	return false;
}

/* bunit */

static int read_key_unit(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	if (tb_alternatives_are_meant(value))
		return tb_alternatives_read(request, value, err);
	if (!tb_unit_parse(value, &request->unit))
		return refuse_value(TB_REQUEST_KEY_UNIT, value, err);
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

static void print_key_unit(const struct tb_request *request,
			   struct tb_text *text)
{
	if (tb_request_unit_has_amount(request))
		tb_alternatives_print(request, text);
	else
		tb_text_add(text, tb_unit_name(request->unit));
}

/* bamount */

#define AMOUNT_DIGITS 5

static int read_key_amount(struct tb_request *request, const char *value,
			   struct tb_error *err)
{
	size_t digits = strspn(value, "0123456789");
	unsigned amount = 0;

	if (value[digits] || digits > AMOUNT_DIGITS)
		return refuse_value(TB_REQUEST_KEY_AMOUNT, value, err);
	for (size_t i = 0; i < digits; i++)
		amount = amount * 10 + (unsigned)(value[i] - '0');
	if (amount > TB_AMOUNT_MAX)
		return refuse_value(TB_REQUEST_KEY_AMOUNT, value, err);
	request->amount = amount;
	return 0;
}

/* There is no default amount: any amount is printed, 0 too. */
static bool is_default_amount(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_key_amount(const struct tb_request *request,
			     struct tb_text *text)
{
	tb_text_add_number(text, request->amount);
}

/* bmem: a policy, then the kinds of memory beside main memory, as in local+hbm */

static const char *const memory_words[] = { [TB_MEMORY_NONE] = "none",
					    [TB_MEMORY_PREFER] = "prefer",
					    [TB_MEMORY_LOCAL] = "local" };

static int read_memory_word(const char *value, size_t length)
{
	for (int i = TB_MEMORY_NONE; i <= TB_MEMORY_LOCAL; i++)
		if (strlen(memory_words[i]) == length &&
		    strncmp(memory_words[i], value, length) == 0)
			return i;
	return -1;
}

/* Can users name it beside main memory? */
static bool is_named_memory(enum tb_memory_kind kind)
{
	return kind == TB_MEMORY_HBM || kind == TB_MEMORY_CXL ||
	       kind == TB_MEMORY_GPU;
}

/* The kinds of "+hbm+cxl", each at most once; 0: that is none. */
static unsigned read_memory_kinds(const char *text)
{
	unsigned kinds = TB_MEMORY_BIT(TB_MEMORY_MAIN);

	while (*text) {
		enum tb_memory_kind kind;
		size_t length = strcspn(++text, "+");

		if (!tb_memory_kind_parse(text, length, &kind) ||
		    !is_named_memory(kind) || kinds & TB_MEMORY_BIT(kind))
			return 0;
		kinds |= TB_MEMORY_BIT(kind);
		text += length;
	}
	return kinds;
}

static int read_key_memory(struct tb_request *request, const char *value,
			   struct tb_error *err)
{
	size_t length = strcspn(value, "+");
	int where = read_memory_word(value, length);
	unsigned kinds = read_memory_kinds(value + length);

	if (where < 0 || !kinds || (where == TB_MEMORY_NONE && value[length]))
		return refuse_value(TB_REQUEST_KEY_MEMORY, value, err);
	if (where == TB_MEMORY_NONE)
		kinds = TB_MEMORY_ALL;
	request->memory = (struct tb_memory_policy){ (enum tb_memory)where,
						     kinds };
	return 0;
}

/* The default is the site's: any policy is printed, "none" too. */
static bool is_default_memory(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_key_memory(const struct tb_request *request,
			     struct tb_text *text)
{
	tb_text_add(text, memory_words[request->memory.where]);
	if (request->memory.where == TB_MEMORY_NONE)
		return;
	for (int kind = 0; kind < TB_MEMORY_KINDS; kind++) {
		if (kind == TB_MEMORY_MAIN ||
		    !(request->memory.kinds & TB_MEMORY_BIT(kind)))
			continue;
		tb_text_add(text, "+");
		tb_text_add(text,
			    tb_memory_kind_name((enum tb_memory_kind)kind));
	}
}

/* ballow: a letter, or the node */

static const char whole_node[] = "node";
static const char allow_letters[] = "SNX";

static int read_key_allow(struct tb_request *request, const char *value,
			  struct tb_error *err)
{
	bool is_letter = !value[1] && strchr(allow_letters, value[0]);

	if (!is_letter && strcmp(value, whole_node) != 0)
		return refuse_value(TB_REQUEST_KEY_ALLOW, value, err);
	request->allow = is_letter ? value[0] : 0;
	return 0;
}

static bool is_default_allow(const struct tb_request *request)
{
	return !request->allow;
}

static void print_key_allow(const struct tb_request *request,
			    struct tb_text *text)
{
	if (request->allow)
		tb_text_add_char(text, request->allow);
	else
		tb_text_add(text, whole_node);
}

/* bisolate */

static const char *const isolate_words[] = { "no", "yes" };

static int read_key_isolate(struct tb_request *request, const char *value,
			    struct tb_error *err)
{
	for (int i = 0; i < 2; i++) {
		if (strcmp(isolate_words[i], value) != 0)
			continue;
		request->isolate = i;
		return 0;
	}
	return refuse_value(TB_REQUEST_KEY_ISOLATE, value, err);
}

/* The default is the site's: both are printed. */
static bool is_default_isolate(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_key_isolate(const struct tb_request *request,
			      struct tb_text *text)
{
	tb_text_add(text, isolate_words[request->isolate]);
}

/* bspread: one letter */

static const char spread_letters[] = "SNX";

static int read_key_spread(struct tb_request *request, const char *value,
			   struct tb_error *err)
{
	if (value[1] || !strchr(spread_letters, value[0]))
		return refuse_value(TB_REQUEST_KEY_SPREAD, value, err);
	request->spread = value[0];
	return 0;
}

static bool is_default_spread(const struct tb_request *request)
{
	return !request->spread;
}

static void print_key_spread(const struct tb_request *request,
			     struct tb_text *text)
{
	tb_text_add_char(text, request->spread);
}

/* bsort: letters, each at most once, whatever its case */

static const char sort_letters[] = "SCENXYT";

static int read_key_sort(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	size_t length = 0;

	for (; value[length]; length++) {
		char letter = tb_upper(value[length]);

		if (!strchr(sort_letters, letter))
			return refuse_value(TB_REQUEST_KEY_SORT, value, err);
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

static void print_key_sort(const struct tb_request *request,
			   struct tb_text *text)
{
	tb_text_add(text, request->sort);
}

/* bstart, bstop: one letter */

static const char window_letters[] = "SsCcEeNnXxYy";

static int read_window_letter(enum tb_request_key key, const char *value,
			      char *letter, struct tb_error *err)
{
	if (value[1] || !strchr(window_letters, value[0]))
		return refuse_value(key, value, err);
	*letter = value[0];
	return 0;
}

static int read_key_start(struct tb_request *request, const char *value,
			  struct tb_error *err)
{
	return read_window_letter(TB_REQUEST_KEY_START, value, &request->start,
				  err);
}

static bool is_default_start(const struct tb_request *request)
{
	return !request->start;
}

static void print_key_start(const struct tb_request *request,
			    struct tb_text *text)
{
	tb_text_add_char(text, request->start);
}

static int read_key_stop(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	return read_window_letter(TB_REQUEST_KEY_STOP, value, &request->stop,
				  err);
}

static bool is_default_stop(const struct tb_request *request)
{
	return !request->stop;
}

static void print_key_stop(const struct tb_request *request,
			   struct tb_text *text)
{
	tb_text_add_char(text, request->stop);
}

/* Refuse a value with what its parser says. */
static int refuse_because(enum tb_request_key key, const char *value,
			  const struct tb_error *reason, struct tb_error *err)
{
	return tb_fail(err, "%s=%s: %s", tb_request_keys[key],
		       tb_clip(value, strlen(value)).text, reason->text);
}

/* Add and free a malloc()ed value; NULL: out of memory. */
static void add_and_free_value(struct tb_text *text, char *value)
{
	if (value)
		tb_text_add(text, value);
	else
		text->failed = true;
	free(value);
}

/* bfilter */

static int read_key_filter(struct tb_request *request, const char *value,
			   struct tb_error *err)
{
	struct tb_error reason;
	struct tb_filter *filter = tb_filter_parse(value, &reason);

	if (!filter)
		return refuse_because(TB_REQUEST_KEY_FILTER, value, &reason,
				      err);
	tb_filter_destroy(request->filter);
	request->filter = filter;
	return 0;
}

static bool is_default_filter(const struct tb_request *request)
{
	return !request->filter;
}

static void print_key_filter(const struct tb_request *request,
			     struct tb_text *text)
{
	add_and_free_value(text, tb_filter_print(request->filter));
}

/* btopology: a shape with nothing in use */

static int read_key_shape(struct tb_request *request, const char *value,
			  struct tb_error *err)
{
	struct tb_error reason;
	struct tb_bitset *lower;
	struct tb_topology *shape = tb_topology_parse(value, &lower, &reason);
	bool plain;

	if (!shape)
		return refuse_because(TB_REQUEST_KEY_SHAPE, value, &reason,
				      err);
	plain = tb_bitset_is_empty(lower);
	tb_bitset_destroy(lower);
	if (plain) {
		tb_topology_destroy(request->shape);
		request->shape = shape;
		return 0;
	}
	tb_topology_destroy(shape);
	return tb_fail(
		err,
		"%s=%s has letters in lower case, but a shape says nothing of what is in use; write all of it in capitals",
		tb_request_keys[TB_REQUEST_KEY_SHAPE],
		tb_clip(value, strlen(value)).text);
}

static bool is_default_shape(const struct tb_request *request)
{
	return !request->shape;
}

static void print_key_shape(const struct tb_request *request,
			    struct tb_text *text)
{
	add_and_free_value(text, tb_topology_print(request->shape, NULL));
}

/*
 * bcpus: a list with commas, or with plus signs in the one-line form, where commas
 * separate options
 */

static void replace_char(char *text, char old, char new)
{
	for (; *text; text++)
		if (*text == old)
			*text = new;
}

/* A set with no more bits than it needs. */
static struct tb_bitset *trim_set(const struct tb_bitset *set)
{
	unsigned nbits = tb_bitset_last(set) + 1;
	struct tb_bitset *trimmed = tb_bitset_create(nbits);

	if (trimmed)
		tb_bitset_or_range(trimmed, set, 0, nbits);
	return trimmed;
}

static const char os_prefix[] = "os:";

static bool has_os_prefix(const char *value)
{
	return !strncmp(value, os_prefix, strlen(os_prefix));
}

static int read_key_cpus(struct tb_request *request, const char *value,
			 struct tb_error *err)
{
	struct tb_error reason = { "out of memory" };
	const char *numbers = value;
	struct tb_bitset *cpus = NULL, *trimmed;
	char *list = malloc(strlen(value) + 1);

	if (has_os_prefix(value))
		numbers += strlen(os_prefix);
	if (list) {
		memcpy(list, numbers, strlen(numbers) + 1);
		replace_char(list, '+', ',');
		cpus = tb_bitset_parse_list(list, TB_CPUS_MAX, &reason);
	}
	trimmed = cpus ? trim_set(cpus) : NULL;
	free(list);
	tb_bitset_destroy(cpus);
	if (!trimmed)
		return refuse_because(TB_REQUEST_KEY_CPUS, value, &reason, err);
	tb_bitset_destroy(request->cpus);
	request->cpus = trimmed;
	request->os_numbers = numbers != value;
	/* A type that the user has set is refused later. */
	if (!(request->given & tb_request_bit(TB_REQUEST_KEY_TYPE)))
		request->type = TB_HOST;
	return 0;
}

static bool is_default_cpus(const struct tb_request *request)
{
	return !request->cpus;
}

static void print_key_cpus(const struct tb_request *request,
			   struct tb_text *text)
{
	char *list = tb_request_print_cpus(request);

	if (list)
		replace_char(list, ',', '+');
	add_and_free_value(text, list);
}

char *tb_request_print_cpus(const struct tb_request *request)
{
	struct tb_text text = TB_TEXT_EMPTY;

	if (request->os_numbers)
		tb_text_add(&text, os_prefix);
	add_and_free_value(&text, tb_bitset_print_list(request->cpus));
	return tb_text_take(&text);
}

/* bnodes */

static int read_key_nodes(struct tb_request *request, const char *value,
			  struct tb_error *err)
{
	return tb_allocation_parse(value, &request->nodes)
		       ? 0
		       : refuse_value(TB_REQUEST_KEY_NODES, value, err);
}

/* The default is the site's: any policy is printed, SLURM too. */
static bool is_default_nodes(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_key_nodes(const struct tb_request *request,
			    struct tb_text *text)
{
	tb_text_add(text, tb_allocation_names[request->nodes]);
}

/* bprefer: prefer.h */

static int read_key_prefer(struct tb_request *request, const char *value,
			   struct tb_error *err)
{
	bool is_list = strlen(value) <= TB_PREFER_MAX;
	char *list = is_list ? tb_prefer_parse(value, &is_list) : NULL;

	if (!is_list)
		return refuse_value(TB_REQUEST_KEY_PREFER, value, err);
	if (!list)
		return tb_fail(err, "out of memory");
	free(request->prefer);
	request->prefer = list;
	return 0;
}

static bool is_default_prefer(const struct tb_request *request)
{
	return !request->prefer;
}

static void print_key_prefer(const struct tb_request *request,
			     struct tb_text *text)
{
	tb_text_add(text, request->prefer);
}

#define FIELD(field) read_key_##field, is_default_##field, print_key_##field

/* Its words are in key_words. */
#define KEY_WORDS NULL, NULL, NULL

/* The words are all values there are. */
#define WORDS(words) words, NULL

static const char window_words[] = "S s C c E e N n X x Y y";
static const char window_text[] = "one letter of S s C c E e N n X x Y y";

/* What describes an option; options in key_words need no functions. */
static const struct request_key_row {
	enum tb_key_choice choice;
	/* Values that are words, with blanks or commas between; NULL = none. */
	const char *words;
	const char *allowed; /* for messages; NULL = the words, all there is */
	int (*read)(struct tb_request *request, const char *value,
		    struct tb_error *err);
	bool (*is_default)(const struct tb_request *request);
	void (*print)(const struct tb_request *request, struct tb_text *text);
} request_table[TB_REQUEST_KEYS] = {
	[TB_REQUEST_KEY_UNIT] = { TB_KEY_CHOOSES_UNITS, tb_unit_names,
				  tb_unit_allowed, FIELD(unit) },
	[TB_REQUEST_KEY_AMOUNT] = { TB_KEY_CHOOSES_UNITS, NULL,
				    "a whole number from 0 to 65535",
				    FIELD(amount) },
	[TB_REQUEST_KEY_TYPE] = { TB_KEY_CHOOSES_UNITS, WORDS("slot, host"),
				  KEY_WORDS },
	[TB_REQUEST_KEY_EQUAL] = { TB_KEY_CHOOSES_UNITS, WORDS("yes, no"),
				   KEY_WORDS },
	[TB_REQUEST_KEY_STRATEGY] = { TB_KEY_CHOOSES_UNITS,
				      WORDS("packed, linear, scatter"),
				      KEY_WORDS },
	[TB_REQUEST_KEY_SPREAD] = { TB_KEY_CHOOSES_UNITS, WORDS("S, N, X"),
				    FIELD(spread) },
	[TB_REQUEST_KEY_SORT] = { TB_KEY_CHOOSES_UNITS, NULL,
				  "letters of S C E N X Y T, each once, capital (least used first) or small (most used first)",
				  FIELD(sort) },
	[TB_REQUEST_KEY_START] = { TB_KEY_CHOOSES_UNITS, window_words,
				   window_text, FIELD(start) },
	[TB_REQUEST_KEY_STOP] = { TB_KEY_CHOOSES_UNITS, window_words,
				  window_text, FIELD(stop) },
	[TB_REQUEST_KEY_FILTER] = { TB_KEY_CHOOSES_UNITS, "first_core",
				    "a topology string with the masked units in lower case, first_core, first_core+STRING",
				    FIELD(filter) },
	[TB_REQUEST_KEY_INSTANCE] = { TB_KEY_CHOOSES_NOTHING,
				      WORDS("set, env, pe"), KEY_WORDS },
	[TB_REQUEST_KEY_SHAPE] = { TB_KEY_CHOOSES_NOTHING, NULL,
				   "a topology string in capitals",
				   FIELD(shape) },
	[TB_REQUEST_KEY_CPUS] = { TB_KEY_CHOOSES_CPUS, NULL,
				  "a list of the node's threads, counted from 0 in the order of its topology string, as in 0-3,8 or 0-3+8; after os: the numbers that the node's OS gives them, as in os:0-3,8",
				  FIELD(cpus) },
	[TB_REQUEST_KEY_MEMORY] = { TB_KEY_CHOOSES_NOTHING,
				    "none, prefer, local, prefer+hbm, local+hbm, prefer+cxl, local+cxl, prefer+gpu, local+gpu",
				    "none, prefer, local; the last two also with +hbm, +cxl, +gpu or several of them, as in local+hbm",
				    FIELD(memory) },
	[TB_REQUEST_KEY_MODE] = { TB_KEY_CHOOSES_NOTHING, WORDS("hard, soft"),
				  KEY_WORDS },
	[TB_REQUEST_KEY_ALLOW] = { TB_KEY_CHOOSES_NOTHING,
				   WORDS("node, S, N, X"), FIELD(allow) },
	[TB_REQUEST_KEY_ISOLATE] = { TB_KEY_CHOOSES_NOTHING, WORDS("no, yes"),
				     FIELD(isolate) },
	[TB_REQUEST_KEY_NODES] = { TB_KEY_CHOOSES_NODES,
				   WORDS(tb_allocation_list), FIELD(nodes) },
	[TB_REQUEST_KEY_PREFER] = { TB_KEY_CHOOSES_NODES, NULL,
				    "names of node features, and mem:, swap: and disk: with a size, at most 1024 bytes, as in fast,mem:64G or fast+mem:64G",
				    FIELD(prefer) },
};

/* --- any option --------------------------------------------------------------- */

enum tb_request_key tb_request_key_find(const char *name, size_t length)
{
	size_t key = 0;

	while (tb_request_keys[key] &&
	       (strncmp(tb_request_keys[key], name, length) != 0 ||
		tb_request_keys[key][length]))
		key++;
	return (enum tb_request_key)key;
}

enum tb_key_choice tb_request_key_choice(enum tb_request_key key)
{
	return request_table[key].choice;
}

const char *tb_request_key_allowed(enum tb_request_key key)
{
	const struct request_key_row *row = &request_table[key];

	return row->allowed ? row->allowed : row->words;
}

int tb_request_key_read(struct tb_request *request, enum tb_request_key key,
			const char *value, struct tb_error *err)
{
	return key_has_words(key)
		       ? read_key_word(request, key, value, err)
		       : request_table[key].read(request, value, err);
}

bool tb_request_key_is_default(const struct tb_request *request,
			       enum tb_request_key key)
{
	return key_has_words(key) ? is_default_word(request, key)
				  : request_table[key].is_default(request);
}

void tb_request_key_print(const struct tb_request *request,
			  enum tb_request_key key, struct tb_text *text)
{
	if (key_has_words(key))
		tb_text_add(text, key_words[key][get_word(request, key)]);
	else
		request_table[key].print(request, text);
}

const char *tb_request_words(const char *name)
{
	enum tb_request_key key = tb_request_key_find(name, strlen(name));

	return key < TB_REQUEST_KEYS ? request_table[key].words : NULL;
}

const char *tb_request_allowed(const char *name)
{
	enum tb_request_key key = tb_request_key_find(name, strlen(name));

	return key < TB_REQUEST_KEYS ? tb_request_key_allowed(key) : NULL;
}

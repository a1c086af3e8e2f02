/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options one by one: how each is read and printed.
 */
#include "request_key.h"

#include <stdlib.h>
#include <string.h>

#include "clip.h"
#include "unit.h"

const char *tb_request_key_allowed(const struct tb_request_key *key)
{
	return key->allowed ? key->allowed : key->words;
}

static const char *name_of(const struct tb_request_key *key)
{
	return tb_request_keys[key - tb_request_table];
}

static int refuse(const struct tb_request_key *key, const char *value,
		  struct tb_error *err)
{
	return tb_fail(err, "%s=%s is not allowed; allowed: %s", name_of(key),
		       tb_clip(value, strlen(value)).text,
		       tb_request_key_allowed(key));
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

/*
 * btype, bstrategy, binstance, bmem, bmode: words of a list, by their value in
 * an enum
 */

static const char *const types[] = {
	[TB_SLOT] = "slot", [TB_HOST] = "host", NULL
};
static const char *const strategies[] = {
	[TB_PACKED] = "packed", [TB_LINEAR] = "linear",
	[TB_SCATTER] = "scatter", NULL
};
static const char *const instances[] = {
	[TB_SET] = "set", [TB_ENV] = "env", [TB_PE] = "pe", NULL
};
static const char *const memories[] = {
	[TB_MEMORY_NONE] = "none", [TB_MEMORY_PREFER] = "prefer",
	[TB_MEMORY_LOCAL] = "local", NULL
};
static const char *const modes[] = {
	[TB_HARD] = "hard", [TB_SOFT] = "soft", NULL
};

/* The index of a word, or -1 with a sentence. */
static int find_word(const struct tb_request_key *key,
		     const char *const words[], const char *value,
		     struct tb_error *err)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], value) == 0)
			return i;
	return refuse(key, value, err);
}

static int read_type(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	int word = find_word(key, types, value, err);

	if (word >= 0)
		request->type = (enum tb_type)word;
	return word < 0 ? -1 : 0;
}

static bool default_type(const struct tb_request *request)
{
	return request->type == TB_SLOT;
}

static void print_type(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, types[request->type]);
}

static int read_strategy(struct tb_request *request,
			 const struct tb_request_key *key, const char *value,
			 struct tb_error *err)
{
	int word = find_word(key, strategies, value, err);

	if (word >= 0)
		request->strategy = (enum tb_strategy)word;
	return word < 0 ? -1 : 0;
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

static int read_instance(struct tb_request *request,
			 const struct tb_request_key *key, const char *value,
			 struct tb_error *err)
{
	int word = find_word(key, instances, value, err);

	if (word >= 0)
		request->instance = (enum tb_instance)word;
	return word < 0 ? -1 : 0;
}

const char *tb_instance_name(enum tb_instance instance)
{
	return instances[instance];
}

static bool default_instance(const struct tb_request *request)
{
	return request->instance == TB_SET;
}

static void print_instance(const struct tb_request *request,
			   struct tb_text *text)
{
	tb_text_add(text, tb_instance_name(request->instance));
}

static int read_memory(struct tb_request *request,
		       const struct tb_request_key *key, const char *value,
		       struct tb_error *err)
{
	int word = find_word(key, memories, value, err);

	if (word >= 0)
		request->memory = (enum tb_memory)word;
	return word < 0 ? -1 : 0;
}

/* The default is the site's: what was given is printed, none too. */
static bool default_memory(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_memory(const struct tb_request *request,
			 struct tb_text *text)
{
	tb_text_add(text, memories[request->memory]);
}

static int read_mode(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	int word = find_word(key, modes, value, err);

	if (word >= 0)
		request->mode = (enum tb_hardness)word;
	return word < 0 ? -1 : 0;
}

static bool default_mode(const struct tb_request *request)
{
	return request->mode == TB_HARD;
}

static void print_mode(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, modes[request->mode]);
}

/* ballow: a letter, or the node */

static const char whole_node[] = "node";
static const char allow_letters[] = "SNX";

static int read_allow(struct tb_request *request,
		      const struct tb_request_key *key, const char *value,
		      struct tb_error *err)
{
	bool is_letter = !value[1] && strchr(allow_letters, value[0]);

	if (!is_letter && strcmp(value, whole_node) != 0)
		return refuse(key, value, err);
	request->allow = is_letter ? value[0] : 0;
	return 0;
}

static bool default_allow(const struct tb_request *request)
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

/* What a parser said of a value. */
static int refuse_because(const struct tb_request_key *key, const char *value,
			  const struct tb_error *reason, struct tb_error *err)
{
	return tb_fail(err, "%s=%s: %s", name_of(key),
		       tb_clip(value, strlen(value)).text, reason->text);
}

/* A malloc()ed value, freed here; NULL: memory was short. */
static void add_and_free(struct tb_text *text, char *value)
{
	if (value)
		tb_text_add(text, value);
	else
		text->failed = true;
	free(value);
}

/* bfilter */

static int read_filter(struct tb_request *request,
		       const struct tb_request_key *key, const char *value,
		       struct tb_error *err)
{
	struct tb_error reason;

	request->filter = tb_filter_parse(value, &reason);
	return request->filter ? 0 : refuse_because(key, value, &reason, err);
}

static bool default_filter(const struct tb_request *request)
{
	return !request->filter;
}

static void print_filter(const struct tb_request *request,
			 struct tb_text *text)
{
	add_and_free(text, tb_filter_print(request->filter));
}

/* btopology: a shape, which nothing is in use of */

static int read_shape(struct tb_request *request,
		      const struct tb_request_key *key, const char *value,
		      struct tb_error *err)
{
	struct tb_error reason;
	struct tb_bitset *lower;
	bool plain;

	request->shape = tb_topology_parse(value, &lower, &reason);
	if (!request->shape)
		return refuse_because(key, value, &reason, err);
	plain = tb_bitset_is_empty(lower);
	tb_bitset_destroy(lower);
	if (plain)
		return 0;
	tb_topology_destroy(request->shape);
	request->shape = NULL;
	return tb_fail(err, "%s=%s has letters in lower case, but a shape says nothing of what is in use; write all of it in capitals",
		       name_of(key), tb_clip(value, strlen(value)).text);
}

static bool default_shape(const struct tb_request *request)
{
	return !request->shape;
}

static void print_shape(const struct tb_request *request, struct tb_text *text)
{
	add_and_free(text, tb_topology_print(request->shape, NULL));
}

/*
 * bcpus: a list, with commas where it stands alone and with plus signs in the
 * one-line form, whose items are separated by commas
 */

static void replace(char *text, char old, char new)
{
	for (; *text; text++)
		if (*text == old)
			*text = new;
}

static unsigned last_bit(const struct tb_bitset *set)
{
	unsigned last = 0;

	for (unsigned bit = tb_bitset_next(set, 0); bit < set->nbits;
	     bit = tb_bitset_next(set, bit + 1))
		last = bit;
	return last;
}

/* A set with no more bits than it needs. */
static struct tb_bitset *trim(const struct tb_bitset *set)
{
	unsigned nbits = last_bit(set) + 1;
	struct tb_bitset *trimmed = tb_bitset_create(nbits);

	if (trimmed)
		tb_bitset_or_range(trimmed, set, 0, nbits);
	return trimmed;
}

static int read_cpus(struct tb_request *request,
		     const struct tb_request_key *key, const char *value,
		     struct tb_error *err)
{
	struct tb_error reason = { "out of memory" };
	struct tb_bitset *cpus = NULL;
	char *list = malloc(strlen(value) + 1);

	if (list) {
		memcpy(list, value, strlen(value) + 1);
		replace(list, '+', ',');
		cpus = tb_bitset_parse_list(list, TB_CPUS_MAX, &reason);
	}
	if (cpus) {
		request->cpus = trim(cpus);
		/* A type that was given is refused later, as it was given. */
		if (!(request->given & tb_request_bit(TB_REQUEST_KEY_TYPE)))
			request->type = TB_HOST;
	}
	free(list);
	tb_bitset_destroy(cpus);
	return request->cpus ? 0 : refuse_because(key, value, &reason, err);
}

static bool default_cpus(const struct tb_request *request)
{
	return !request->cpus;
}

static void print_cpus(const struct tb_request *request, struct tb_text *text)
{
	char *list = tb_bitset_print_list(request->cpus);

	if (list)
		replace(list, ',', '+');
	add_and_free(text, list);
}

/* bnodes */

static int read_nodes(struct tb_request *request,
		      const struct tb_request_key *key, const char *value,
		      struct tb_error *err)
{
	return tb_allocation_parse(value, &request->nodes) ? 0 :
	       refuse(key, value, err);
}

/* The default is the site's: what was given is printed, SLURM too. */
static bool default_nodes(const struct tb_request *request)
{
	(void)request;
	return false;
}

static void print_nodes(const struct tb_request *request, struct tb_text *text)
{
	tb_text_add(text, tb_allocation_names[request->nodes]);
}

/* bprefer: names of features, separated as the items of bcpus */

static bool is_feature(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (name[i] <= ' ' || name[i] > '~' || strchr("&|*[]()\"'",
							      name[i]))
			return false;
	return length > 0;
}

static int read_prefer(struct tb_request *request,
		       const struct tb_request_key *key, const char *value,
		       struct tb_error *err)
{
	size_t length = strlen(value), at = 0;

	if (length > TB_PREFER_MAX)
		return refuse(key, value, err);
	while (at <= length) {
		size_t name = strcspn(value + at, ",+");

		if (!is_feature(value + at, name))
			return refuse(key, value, err);
		at += name + 1;
	}
	request->prefer = malloc(length + 1);
	if (!request->prefer)
		return tb_fail(err, "out of memory");
	memcpy(request->prefer, value, length + 1);
	replace(request->prefer, ',', '+');
	return 0;
}

static bool default_prefer(const struct tb_request *request)
{
	return !request->prefer;
}

static void print_prefer(const struct tb_request *request,
			 struct tb_text *text)
{
	tb_text_add(text, request->prefer);
}

#define FIELD(field) \
	read_##field, default_##field, print_##field

/* All values there are. */
#define WORDS(words) words, NULL

static const char window_words[] = "S s C c E e N n X x Y y";
static const char window_text[] = "one letter of S s C c E e N n X x Y y";

const struct tb_request_key tb_request_table[TB_REQUEST_KEYS] = {
	[TB_REQUEST_KEY_UNIT] = { TB_CHOICE_UNITS, WORDS(tb_unit_names),
		FIELD(unit) },
	[TB_REQUEST_KEY_AMOUNT] = { TB_CHOICE_UNITS, NULL,
		"a whole number from 0 to 65535", FIELD(amount) },
	[TB_REQUEST_KEY_TYPE] = { TB_CHOICE_UNITS, WORDS("slot, host"),
		FIELD(type) },
	[TB_REQUEST_KEY_STRATEGY] = { TB_CHOICE_UNITS,
		WORDS("packed, linear, scatter"), FIELD(strategy) },
	[TB_REQUEST_KEY_SORT] = { TB_CHOICE_UNITS, NULL,
		"letters of S C E N X Y T, each once, capital (least used first) or small (most used first)",
		FIELD(sort) },
	[TB_REQUEST_KEY_START] = { TB_CHOICE_UNITS, window_words, window_text,
		FIELD(start) },
	[TB_REQUEST_KEY_STOP] = { TB_CHOICE_UNITS, window_words, window_text,
		FIELD(stop) },
	[TB_REQUEST_KEY_FILTER] = { TB_CHOICE_UNITS, "first_core",
		"a topology string with the masked units in lower case, first_core, first_core+STRING",
		FIELD(filter) },
	[TB_REQUEST_KEY_INSTANCE] = { TB_CHOICE_NONE, WORDS("set, env, pe"),
		FIELD(instance) },
	[TB_REQUEST_KEY_SHAPE] = { TB_CHOICE_NONE, NULL,
		"a topology string in capitals", FIELD(shape) },
	[TB_REQUEST_KEY_CPUS] = { TB_CHOICE_CPUS, NULL,
		"a list of the node's threads, counted from 0 in the order of its topology string, as in 0-3,8 or 0-3+8",
		FIELD(cpus) },
	[TB_REQUEST_KEY_MEMORY] = { TB_CHOICE_NONE,
		WORDS("none, prefer, local"), FIELD(memory) },
	[TB_REQUEST_KEY_MODE] = { TB_CHOICE_NONE, WORDS("hard, soft"),
		FIELD(mode) },
	[TB_REQUEST_KEY_ALLOW] = { TB_CHOICE_NONE, WORDS("node, S, N, X"),
		FIELD(allow) },
	[TB_REQUEST_KEY_NODES] = { TB_CHOICE_NODES, WORDS(tb_allocation_list),
		FIELD(nodes) },
	[TB_REQUEST_KEY_PREFER] = { TB_CHOICE_NODES, NULL,
		"names of node features, at most 1024 bytes, as in fast,bigmem or fast+bigmem",
		FIELD(prefer) },
};

const char *const tb_request_keys[TB_REQUEST_KEYS + 1] = {
	[TB_REQUEST_KEY_UNIT] = "bunit",
	[TB_REQUEST_KEY_AMOUNT] = "bamount",
	[TB_REQUEST_KEY_TYPE] = "btype",
	[TB_REQUEST_KEY_STRATEGY] = "bstrategy",
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
	[TB_REQUEST_KEY_NODES] = "bnodes",
	[TB_REQUEST_KEY_PREFER] = "bprefer",
};

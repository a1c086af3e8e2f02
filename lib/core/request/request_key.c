/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of options; what is an option's own is in key_*.c. */
#include "request_key.h"

#include <string.h>

#include "core/base/clip.h"
#include "core/base/suggest.h"
#include "core/topology/unit.h"
#include "key.h"

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

/* The words are all values there are. */
#define WORDS(words) words, NULL

static const char window_words[] = "S s C c E e N n X x Y y";
static const char window_text[] = "one letter of S s C c E e N n X x Y y";

/* What describes an option. */
static const struct request_key_row {
	enum tb_key_choice choice;
	/* Values that are words, with blanks or commas between; NULL = none. */
	const char *words;
	const char *allowed; /* for messages; NULL = the words, all there is */
	const struct tb_key *own; /* NULL = it is one word of a list */
} request_table[TB_REQUEST_KEYS] = {
	[TB_REQUEST_KEY_UNIT] = { TB_KEY_CHOOSES_UNITS, tb_unit_names,
				  tb_unit_allowed, &tb_key_unit },
	[TB_REQUEST_KEY_AMOUNT] = { TB_KEY_CHOOSES_UNITS, NULL,
				    "a whole number from 0 to 65535",
				    &tb_key_amount },
	[TB_REQUEST_KEY_TYPE] = { TB_KEY_CHOOSES_UNITS, WORDS("slot, host"),
				  NULL },
	[TB_REQUEST_KEY_EQUAL] = { TB_KEY_CHOOSES_UNITS, WORDS("yes, no"),
				   NULL },
	[TB_REQUEST_KEY_STRATEGY] = { TB_KEY_CHOOSES_UNITS,
				      WORDS("packed, linear, scatter"), NULL },
	[TB_REQUEST_KEY_SPREAD] = { TB_KEY_CHOOSES_UNITS, WORDS("S, N, X"),
				    &tb_key_spread },
	[TB_REQUEST_KEY_SORT] = { TB_KEY_CHOOSES_UNITS, NULL,
				  "letters of S C E N X Y T, each once, capital (least used first) or small (most used first)",
				  &tb_key_sort },
	[TB_REQUEST_KEY_START] = { TB_KEY_CHOOSES_UNITS, window_words,
				   window_text, &tb_key_start },
	[TB_REQUEST_KEY_STOP] = { TB_KEY_CHOOSES_UNITS, window_words,
				  window_text, &tb_key_stop },
	[TB_REQUEST_KEY_FILTER] = { TB_KEY_CHOOSES_UNITS, "first_core",
				    "a topology string with the masked units in lower case, first_core, first_core+STRING",
				    &tb_key_filter },
	[TB_REQUEST_KEY_INSTANCE] = { TB_KEY_CHOOSES_NOTHING,
				      WORDS("set, env, pe"), NULL },
	[TB_REQUEST_KEY_SHAPE] = { TB_KEY_CHOOSES_NOTHING, NULL,
				   "a topology string in capitals",
				   &tb_key_shape },
	[TB_REQUEST_KEY_CPUS] = { TB_KEY_CHOOSES_CPUS, NULL,
				  "a list of the node's threads, counted from 0 in the order of its topology string, as in 0-3,8 or 0-3+8; after os: the numbers that the node's OS gives them, as in os:0-3,8",
				  &tb_key_cpus },
	[TB_REQUEST_KEY_MEMORY] = { TB_KEY_CHOOSES_NOTHING,
				    "none, prefer, local, prefer+hbm, local+hbm, prefer+cxl, local+cxl, prefer+gpu, local+gpu",
				    "none, prefer, local; the last two also with +hbm, +cxl, +gpu or several of them, as in local+hbm",
				    &tb_key_memory },
	[TB_REQUEST_KEY_MODE] = { TB_KEY_CHOOSES_NOTHING, WORDS("hard, soft"),
				  NULL },
	[TB_REQUEST_KEY_ALLOW] = { TB_KEY_CHOOSES_NOTHING,
				   WORDS("node, S, N, X"), &tb_key_allow },
	[TB_REQUEST_KEY_ISOLATE] = { TB_KEY_CHOOSES_NOTHING, WORDS("no, yes"),
				     NULL },
	[TB_REQUEST_KEY_NODES] = { TB_KEY_CHOOSES_NODES,
				   WORDS(tb_allocation_list), &tb_key_nodes },
	[TB_REQUEST_KEY_PREFER] = { TB_KEY_CHOOSES_NODES, NULL,
				    "names of node features, and mem:, swap: and disk: with a size, at most 1024 bytes, as in fast,mem:64G or fast+mem:64G",
				    &tb_key_prefer },
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

int tb_key_refuse(enum tb_request_key key, const char *value,
		  struct tb_error *err)
{
	const char *words = request_table[key].words;

	return tb_fail(err, "%s=%s is not allowed%s; allowed: %s",
		       tb_request_keys[key], tb_clip(value, strlen(value)).text,
		       tb_suggest(words ? words : "", value, strlen(value)).text,
		       tb_request_key_allowed(key));
}

int tb_request_key_read(struct tb_request *request, enum tb_request_key key,
			const char *value, struct tb_error *err)
{
	return tb_key_has_words(key)
		       ? tb_key_read_word(request, key, value, err)
		       : request_table[key].own->read(request, value, err);
}

bool tb_request_key_is_default(const struct tb_request *request,
			       enum tb_request_key key)
{
	return tb_key_has_words(key)
		       ? tb_key_is_default_word(request, key)
		       : request_table[key].own->is_default(request);
}

void tb_request_key_print(const struct tb_request *request,
			  enum tb_request_key key, struct tb_text *text)
{
	if (tb_key_has_words(key))
		tb_text_add(text, tb_key_word(request, key));
	else
		request_table[key].own->print(request, text);
}

char *tb_request_key_value(const struct tb_request *request,
			   enum tb_request_key key)
{
	struct tb_text text = TB_TEXT_EMPTY;

	tb_request_key_print(request, key, &text);
	return tb_text_take(&text);
}

enum tb_request_key tb_request_key_first(const struct tb_request *request,
					 enum tb_key_choice choice)
{
	enum tb_request_key key = 0;

	while (key < TB_REQUEST_KEYS &&
	       (!(request->given & tb_request_bit(key)) ||
		tb_request_key_choice(key) != choice))
		key++;
	return key;
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

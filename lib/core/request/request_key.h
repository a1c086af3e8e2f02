/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_key.h - the table of a request's options
 *
 * A new option is one word in enum tb_request_key, one name in tb_request_keys[],
 * one row in the table of request_key.c, its own functions or words in key_*.c
 * (key.h) and one field in struct tb_request.  A field that owns memory goes into
 * tb_request_clear() too.
 */
#ifndef TB_CORE_REQUEST_REQUEST_KEY_H
#define TB_CORE_REQUEST_REQUEST_KEY_H

#include "core/base/text.h"
#include "request.h"

/* The names of all options, NULL-terminated, in the order of the table. */
extern const char *const tb_request_keys[];

/*
 * Of an option: its values that are words, with blanks or commas between them
 * (NULL when no value is a word), and what is allowed, for people.  NULL when
 * there is no such option.  Static text.
 */
const char *tb_request_words(const char *key);
const char *tb_request_allowed(const char *key);

/* "set", "env", "pe".  Static text. */
const char *tb_instance_name(enum tb_instance instance);

/* ---- for request*.c ---- */

/* What an option chooses, which says what else it goes together with. */
enum tb_key_choice {
	TB_KEY_CHOOSES_NOTHING, /* goes with units and with a list of CPUs */
	TB_KEY_CHOOSES_UNITS,	/* not with a list of CPUs */
	TB_KEY_CHOOSES_CPUS,	/* is the list */
	TB_KEY_CHOOSES_NODES,	/* goes with no binding, too */
};

/* The options, in the order in which requests are printed. */
enum tb_request_key {
	TB_REQUEST_KEY_UNIT,
	TB_REQUEST_KEY_AMOUNT,
	TB_REQUEST_KEY_TYPE,
	TB_REQUEST_KEY_EQUAL,
	TB_REQUEST_KEY_STRATEGY,
	TB_REQUEST_KEY_SPREAD,
	TB_REQUEST_KEY_SORT,
	TB_REQUEST_KEY_START,
	TB_REQUEST_KEY_STOP,
	TB_REQUEST_KEY_FILTER,
	TB_REQUEST_KEY_INSTANCE,
	TB_REQUEST_KEY_SHAPE,
	TB_REQUEST_KEY_CPUS,
	TB_REQUEST_KEY_MEMORY,
	TB_REQUEST_KEY_MODE,
	TB_REQUEST_KEY_ALLOW,
	TB_REQUEST_KEY_ISOLATE,
	TB_REQUEST_KEY_NODES,
	TB_REQUEST_KEY_PREFER,
	TB_REQUEST_KEYS
};

/* The option of a name; TB_REQUEST_KEYS when there is none. */
enum tb_request_key tb_request_key_find(const char *name, size_t length);

enum tb_key_choice tb_request_key_choice(enum tb_request_key key);

/* What a message says is allowed. */
const char *tb_request_key_allowed(enum tb_request_key key);

/*
 * Read a value, which is not empty, into the field of a request, in place of the
 * one that it had.  -1 with a sentence; then the request does not change.
 */
int tb_request_key_read(struct tb_request *request, enum tb_request_key key,
			const char *value, struct tb_error *err);

/* Does a request have the default value, which is not printed? */
bool tb_request_key_is_default(const struct tb_request *request,
			       enum tb_request_key key);

/* Add the value in its canonical spelling, which can be read again. */
void tb_request_key_print(const struct tb_request *request,
			  enum tb_request_key key, struct tb_text *text);

/* The same as text, malloc()ed; NULL when out of memory. */
char *tb_request_key_value(const struct tb_request *request,
			   enum tb_request_key key);

/* The first option that a request has of this choice; TB_REQUEST_KEYS: none. */
enum tb_request_key tb_request_key_first(const struct tb_request *request,
					 enum tb_key_choice choice);

/* The bit of an option in a request's given. */
static inline unsigned tb_request_bit(enum tb_request_key key)
{
	return 1u << key;
}

#endif

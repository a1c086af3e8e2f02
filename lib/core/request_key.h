/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_key.h - the table of a request's options
 *
 * Private to lib/core.  A new option is one word in enum tb_request_key_index,
 * one name in tb_request_keys[], one row in tb_request_table[] and one field in
 * struct tb_request; what owns memory goes into tb_request_clear() too.
 */
#ifndef TB_CORE_REQUEST_KEY_H
#define TB_CORE_REQUEST_KEY_H

#include "request.h"
#include "text.h"

/* How an option goes together with a list of CPUs, and with a binding. */
enum tb_choice {
	TB_CHOICE_NONE,  /* chooses nothing: goes with both */
	TB_CHOICE_UNITS, /* chooses units: not with a list of CPUs */
	TB_CHOICE_CPUS,  /* is the list */
	TB_CHOICE_NODES, /* chooses nodes: goes with no binding, too */
};

/* The rows of both tables, in the order in which requests are printed. */
enum tb_request_key_index {
	TB_REQUEST_KEY_UNIT,
	TB_REQUEST_KEY_AMOUNT,
	TB_REQUEST_KEY_TYPE,
	TB_REQUEST_KEY_STRATEGY,
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
	TB_REQUEST_KEY_NODES,
	TB_REQUEST_KEY_PREFER,
	TB_REQUEST_KEYS
};

struct tb_request_key {
	enum tb_choice choice;
	/* Values that are words, with blanks or commas between; NULL = none. */
	const char *words;
	const char *allowed; /* for messages; NULL = the words, all there is */
	/* The value is not empty.  -1 with a sentence, request not changed. */
	int (*read)(struct tb_request *request,
		    const struct tb_request_key *key, const char *value,
		    struct tb_error *err);
	bool (*is_default)(const struct tb_request *request);
	/* Add the value, in its canonical spelling, which read() takes. */
	void (*print)(const struct tb_request *request, struct tb_text *text);
};

extern const struct tb_request_key tb_request_table[TB_REQUEST_KEYS];

/* What a message says is allowed. */
const char *tb_request_key_allowed(const struct tb_request_key *key);

/* The bit of a key in a request's given. */
static inline unsigned tb_request_bit(size_t key)
{
	return 1u << key;
}

#endif

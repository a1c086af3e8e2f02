/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key.h - how the value of each option of a request is read and printed
 *
 * Private to lib/core/request.  The table of request_key.c has all options and says
 * what is allowed; key_*.c have what is each option's own.  The three functions of an
 * option are as those of request_key.h.
 */
#ifndef TB_CORE_REQUEST_KEY_H
#define TB_CORE_REQUEST_KEY_H

#include "core/base/text.h"
#include "request.h"
#include "request_key.h"

struct tb_key {
	int (*read)(struct tb_request *request, const char *value,
		    struct tb_error *err);
	bool (*is_default)(const struct tb_request *request);
	void (*print)(const struct tb_request *request, struct tb_text *text);
};

extern const struct tb_key tb_key_unit, tb_key_amount;
extern const struct tb_key tb_key_allow, tb_key_spread, tb_key_sort,
	tb_key_start, tb_key_stop;
extern const struct tb_key tb_key_filter, tb_key_shape, tb_key_cpus;
extern const struct tb_key tb_key_memory;
extern const struct tb_key tb_key_nodes, tb_key_prefer;

/* Is an option one word of a list?  Then these are its functions. */
bool tb_key_has_words(enum tb_request_key key);
int tb_key_read_word(struct tb_request *request, enum tb_request_key key,
		     const char *value, struct tb_error *err);
bool tb_key_is_default_word(const struct tb_request *request,
			    enum tb_request_key key);
const char *tb_key_word(const struct tb_request *request,
			enum tb_request_key key);

/* Fail with a sentence that names the option, the value and what is allowed. */
int tb_key_refuse(enum tb_request_key key, const char *value,
		  struct tb_error *err);

#endif

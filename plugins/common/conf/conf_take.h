/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_take.h - values of single keys of topobind.conf
 *
 * Private to conf*.c.  A key that is not in the file leaves its default.  All
 * return -1 with a sentence that names the line and what is allowed.
 */
#ifndef TB_COMMON_CONF_CONF_TAKE_H
#define TB_COMMON_CONF_CONF_TAKE_H

#include "conf_policy.h"

/* The text; NULL when the key is not there.  The word is to be cleared. */
int tb_conf_take_word(struct tb_conf_word *word, const char *key,
		      s_p_hashtbl_t *table, const struct tb_conf_where *where,
		      struct tb_error *err);
/* yes or no */
int tb_conf_take_flag(bool *flag, const char *key, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err);
/* A whole number from min to max; the same of a value, NULL: not there. */
int tb_conf_take_number(unsigned *number, const char *key, unsigned min,
			unsigned max, s_p_hashtbl_t *table,
			const struct tb_conf_where *where,
			struct tb_error *err);
int tb_conf_read_number(unsigned *number, const char *key, const char *value,
			unsigned min, unsigned max,
			const struct tb_conf_where *where,
			struct tb_error *err);

/* What follows the first key of a line, as a table; NULL: it cannot be read. */
s_p_hashtbl_t *tb_conf_parse_rest(s_p_options_t *options, const char *rest,
				  char **leftover);

#endif

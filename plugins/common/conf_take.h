/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_take.h - values of single keys of topobind.conf
 *
 * Private to conf*.c.  A key that is not there leaves what was there before.  All
 * return -1 with a sentence that says where and what is allowed.
 */
#ifndef TB_PLUGINS_CONF_TAKE_H
#define TB_PLUGINS_CONF_TAKE_H

#include "common/conf_policy.h"

/* The text; NULL when the key is not there.  The word is to be cleared. */
int tb_conf_take_word(struct tb_conf_word *word, const char *key,
		      s_p_hashtbl_t *table, const struct tb_conf_where *where,
		      struct tb_error *err);
/* yes or no */
int tb_conf_take_flag(bool *flag, const char *key, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err);
/* A whole number from min to max. */
int tb_conf_take_number(unsigned *number, const char *key, unsigned min,
			unsigned max, s_p_hashtbl_t *table,
			const struct tb_conf_where *where,
			struct tb_error *err);

#endif

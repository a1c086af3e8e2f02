/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conf_take.h"

#include <stdlib.h>
#include <string.h>

int tb_conf_take_word(struct tb_conf_word *word, const char *key,
		      s_p_hashtbl_t *table, const struct tb_conf_where *where,
		      struct tb_error *err)
{
	tb_conf_word_take(word, key, table);
	return tb_conf_word_check(word, key, where, err);
}

int tb_conf_take_flag(bool *flag, const char *key, s_p_hashtbl_t *table,
		      const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, key, table, where, err);

	if (!rc)
		rc = tb_conf_read_flag(flag, key, word.value, where, err);
	tb_conf_word_clear(&word);
	return rc;
}

/* Digits only, not more of them than the largest has. */
static bool read_number(const char *text, unsigned min, unsigned max,
			unsigned *number)
{
	unsigned long value;

	if (!*text || strlen(text) > 5 || text[strspn(text, "0123456789")])
		return false;
	value = strtoul(text, NULL, 10);
	if (value < min || value > max)
		return false;
	*number = value;
	return true;
}

int tb_conf_read_number(unsigned *number, const char *key, const char *value,
			unsigned min, unsigned max,
			const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_error why;

	if (!value || read_number(value, min, max, number))
		return 0;
	tb_fail(&why,
		"this is not allowed; allowed: a whole number from %u to %u",
		min, max);
	return tb_conf_fail(where, key, value, why.text, err);
}

int tb_conf_take_number(unsigned *number, const char *key, unsigned min,
			unsigned max, s_p_hashtbl_t *table,
			const struct tb_conf_where *where, struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, key, table, where, err);

	if (!rc)
		rc = tb_conf_read_number(number, key, word.value, min, max,
					 where, err);
	tb_conf_word_clear(&word);
	return rc;
}

s_p_hashtbl_t *tb_conf_parse_rest(s_p_options_t *options, const char *rest,
				  char **leftover)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(options);

	if (s_p_parse_line(table, rest, leftover))
		return table;
	s_p_hashtbl_destroy(table);
	return NULL;
}

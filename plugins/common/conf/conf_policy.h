/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_policy.h - the keys of topobind.conf that a partition can override
 *
 * Private to conf.c.  The lines are read as they are written, into a struct
 * tb_conf_words; a partition's words override the site's, and the result is
 * checked as a whole.
 */
#ifndef TB_COMMON_CONF_CONF_POLICY_H
#define TB_COMMON_CONF_CONF_POLICY_H

#include <stdbool.h>

#include "conf.h"
#include "conf_items.h"
#include "conf_line.h"
#include "conf_soft.h"
#include "conf_word.h"
#include "compat/slurm_compat.h"
#include "core/policy/priority_function.h"

#define TB_WORD_OF(name, key, usual) TB_WORD_##name,
enum { TB_POLICY_ITEMS(TB_WORD_OF) TB_WORDS };

struct tb_conf_words {
	struct tb_conf_word word[TB_WORDS];
};

struct tb_policy {
	bool enabled;
	bool implicit;
	bool on_any_host;
	bool spares_devices;
	enum tb_isolation isolation;
	struct tb_filter *filter;  /* NULL: none */
	struct tb_request request; /* of a job that is bound implicitly */
	enum tb_allocation nodes;
	char *plugin; /* NAME of nodes=TB_ALLOCATE_PLUGIN; else NULL */
	struct tb_priority_function *priority;
	struct tb_conf_soft soft;
};

/* A key's value, which belongs to the word now.  clear: NULL again. */
void tb_conf_word_take(struct tb_conf_word *word, const char *key,
		       s_p_hashtbl_t *table);
void tb_conf_word_clear(struct tb_conf_word *word);
/* 0, or -1 with a sentence when it was given twice. */
int tb_conf_word_check(const struct tb_conf_word *word, const char *key,
		       const struct tb_conf_where *where, struct tb_error *err);

void tb_conf_words_take(struct tb_conf_words *words, s_p_hashtbl_t *table);
void tb_conf_words_clear(struct tb_conf_words *words);

/*
 * The policy of a partition's words over the site's; own is NULL for the site.
 * 0, or -1 with a sentence; tb_policy_clear() is right after both.  where is for
 * messages.
 */
int tb_policy_make(struct tb_policy *policy, const struct tb_conf_words *own,
		   const struct tb_conf_words *site,
		   const struct tb_conf_where *where, struct tb_error *err);
void tb_policy_clear(struct tb_policy *policy);

/* A filter; *filter is NULL for NONE.  0, or -1 with a sentence. */
int tb_conf_read_filter(struct tb_filter **filter, const char *value,
			const struct tb_conf_where *where,
			struct tb_error *err);
/* yes or no; value NULL leaves *flag as it is. */
int tb_conf_read_flag(bool *flag, const char *key, const char *value,
		      const struct tb_conf_where *where, struct tb_error *err);

/* "FILE line N: KEY=VALUE" */
void tb_conf_name_place(const struct tb_conf_where *where, const char *key,
			const char *value, struct tb_error *place);
/* Fail with that, and what is wrong with it. */
int tb_conf_fail(const struct tb_conf_where *where, const char *key,
		 const char *value, const char *why, struct tb_error *err);
/* Fail because a key has these two values. */
int tb_conf_fail_twice(const struct tb_conf_where *where, const char *key,
		       const char *first, const char *second,
		       struct tb_error *err);

#endif

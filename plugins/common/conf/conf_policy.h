/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_policy.h - the keys of topobind.conf that a partition can override
 *
 * Private to conf.c.  The lines are read as they are written, into a struct
 * tb_conf_words; a partition's words override the site's, and the result is
 * checked as a whole.
 *
 * All keys are arrays for Slurm's parser, so that it keeps both values of a key
 * that was given twice.
 */
#ifndef TB_COMMON_CONF_CONF_POLICY_H
#define TB_COMMON_CONF_CONF_POLICY_H

#include <stdbool.h>

#include "conf.h"
#include "conf_line.h"
#include "compat/slurm_compat.h"
#include "core/policy/priority_function.h"

enum {
	TB_WORD_ENABLED,
	TB_WORD_IMPLICIT,
	TB_WORD_ANY_HOST,
	TB_WORD_UNIT,
	TB_WORD_STRATEGY,
	TB_WORD_FILTER,
	TB_WORD_MEMORY,
	TB_WORD_NODES,
	TB_WORD_PRIORITY,
	TB_WORDS
};

/* A value as in the file. */
struct tb_conf_word {
	char *value; /* NULL: not there */
	char *again; /* given a second time; NULL: not so */
};

struct tb_conf_words {
	struct tb_conf_word word[TB_WORDS];
};

/* The keys, for Slurm's parser: entries of a table of options. */
#define TB_POLICY_OPTIONS \
	{ .key = "Enabled", .type = S_P_ARRAY }, \
		{ .key = "Implicit", .type = S_P_ARRAY }, \
		{ .key = "OnAnyHost", .type = S_P_ARRAY }, \
		{ .key = "DefaultUnit", .type = S_P_ARRAY }, \
		{ .key = "DefaultStrategy", .type = S_P_ARRAY }, \
		{ .key = "Filter", .type = S_P_ARRAY }, \
		{ .key = "MemoryBinding", .type = S_P_ARRAY }, \
		{ .key = "NodeAllocationPolicy", .type = S_P_ARRAY }, \
	{ \
		.key = "PriorityFunction", .type = S_P_ARRAY \
	}

struct tb_policy {
	bool enabled;
	bool implicit;
	bool on_any_host;
	struct tb_filter *filter;  /* NULL: none */
	struct tb_request request; /* of a job that is bound implicitly */
	enum tb_allocation nodes;
	struct tb_priority_function *priority;
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

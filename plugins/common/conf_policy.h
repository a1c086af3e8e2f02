/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_policy.h - the keys of topobind.conf that a partition can override
 *
 * Private to conf.c.  The lines are read as they are written, into a struct
 * tb_conf_words; a partition's words go over the site's, and what comes out is
 * judged as a whole.
 */
#ifndef TB_PLUGINS_CONF_POLICY_H
#define TB_PLUGINS_CONF_POLICY_H

#include <stdbool.h>

#include "common/conf.h"
#include "compat/slurm_compat.h"

enum {
	TB_WORD_ENABLED,
	TB_WORD_IMPLICIT,
	TB_WORD_ANY_HOST,
	TB_WORD_UNIT,
	TB_WORD_STRATEGY,
	TB_WORD_FILTER,
	TB_WORD_MEMORY,
	TB_WORDS
};

/* As in the file; NULL for what is not there. */
struct tb_conf_words {
	char *word[TB_WORDS];
};

/* The keys, for Slurm's parser: entries of a table of options. */
#define TB_POLICY_OPTIONS \
	{.key = "Enabled", .type = S_P_STRING}, \
	{.key = "Implicit", .type = S_P_STRING}, \
	{.key = "OnAnyHost", .type = S_P_STRING}, \
	{.key = "DefaultUnit", .type = S_P_STRING}, \
	{.key = "DefaultStrategy", .type = S_P_STRING}, \
	{.key = "Filter", .type = S_P_STRING}, \
	{.key = "MemoryBinding", .type = S_P_STRING}

struct tb_policy {
	bool enabled;
	bool implicit;
	bool on_any_host;
	struct tb_filter *filter; /* NULL: none */
	struct tb_request request; /* of a job that is bound implicitly */
};

void tb_conf_words_take(struct tb_conf_words *words, s_p_hashtbl_t *table);
void tb_conf_words_clear(struct tb_conf_words *words);

/*
 * Judge a partition's words over the site's; own is NULL for the site's.  0,
 * or -1 with a sentence; tb_policy_clear() is right after both.  path is that
 * of the file, for messages.
 */
int tb_policy_make(struct tb_policy *policy, const struct tb_conf_words *own,
		   const struct tb_conf_words *site, const char *path,
		   struct tb_error *err);
void tb_policy_clear(struct tb_policy *policy);

/* A filter; *filter is NULL for NONE.  0, or -1 with a sentence. */
int tb_conf_read_filter(struct tb_filter **filter, const char *value,
			const char *path, struct tb_error *err);
/* yes or no; value NULL leaves *flag as it is. */
int tb_conf_read_flag(bool *flag, const char *key, const char *value,
		      const char *path, struct tb_error *err);

/* Fail with file, line, key and value, and what is wrong with them. */
int tb_conf_fail(const char *path, const char *key, const char *value,
		 const char *why, struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf_data.h - what is kept of topobind.conf, and how its lines are read
 *
 * Private to conf*.c.
 */
#ifndef TB_COMMON_CONF_CONF_DATA_H
#define TB_COMMON_CONF_CONF_DATA_H

#include "compat/slurm_compat.h"

#include "src/common/parse_config.h"

#include "conf.h"
#include "conf_items.h"
#include "conf_metrics.h"
#include "conf_policy.h"
#include "conf_soft.h"
#include "conf_word.h"

/* A key, and its default. */
struct tb_conf_key {
	const char *key, *usual;
};
#define TB_CONF_KEY_OF(name, key, usual) { key, usual },

/* The keys of the site, those that partitions can override first. */
#define TB_SITE_KEY_OF(name, key, usual) TB_SITE_##name,
enum {
	TB_POLICY_ITEMS(TB_SITE_KEY_OF) TB_SITE_ITEMS(TB_SITE_KEY_OF)
		TB_SITE_KEYS
};
extern const struct tb_conf_key tb_conf_site_keys[TB_SITE_KEYS];

/* The numbers of a NodeName= line. */
#define TB_NUMBER_OF(name, key, usual) TB_NUMBER_##name,
enum { TB_NODE_NUMBER_ITEMS(TB_NUMBER_OF) TB_NUMBERS };

struct hsearch_data;

/* What one NodeName= line says; shared by all nodes of the line. */
struct tb_conf_node {
	char *nodes; /* as written */
	struct tb_conf_word topology;
	struct tb_conf_word distances;
	struct tb_conf_word memory;
	struct tb_conf_word filter_text;
	struct tb_filter *filter;
	struct tb_conf_word function_text;
	struct tb_priority_function *function; /* NULL: not there */
	struct tb_conf_word number_text[TB_NUMBERS];
	struct tb_node_numbers numbers;
	struct tb_conf_word soft[TB_SOFT_WORDS];
};

/* What one PartitionName= line says. */
struct tb_conf_partition {
	char *name;
	struct tb_conf_words words;
	struct tb_policy policy;
};

struct tb_conf {
	char *path;
	char *site_text[TB_SITE_KEYS]; /* as written; NULL: not there */
	bool node_record;
	bool job_record;
	bool usage_record;
	bool unit_tres;
	enum tb_count_memory count_memory;
	struct tb_conf_metrics metrics;
	struct tb_policy policy;
	struct tb_conf_node *lines;
	unsigned line_count;
	struct tb_conf_partition *partitions;
	unsigned partition_count;
	struct hsearch_data *nodes; /* name to struct tb_conf_node */
	char **names;		    /* its keys */
	unsigned name_count;
};

/* --- NodeName= lines --- */

/* For Slurm's parser, which keeps each line as it is written. */
int tb_conf_node_parse(void **dest, slurm_parser_enum_t type, const char *key,
		       const char *value, const char *rest, char **leftover);
void tb_conf_node_destroy(void *item);
/* All lines, checked; -1 with a sentence. */
int tb_conf_nodes_take(struct tb_conf *site, s_p_hashtbl_t *table,
		       const char *path, struct tb_error *err);
void tb_conf_nodes_clear(struct tb_conf *site);
/* NULL: the node is in no line. */
const struct tb_conf_node *tb_conf_node_find(const struct tb_conf *site,
					     const char *node_name);
/* Of a node in no line. */
extern const struct tb_node_numbers tb_conf_usual_numbers;

/* --- PartitionName= lines, likewise --- */

int tb_conf_partition_parse(void **dest, slurm_parser_enum_t type,
			    const char *key, const char *value,
			    const char *rest, char **leftover);
void tb_conf_partition_destroy(void *item);
int tb_conf_partitions_take(struct tb_conf *site, s_p_hashtbl_t *table,
			    const struct tb_conf_words *site_words,
			    const char *path, struct tb_error *err);
void tb_conf_partitions_clear(struct tb_conf *site);
const struct tb_conf_partition *
tb_conf_partition_find(const struct tb_conf *site, const char *name);

/* --- a file that cannot be read: -1 with a sentence --- */

int tb_conf_fail_unreadable(const char *path, s_p_options_t *options,
			    struct tb_error *err);

#endif

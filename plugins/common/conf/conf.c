/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slurm's parser reads the file; all values are checked here, where a message
 * can say what is allowed.
 */
#include "conf_data.h"

#include <sys/stat.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "conf_line.h"
#include "conf_take.h"

const struct tb_conf_key tb_conf_site_keys[TB_SITE_KEYS] = { TB_POLICY_ITEMS(
	TB_CONF_KEY_OF) TB_SITE_ITEMS(TB_CONF_KEY_OF) };

static s_p_options_t conf_options[] = {
	/* clang-format off */
	TB_POLICY_ITEMS(TB_PARSED_ITEM)
	TB_SITE_ITEMS(TB_PARSED_ITEM)
	{.key = "NodeName", .type = S_P_ARRAY, .handler = tb_conf_node_parse,
	 .destroy = tb_conf_node_destroy},
	{.key = "PartitionName", .type = S_P_ARRAY,
	 .handler = tb_conf_partition_parse,
	 .destroy = tb_conf_partition_destroy},
	{.key = NULL}
	/* clang-format on */
};

static struct tb_conf *create_conf(const char *path)
{
	struct tb_conf *site = xmalloc(sizeof(*site));

	site->path = xstrdup(path);
	site->node_record = true;
	site->job_record = true;
	return site;
}

static void take_site_text(struct tb_conf *site, s_p_hashtbl_t *table)
{
	char **values;
	int count;

	for (size_t i = 0; i < TB_SITE_KEYS; i++)
		if (s_p_get_array((void ***)&values, &count,
				  tb_conf_site_keys[i].key, table))
			site->site_text[i] = xstrdup(values[0]);
}

static int take_count_memory(enum tb_count_memory *count, s_p_hashtbl_t *table,
			     const struct tb_conf_where *where,
			     struct tb_error *err)
{
	struct tb_conf_word word = { NULL, NULL };
	int rc = tb_conf_take_word(&word, "CountMemory", table, where, err);

	*count = TB_COUNT_ALL;
	if (!rc && word.value) {
		if (!xstrcasecmp(word.value, "local"))
			*count = TB_COUNT_LOCAL;
		else if (!xstrcasecmp(word.value, "none"))
			*count = TB_COUNT_NONE;
		else if (xstrcasecmp(word.value, "all"))
			rc = tb_conf_fail(
				where, "CountMemory", word.value,
				"this is not allowed; allowed: all, local, none",
				err);
	}
	tb_conf_word_clear(&word);
	return rc;
}

/* All that is in the table; an empty one gives the defaults. */
static int take_lines(struct tb_conf *site, s_p_hashtbl_t *table,
		      const char *path, struct tb_error *err)
{
	const struct tb_conf_where where = { path, NULL, NULL };
	struct tb_conf_words words = { { { NULL, NULL } } };
	int rc;

	take_site_text(site, table);
	tb_conf_words_take(&words, table);
	rc = tb_policy_make(&site->policy, NULL, &words, &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->node_record, "NodeRecord", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->job_record, "JobRecord", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->usage_record, "UsageRecord",
				       table, &where, err);
	if (!rc)
		rc = take_count_memory(&site->count_memory, table, &where, err);
	if (!rc)
		rc = tb_conf_take_flag(&site->unit_tres, "UnitTRES", table,
				       &where, err);
	if (!rc)
		rc = tb_conf_metrics_take(&site->metrics, table, &where, err);
	if (!rc)
		rc = tb_conf_partitions_take(site, table, &words, path, err);
	if (!rc)
		rc = tb_conf_nodes_take(site, table, path, err);
	tb_conf_words_clear(&words);
	return rc;
}

static int read_file(struct tb_conf *site, const char *path,
		     struct tb_error *err)
{
	s_p_hashtbl_t *table = s_p_hashtbl_create(conf_options);
	struct stat status;
	int rc;

	if (!stat(path, &status) && tb_parse_conf_file(table, path))
		rc = tb_conf_fail_unreadable(path, conf_options, err);
	else
		rc = take_lines(site, table, path, err);
	s_p_hashtbl_destroy(table);
	return rc;
}

struct tb_conf *tb_conf_read(const char *path, struct tb_error *err)
{
	struct tb_conf *site = create_conf(path);

	if (!read_file(site, path, err))
		return site;
	tb_conf_destroy(site);
	return NULL;
}

void tb_conf_destroy(struct tb_conf *site)
{
	if (!site)
		return;
	tb_conf_nodes_clear(site);
	tb_conf_partitions_clear(site);
	tb_policy_clear(&site->policy);
	for (size_t i = 0; i < TB_SITE_KEYS; i++)
		xfree(site->site_text[i]);
	xfree(site->metrics.file);
	xfree(site->path);
	xfree(site);
}

const char *tb_conf_partition_line(const struct tb_conf *site, unsigned i)
{
	return i < site->partition_count ? site->partitions[i].name : NULL;
}

const char *tb_conf_node_line(const struct tb_conf *site, unsigned i)
{
	return i < site->line_count ? site->lines[i].nodes : NULL;
}

void tb_conf_say_where(const struct tb_conf *site, const char *key,
		       const char *name, struct tb_error *where)
{
	const struct tb_conf_where line = { site->path, key, name };

	tb_conf_name_place(&line, key, name, where);
}

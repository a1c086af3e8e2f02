/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_partitions.c - the PartitionName= lines of topobind.conf; see conf_data.h */
#include "conf_data.h"

#include <string.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "conf_line.h"
#include "conf_take.h"

static void clear_line(struct tb_conf_partition *line)
{
	xfree(line->name);
	tb_conf_words_clear(&line->words);
	tb_policy_clear(&line->policy);
}

void tb_conf_partition_destroy(void *item)
{
	struct tb_conf_partition *line = item;

	xfree(line->name);
	tb_conf_words_clear(&line->words);
	xfree(line);
}

int tb_conf_partition_parse(void **dest, slurm_parser_enum_t type,
			    const char *key, const char *value,
			    const char *rest, char **leftover)
{
	static s_p_options_t options[] = {
		/* clang-format off */
		TB_POLICY_ITEMS(TB_PARSED_ITEM)
		{.key = NULL}
		/* clang-format on */
	};
	s_p_hashtbl_t *table = tb_conf_parse_rest(options, rest, leftover);
	struct tb_conf_partition *line;

	(void)type;
	(void)key;
	if (!table)
		return -1;
	line = xmalloc(sizeof(*line));
	line->name = xstrdup(value);
	tb_conf_words_take(&line->words, table);
	s_p_hashtbl_destroy(table);
	*dest = line;
	return 1;
}

const struct tb_conf_partition *
tb_conf_partition_find(const struct tb_conf *site, const char *name)
{
	for (unsigned i = 0; name && i < site->partition_count; i++)
		if (!xstrcmp(site->partitions[i].name, name))
			return &site->partitions[i];
	return NULL;
}

int tb_conf_partitions_take(struct tb_conf *site, s_p_hashtbl_t *table,
			    const struct tb_conf_words *site_words,
			    const char *path, struct tb_error *err)
{
	struct tb_conf_partition **lines;
	int count;

	if (!s_p_get_array((void ***)&lines, &count, "PartitionName", table))
		return 0;
	site->partitions = xcalloc(count, sizeof(*site->partitions));
	for (int i = 0; i < count; i++) {
		struct tb_conf_partition *line =
			&site->partitions[site->partition_count];
		const char *name = lines[i]->name;
		struct tb_conf_where where = { path, "PartitionName", name };

		if (tb_conf_partition_find(site, name))
			return tb_conf_fail_twice(&where, "PartitionName", name,
						  name, err);
		*line = *lines[i];
		memset(lines[i], 0, sizeof(*lines[i]));
		site->partition_count++;
		if (tb_policy_make(&line->policy, &line->words, site_words,
				   &where, err))
			return -1;
	}
	return 0;
}

void tb_conf_partitions_clear(struct tb_conf *site)
{
	for (unsigned i = 0; i < site->partition_count; i++)
		clear_line(&site->partitions[i]);
	xfree(site->partitions);
}

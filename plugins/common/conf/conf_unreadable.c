/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_unreadable.c - what is said of a file that Slurm's parser cannot read */
#include "conf_data.h"

#include <stdlib.h>
#include <string.h>

#include "conf_line.h"

#define NAMED(name, key, usual) key ", "
#define ELEMENT(name, key, usual) key,

/* A line of a list of which one key is wrong; NULL: it is something else. */
static char *find_unknown_key(const struct tb_conf_bad_line *bad)
{
	static const char *const node_keys[] = { TB_NODE_TEXT_ITEMS(
		ELEMENT) TB_NODE_NUMBER_ITEMS(ELEMENT) TB_SOFT_ITEMS(ELEMENT)
							 NULL };
	static const char *const partition_keys[] = { TB_POLICY_ITEMS(ELEMENT)
							      NULL };

	if (!bad->list)
		return NULL;
	return tb_conf_unknown_key(bad->line, !strcmp(bad->list, "NodeName")
						      ? node_keys
						      : partition_keys);
}

static int fail_for_key(const struct tb_conf_bad_line *bad, const char *key,
			struct tb_error *err)
{
	const char *allowed = !strcmp(bad->list, "NodeName")
				      ? TB_NODE_TEXT_ITEMS(NAMED)
						TB_NODE_NUMBER_ITEMS(NAMED)
							TB_SOFT_ITEMS(NAMED)
				      : TB_POLICY_ITEMS(NAMED);

	/* The last of them without its comma. */
	return tb_fail(
		err,
		"%.150s: %.40s is no key of a %s= line; the allowed keys are %.*s",
		bad->place.text, key, bad->list, (int)strlen(allowed) - 2,
		allowed);
}

static int fail_for_line(const struct tb_conf_bad_line *bad,
			 struct tb_error *err)
{
	return tb_fail(
		err,
		"%.150s: this cannot be read; allowed is one Key=value on a line, with the keys " TB_POLICY_ITEMS(
			NAMED)
			TB_SITE_ITEMS(
				NAMED) "NodeName and more, or PartitionName and some of the first fourteen; see topobind.conf(5)",
		bad->place.text);
}

/* The daemon's log names the key that Slurm's parser does not know. */
int tb_conf_fail_unreadable(const char *path, s_p_options_t *options,
			    struct tb_error *err)
{
	struct tb_conf_bad_line bad;
	char *key;
	int rc;

	tb_conf_bad_line(&bad, path, options);
	key = find_unknown_key(&bad);
	rc = key ? fail_for_key(&bad, key, err) : fail_for_line(&bad, err);
	free(key);
	free(bad.line);
	return rc;
}

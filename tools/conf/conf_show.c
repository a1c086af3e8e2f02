/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_show.c - see conf_show.h */
#include "conf_show.h"

#include <stdio.h>
#include <string.h>

#include "command.h"
#include "cluster/running_conf.h"
#include "common/conf/conf_pairs.h"
#include "table/table.h"
#include "terminal/wrap.h"

/* ---- the table ---- */

enum { COLUMN_OF, COLUMN_KEY, COLUMN_VALUE, COLUMN_FROM, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[COLUMN_OF] = { '\0', "of", "OF", false },
	[COLUMN_KEY] = { '\0', "key", "KEY", false },
	[COLUMN_VALUE] = { '\0', "value", "VALUE", false },
	[COLUMN_FROM] = { '\0', "from", "FROM", false },
};

static const char *get_kind(const struct tb_running_setting *setting)
{
	if (!setting->list)
		return "site";
	if (!strcmp(setting->list, TB_CONF_PAIR_PLUGIN))
		return "plugin";
	return strcmp(setting->list, "NodeName") ? "partition" : "nodes";
}

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const struct tb_running_setting *setting = row;

	switch (column) {
	case COLUMN_OF:
		fputs(get_kind(setting), out);
		if (setting->name)
			fprintf(out, " %s", setting->name);
		break;
	case COLUMN_KEY:
		fputs(setting->key, out);
		break;
	case COLUMN_VALUE:
		fputs(setting->value, out);
		break;
	default:
		fputs(setting->from, out);
	}
}

static const struct tb_table_kind kind = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.print = print_cell,
};

static int print_table(const struct tb_running_conf *conf)
{
	int rc = tb_table_print_names(&kind, "of,key,value,from",
				      conf->settings, sizeof(*conf->settings),
				      conf->count, true, stdout);

	if (!rc && conf->has_more)
		tb_print_sentence(
			stdout,
			"topobind.conf has more lines than slurmctld tells");
	return rc;
}

/* ---- JSON ---- */

json_t *tb_conf_show_json(const struct tb_running_conf *conf)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < conf->count; i++) {
		const struct tb_running_setting *setting = &conf->settings[i];

		json_array_append_new(array,
				      json_pack("{s:s, s:s*, s:s, s:s, s:s}",
						"of", get_kind(setting), "name",
						setting->name, "key",
						setting->key, "value",
						setting->value, "from",
						setting->from));
	}
	return array;
}

static int print_json(const char *command, const struct tb_running_conf *conf)
{
	json_t *json = json_pack("{s:b, s:o}", "whole", !conf->has_more,
				 "settings", tb_conf_show_json(conf));
	int rc = tb_command_print_json(command, json);

	json_decref(json);
	return rc;
}

/* ---- both ---- */

int tb_conf_show(const char *command, bool as_json)
{
	struct tb_error err;
	struct tb_running_conf *conf = tb_running_conf_load(&err);
	int rc = TB_EXIT_OK;

	if (!conf)
		return tb_command_fail(command, "%s", err.text);
	if (as_json)
		rc = print_json(command, conf);
	else if (print_table(conf))
		rc = tb_command_fail(command, "out of memory");
	tb_running_conf_destroy(conf);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_usage_show.c - see job_usage_show.h */
#include "job_usage_show.h"

#include <stdlib.h>

#include "command.h"
#include "core/base/text.h"
#include "table/table.h"
#include "terminal/wrap.h"

/* ---- for people ---- */

enum { UNIT, THREADS, BUSY, COLUMNS };
static const struct tb_column columns[COLUMNS] = {
	[UNIT] = { '\0', "unit", "UNIT", true },
	[THREADS] = { '\0', "threads", "THREADS", false },
	[BUSY] = { '\0', "busy", "BUSY", true },
};

struct row {
	unsigned number;
	const struct tb_busy_unit *unit;
};

static void print_cell(const void *item, unsigned column, FILE *out)
{
	const struct row *row = item;
	char *list;

	switch (column) {
	case UNIT:
		fprintf(out, "%u", row->number);
		break;
	case THREADS:
		list = tb_bitset_print_list(row->unit->threads);
		fputs(list ? list : "-", out);
		free(list);
		break;
	default:
		fprintf(out, "%.0f%%", 100 * row->unit->busy);
	}
}

static int print_table(const struct tb_busy *busy)
{
	static const struct tb_table_kind kind = {
		.columns = columns,
		.ncolumns = COLUMNS,
		.print = print_cell,
	};
	struct row *rows = calloc(busy->nunits + 1, sizeof(*rows));
	int rc = -1;

	for (unsigned i = 0; rows && i < busy->nunits; i++)
		rows[i] = (struct row){ i, &busy->units[i] };
	if (rows)
		rc = tb_table_print_names(&kind, "unit,threads,busy", rows,
					  sizeof(*rows), busy->nunits, true,
					  stdout);
	free(rows);
	return rc;
}

/* For whom has one task here.  Who has several gets the same for each. */
static void print_sentence(const struct tb_job_usage *usage, unsigned seconds)
{
	const struct tb_busy *busy = &usage->busy;
	unsigned used = busy->nunits - busy->idle;
	char advice[40] = "";

	if (busy->idle && used && usage->node->tasks <= 1)
		snprintf(advice, sizeof(advice), ": ask for %u", used);
	else if (busy->idle && used)
		snprintf(advice, sizeof(advice), ": fewer would do");
	tb_print_sentence(stdout, "%u of %u %s %s %s idle for %u %s%s",
			  busy->idle, busy->nunits, tb_unit_name(usage->unit),
			  tb_count_word(busy->nunits, "unit", "units"),
			  tb_count_word(busy->idle, "was", "were"), seconds,
			  tb_count_word(seconds, "second", "seconds"), advice);
}

int tb_job_usage_print(const struct tb_job_usage *usage, unsigned seconds)
{
	putchar('\n');
	if (print_table(&usage->busy))
		return -1;
	print_sentence(usage, seconds);
	return 0;
}

/* ---- for programs ---- */

json_t *tb_job_usage_json(const struct tb_job_usage *usage, unsigned seconds)
{
	const struct tb_busy *busy = &usage->busy;
	json_t *units = json_array();

	for (unsigned i = 0; i < busy->nunits; i++)
		json_array_append_new(units,
				      json_pack("{s:o, s:f}", "threads",
						tb_command_json_set(
							busy->units[i].threads),
						"busy", busy->units[i].busy));
	return json_pack("{s:s, s:i, s:i, s:f, s:o}", "unit",
			 tb_unit_name(usage->unit), "seconds", (int)seconds,
			 "idle", (int)busy->idle, "busy", busy->mean, "units",
			 units);
}

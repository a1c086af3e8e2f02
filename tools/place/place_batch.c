/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place_batch.c - placements from a table
 *
 * Columns are found by their names in the header line, others are passed over,
 * so that a table with the expected results can be fed in as it is.  Results
 * are in the compact form whatever the shape, as the tables have them: the
 * structured form of the row's topology says where the brackets are.
 */
#define _GNU_SOURCE /* getline */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "core/request/request_key.h"
#include "place.h"

#define COLUMNS_MAX 64

enum { COLUMN_ID, COLUMN_TOPOLOGY, COLUMN_NSLOTS, COLUMN_OTHERS };

struct batch {
	const char *command;
	FILE *in, *out;
	unsigned long line;
	unsigned ncolumns; /* in the header */
	int column_of[COLUMN_OTHERS];
	const char *key_of[COLUMNS_MAX]; /* binding option of a column or NULL */
	struct tb_offline_nodes *nodes;
	int exit_code;
};

/* Report a sentence about the current line; the batch goes on. */
static void print_complaint(struct batch *batch, const char *sentence)
{
	batch->exit_code = tb_command_fail(batch->command, "line %lu: %s",
					   batch->line, sentence);
}

/* Cut a line at its tabs; how many fields there are, COLUMNS_MAX at most. */
static unsigned split_line(char *line, char *fields[COLUMNS_MAX])
{
	unsigned count = 0;
	size_t length = strcspn(line, "\r\n");

	line[length] = '\0';
	while (line && count < COLUMNS_MAX)
		fields[count++] = strsep(&line, "\t");
	return count;
}

static const char *find_key(const char *name)
{
	for (size_t i = 0; tb_request_keys[i]; i++)
		if (!strcmp(tb_request_keys[i], name))
			return tb_request_keys[i];
	return NULL;
}

static int read_header(struct batch *batch, char *line, struct tb_error *err)
{
	static const char *const names[COLUMN_OTHERS] = { "id", "topology",
							  "nslots" };
	char *fields[COLUMNS_MAX];

	batch->ncolumns = split_line(line, fields);
	if (batch->ncolumns == COLUMNS_MAX)
		return tb_fail(
			err,
			"the header has too many columns, fewer than %d are allowed",
			COLUMNS_MAX);
	for (int i = 0; i < COLUMN_OTHERS; i++)
		batch->column_of[i] = -1;
	for (unsigned i = 0; i < batch->ncolumns; i++) {
		batch->key_of[i] = find_key(fields[i]);
		for (int j = 0; j < COLUMN_OTHERS; j++)
			if (!strcmp(fields[i], names[j]))
				batch->column_of[j] = i;
	}
	for (int i = 0; i < COLUMN_OTHERS; i++)
		if (batch->column_of[i] < 0)
			return tb_fail(
				err,
				"the header has no column \"%s\"; the columns are id, topology, nslots and the binding options, separated by tabs",
				names[i]);
	return 0;
}

/* "-" stands for an empty field. */
static bool is_given(const char *field)
{
	return *field && strcmp(field, "-");
}

static int read_request(const struct batch *batch, char **fields,
			struct tb_request *request, struct tb_error *err)
{
	for (unsigned i = 0; i < batch->ncolumns; i++)
		if (batch->key_of[i] && is_given(fields[i]) &&
		    tb_request_set(request, batch->key_of[i], fields[i], err))
			return -1;
	if (tb_request_complete(request, err))
		return -1;
	if (!tb_request_binds(request))
		return tb_fail(
			err,
			"no binding is asked for: bamount is 0, or neither it nor bcpus is given; there is nothing to place");
	return 0;
}

static void print_outcome(const struct tb_outcome *outcome, FILE *out)
{
	if (!outcome->granted) {
		fprintf(out, "\t0\tFAIL%s\t-\t-\n",
			outcome->other_shape ? ":TOPOLOGY_MISMATCH"
			: outcome->mismatch  ? ":FILTER_MISMATCH"
					     : "");
		return;
	}
	fprintf(out, "\t%u\t%s\t%s\t", outcome->slots, outcome->granted,
		outcome->inuse_after);
	for (unsigned i = 0; i < outcome->groups; i++) {
		if (i)
			fputc(';', out);
		fputs(outcome->group_lists[i], out);
	}
	fputc('\n', out);
}

static int place_row(struct batch *batch, char **fields,
		     struct tb_outcome *outcome, struct tb_error *err)
{
	const struct tb_offline_node *node;
	struct tb_request request;
	unsigned nslots;
	int rc = -1;

	tb_request_init(&request);
	if (!read_request(batch, fields, &request, err) &&
	    !tb_slots_parse(fields[batch->column_of[COLUMN_NSLOTS]], &nslots,
			    err)) {
		node = tb_offline_nodes_get(batch->nodes,
					    fields[batch->column_of
							   [COLUMN_TOPOLOGY]],
					    err);
		if (node)
			rc = tb_outcome_of(node, &request, nslots, tb_place,
					   tb_topology_print_compact, outcome,
					   err);
	}
	tb_request_clear(&request);
	return rc;
}

/* One line out for one line in, whatever it was. */
static void do_row(struct batch *batch, char *line, size_t length)
{
	bool is_text = strlen(line) == length;
	char *fields[COLUMNS_MAX];
	unsigned count = split_line(line, fields);
	unsigned id = batch->column_of[COLUMN_ID];
	struct tb_outcome outcome;
	struct tb_error err;
	int rc;

	if (!is_text)
		rc = tb_fail(&err, "the row has a zero byte, it must be text");
	else if (count != batch->ncolumns)
		rc = tb_fail(&err, "the row has %u fields, the header has %u",
			     count, batch->ncolumns);
	else
		rc = place_row(batch, fields, &outcome, &err);
	fputs(id < count && *fields[id] ? fields[id] : "-", batch->out);
	if (rc) {
		fputs("\t0\tERROR\t-\t-\n", batch->out);
		print_complaint(batch, err.text);
		return;
	}
	print_outcome(&outcome, batch->out);
	tb_outcome_clear(&outcome);
}

static bool is_blank(const char *line)
{
	return !line[strspn(line, "\r\n")];
}

static void place_table(struct batch *batch)
{
	struct tb_error err = {
		"the table is empty, not even a header line is there"
	};
	char *line = NULL;
	size_t size = 0;
	ssize_t length = getline(&line, &size, batch->in);

	batch->line = 1;
	if (length < 0 || read_header(batch, line, &err)) {
		print_complaint(batch, err.text);
		free(line);
		return;
	}
	fputs("id\tslots\tgranted\tinuse_after\tslot_threads\n", batch->out);
	while ((length = getline(&line, &size, batch->in)) >= 0) {
		batch->line++;
		if (!is_blank(line))
			do_row(batch, line, length);
	}
	free(line);
}

int tb_place_batch(const char *command, FILE *in, FILE *out)
{
	struct batch batch = {
		.command = command,
		.in = in,
		.out = out,
		.nodes = tb_offline_nodes_create(),
	};

	if (!batch.nodes)
		return tb_command_fail(command, "out of memory");
	place_table(&batch);
	if (ferror(in))
		batch.exit_code = tb_command_fail(command,
						  "cannot read the table: %s",
						  strerror(errno));
	tb_offline_nodes_destroy(batch.nodes);
	return batch.exit_code;
}

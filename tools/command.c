/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - see command.h */
#define _GNU_SOURCE /* vasprintf */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "config-topobind.h"

#include "command.h"

int tb_command_fail(const char *command, const char *format, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		fprintf(stderr, "%s: out of memory\n", command);
		return TB_EXIT_BAD;
	}
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char) *c))
			*c = '?';
	fprintf(stderr, "%s: %s\n", command, text);
	free(text);
	return TB_EXIT_BAD;
}

/* ---- the command line ---- */

enum {
	OPTION_JSON = TB_OPTION_NAMED / 2, /* behind all own ones */
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option json_options[] = {
	{ "json", no_argument, NULL, OPTION_JSON },
	{ NULL, 0, NULL, 0 },
};
static const struct option color_options[] = {
	{ "color", required_argument, NULL, OPTION_COLOR },
	{ NULL, 0, NULL, 0 },
};
static const struct option everybodys_options[] = {
	{ "help", no_argument, NULL, OPTION_HELP },
	{ "version", no_argument, NULL, OPTION_VERSION },
	{ NULL, 0, NULL, 0 },
};

/* Copy options, NULL: none, to where table ends; returns where it ends then. */
static struct option *append(struct option *end, const struct option *options)
{
	while (options && options->name)
		*end++ = *options++;
	return end;
}

static struct option *append_names(struct option *end, const char *const *names)
{
	for (int i = 0; names && names[i]; i++)
		*end++ = (struct option){ names[i], required_argument, NULL,
					  TB_OPTION_NAMED + i };
	return end;
}

static size_t count_options(const struct option *options)
{
	size_t count = 0;

	while (options && options[count].name)
		count++;
	return count;
}

static size_t count_names(const char *const *names)
{
	size_t count = 0;

	while (names && names[count])
		count++;
	return count;
}

/* For getopt_long(), malloc()ed; NULL when out of memory. */
static struct option *make_table(const struct tb_command_line *line)
{
	const struct option *parts[] = {
		line->own, line->shared,
		line->has_json ? json_options : NULL,
		line->has_color ? color_options : NULL,
		everybodys_options,
	};
	enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
	size_t count = count_names(line->names);
	struct option *table, *end;

	for (int i = 0; i < PARTS; i++)
		count += count_options(parts[i]);
	table = calloc(count + 1, sizeof(*table));
	if (!table)
		return NULL;
	end = append_names(table, line->names);
	for (int i = 0; i < PARTS; i++)
		end = append(end, parts[i]);
	return table;
}

static int take_color(struct tb_command *command, const char *when,
		      struct tb_error *err)
{
	if (!tb_color_parse(when, &command->color))
		return 0;
	return tb_fail(err, "--color=%.60s is not known, give auto, always or never",
		       when);
}

static int take_option(struct tb_command *command,
		       const struct tb_command_line *line, int option,
		       void *data, struct tb_error *err)
{
	switch (option) {
	case OPTION_JSON:
		command->json = true;
		return 0;
	case OPTION_COLOR:
		return take_color(command, optarg, err);
	case OPTION_HELP:
		line->print_help();
		command->done = true;
		return 0;
	case OPTION_VERSION:
		puts(PACKAGE_STRING);
		command->done = true;
		return 0;
	default:
		return line->take(data, option, err);
	}
}

/* -1: an error was printed; of options that there are not getopt_long() does. */
static int read_options(struct tb_command *command,
			const struct tb_command_line *line,
			const struct option *table, int argc, char **argv,
			void *data)
{
	const char *letters = line->letters ? line->letters : "";
	struct tb_error err;
	int option;

	while (!command->done &&
	       (option = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		if (option == '?')
			return -1;
		if (take_option(command, line, option, data, &err)) {
			tb_command_fail(command->name, "%s", err.text);
			return -1;
		}
	}
	return 0;
}

int tb_command_no_arguments(int count, char **words, struct tb_error *err)
{
	if (!count)
		return 0;
	return tb_fail(err, "\"%.60s\" is one argument too many", words[0]);
}

static int read_arguments(const struct tb_command *command,
			  const struct tb_command_line *line, int count,
			  char **words, void *data)
{
	struct tb_error err;
	int rc = line->finish ? line->finish(data, count, words, &err) :
				tb_command_no_arguments(count, words, &err);

	if (rc)
		tb_command_fail(command->name, "%s", err.text);
	return rc;
}

int tb_command_read(struct tb_command *command,
		    const struct tb_command_line *line, int argc, char **argv,
		    void *data)
{
	struct option *table = make_table(line);
	int rc;

	if (!table) {
		tb_command_fail(command->name, "out of memory");
		return -1;
	}
	rc = read_options(command, line, table, argc, argv, data);
	free(table);
	if (rc || command->done)
		return rc;
	return read_arguments(command, line, argc - optind, argv + optind,
			      data);
}

/* ---- JSON ---- */

int tb_command_print_json(const char *command, const json_t *json)
{
	if (!json || json_dumpf(json, stdout, JSON_INDENT(2)))
		return tb_command_fail(command, "cannot write JSON: out of memory or the output is closed");
	putchar('\n');
	return TB_EXIT_OK;
}

json_t *tb_command_json_set(const struct tb_bitset *set)
{
	char *list = tb_bitset_print_list(set);
	json_t *json = list ? json_string(list) : NULL;

	free(list);
	return json;
}

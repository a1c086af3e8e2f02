/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - see command.h */
#define _GNU_SOURCE /* vasprintf, open_memstream */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config-topobind.h"

#include "command.h"
#include "command_help.h"
#include "terminal/text_stream.h"

const char tb_command_release[] = PACKAGE_VERSION;

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
		if (iscntrl((unsigned char)*c))
			*c = '?';
	fprintf(stderr, "%s: %s\n", command, text);
	free(text);
	return TB_EXIT_BAD;
}

/* ---- the command line ---- */

enum {
	OPTION_JSON = TB_OPTION_BINDING / 2, /* behind all own ones */
	OPTION_COLOR,
	OPTION_HELP,
	OPTION_VERSION,
	/* What getopt_long() returns of names: this, and the index. */
	OPTION_NAMED = 0x10000,
};

static const struct tb_command_option json_options[] = {
	{ NULL, "json", NULL, OPTION_JSON, "print JSON" },
	{ 0 },
};
static const struct tb_command_option color_options[] = {
	{ NULL, "color", "WHEN", OPTION_COLOR,
	  "use colours: auto, always or never [auto]" },
	{ 0 },
};
static const struct tb_command_option everybodys_options[] = {
	{ "h", "help", NULL, OPTION_HELP, NULL },
	{ "V", "version", NULL, OPTION_VERSION, NULL },
	{ 0 },
};

static size_t count_options(const struct tb_command_option *options)
{
	size_t count = 0;

	while (options && options[count].name)
		count++;
	return count;
}

static size_t count_binding_options(void)
{
	size_t count = 0;

	while (tb_option_table[count].name)
		count++;
	return count;
}

/* Copy options, NULL: none, to end; returns the end after that. */
static struct tb_command_option *
append_options(struct tb_command_option *end,
	       const struct tb_command_option *options)
{
	while (options && options->name)
		*end++ = *options++;
	return end;
}

/* "topobind options" explains them. */
static struct tb_command_option *
append_binding_options(struct tb_command_option *end)
{
	for (int i = 0; tb_option_table[i].name; i++)
		*end++ = (struct tb_command_option){
			.name = tb_option_table[i].name,
			.argument = tb_option_table[i].arginfo,
			.number = TB_OPTION_BINDING + i,
		};
	return end;
}

/* -h is --noheader, as for squeue, where a command has that. */
static void free_taken_letter(struct tb_command_option *options)
{
	bool taken = false;

	for (; options->name; options++)
		if (options->letters && strchr(options->letters, 'h')) {
			if (taken)
				options->letters = NULL;
			taken = true;
		}
}

/* All options in one table, malloc()ed; NULL when out of memory. */
static struct tb_command_option *
collect_options(const struct tb_command_line *line)
{
	const struct tb_command_option *parts[] = {
		line->own,
		line->shared,
		line->has_json ? json_options : NULL,
		line->has_color ? color_options : NULL,
		everybodys_options,
	};
	enum { PARTS = sizeof(parts) / sizeof(parts[0]) };
	size_t count = count_binding_options() + 1;
	struct tb_command_option *options, *end;

	for (int i = 0; i < PARTS; i++)
		count += count_options(parts[i]);
	options = end = calloc(count, sizeof(*options));
	if (!options)
		return NULL;
	for (int i = 0; i < PARTS; i++) {
		if (line->has_binding && parts[i] == everybodys_options)
			end = append_binding_options(end);
		end = append_options(end, parts[i]);
	}
	free_taken_letter(options);
	return options;
}

static int needs_argument(const struct tb_command_option *option)
{
	if (!option->argument)
		return no_argument;
	return option->argument[0] == '[' ? optional_argument
					  : required_argument;
}

/* For getopt_long(), malloc()ed; NULL when out of memory. */
static struct option *make_names(const struct tb_command_option *options)
{
	size_t count = count_options(options);
	struct option *names = calloc(count + 1, sizeof(*names));

	for (size_t i = 0; names && i < count; i++)
		names[i] = (struct option){ options[i].name,
					    needs_argument(&options[i]), NULL,
					    OPTION_NAMED + (int)i };
	return names;
}

static const char *mark_argument(const struct tb_command_option *option)
{
	static const char *const marks[] = {
		[no_argument] = "",
		[required_argument] = ":",
		[optional_argument] = "::",
	};

	return marks[needs_argument(option)];
}

/* For getopt_long(), malloc()ed; NULL when out of memory. */
static char *make_letters(const struct tb_command_option *options,
			  const char *signs)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(signs, out);
	for (; options->name; options++)
		for (const char *c = options->letters; c && *c; c++)
			fprintf(out, "%c%s", *c, mark_argument(options));
	return tb_text_stream_close(out, &text);
}

/* The number of what getopt_long() found. */
static int find_number(const struct tb_command_option *options, int found)
{
	if (found >= OPTION_NAMED)
		return options[found - OPTION_NAMED].number;
	while (!options->letters || !strchr(options->letters, found))
		options++;
	return options->number;
}

static int take_color(struct tb_command *command, const char *when,
		      struct tb_error *err)
{
	if (!tb_color_parse(when, &command->color))
		return 0;
	return tb_fail(err,
		       "--color=%.60s is not known, give auto, always or never",
		       when);
}

static int take_command_option(struct tb_command *command,
			       const struct tb_command_line *line,
			       const struct tb_command_option *options,
			       int number, void *data, struct tb_error *err)
{
	switch (number) {
	case OPTION_JSON:
		command->json = true;
		return 0;
	case OPTION_COLOR:
		return take_color(command, optarg, err);
	case OPTION_HELP:
		tb_command_print_help(command->name, line, options);
		command->done = true;
		return 0;
	case OPTION_VERSION:
		puts(PACKAGE_STRING);
		command->done = true;
		return 0;
	default:
		return line->take(data, number, err);
	}
}

/*
 * The arguments behind the options begin at optind then.  Wrong options do not
 * matter here, --help and --version leave nothing to look for.
 */
static bool find_arguments(const struct tb_command_option *options,
			   const char *letters, const struct option *names,
			   int argc, char **argv)
{
	int found, number = 0;

	opterr = 0;
	while (number != OPTION_HELP && number != OPTION_VERSION &&
	       (found = getopt_long(argc, argv, letters, names, NULL)) != -1 &&
	       found != '?')
		number = find_number(options, found);
	opterr = 1;
	return found == -1;
}

/* -1: an error was printed. */
static int begin_with_arguments(const struct tb_command *command,
				const struct tb_command_line *line,
				const struct tb_command_option *options,
				const char *letters, const struct option *names,
				int argc, char **argv, void *data)
{
	struct tb_error err;
	int rc = 0;

	if (line->begin && find_arguments(options, letters, names, argc, argv))
		rc = line->begin(data, argc - optind, argv + optind, &err);
	if (rc)
		tb_command_fail(command->name, "%s", err.text);
	optind = 0;
	return rc;
}

/* -1: an error was printed; of options that there are not getopt_long() does. */
static int take_options(struct tb_command *command,
			const struct tb_command_line *line,
			const struct tb_command_option *options,
			const char *letters, const struct option *names,
			int argc, char **argv, void *data)
{
	struct tb_error err;
	int found;

	if (begin_with_arguments(command, line, options, letters, names, argc,
				 argv, data))
		return -1;
	while (!command->done &&
	       (found = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		if (found == '?')
			return -1;
		if (take_command_option(command, line, options,
					find_number(options, found), data,
					&err)) {
			tb_command_fail(command->name, "%s", err.text);
			return -1;
		}
	}
	return 0;
}

/* -1: an error was printed. */
static int read_options(struct tb_command *command,
			const struct tb_command_line *line,
			const struct tb_command_option *options, int argc,
			char **argv, void *data)
{
	struct option *names = make_names(options);
	char *letters = make_letters(options,
				     line->ends_at_argument ? "+" : "");
	int rc = -1;

	if (names && letters)
		rc = take_options(command, line, options, letters, names, argc,
				  argv, data);
	else
		tb_command_fail(command->name, "out of memory");
	free(names);
	free(letters);
	return rc;
}

/* ---- words that stand elsewhere ---- */

/* What getopt_long() did not like, found is what it returned. */
static int fail_for_word(const char *word, int found, struct tb_error *err)
{
	if (found == ':')
		return tb_fail(err, "\"%.60s\" needs a value", word);
	if (optopt >= OPTION_NAMED)
		return tb_fail(err, "\"%.60s\" takes no value", word);
	return tb_fail(err, "there is no option \"%.60s\"", word);
}

static int take_words(const struct tb_command_line *line,
		      const struct tb_command_option *options,
		      const char *letters, const struct option *names,
		      int count, char **words, void *data, int *at,
		      struct tb_error *err)
{
	int found;

	opterr = 0;
	optind = 0;
	for (*at = 1;; *at = optind) {
		found = getopt_long(count, words, letters, names, NULL);
		if (found == -1)
			break;
		if (found == '?' || found == ':')
			return fail_for_word(words[*at], found, err);
		if (line->take(data, find_number(options, found), err))
			return -1;
	}
	*at = optind;
	if (optind < count)
		return tb_fail(err, "\"%.60s\" is no option", words[optind]);
	return 0;
}

/* Those of words: --help, --json and their like are not among them. */
static struct tb_command_option *
collect_for_words(const struct tb_command_line *line)
{
	const size_t count = count_options(line->own) +
			     count_options(line->shared) +
			     (line->has_binding ? count_binding_options() : 0);
	struct tb_command_option *options = calloc(count + 1, sizeof(*options));
	struct tb_command_option *end = options;

	if (!options)
		return NULL;
	end = append_options(end, line->own);
	end = append_options(end, line->shared);
	if (line->has_binding)
		append_binding_options(end);
	return options;
}

int tb_command_take_words(const struct tb_command_line *line, int count,
			  char **words, void *data, int *at,
			  struct tb_error *err)
{
	struct tb_command_option *options = collect_for_words(line);
	struct option *names = options ? make_names(options) : NULL;
	char *letters = options ? make_letters(options, "+:") : NULL;
	int rc;

	*at = 1;
	if (names && letters)
		rc = take_words(line, options, letters, names, count, words,
				data, at, err);
	else
		rc = tb_fail(err, "out of memory");
	opterr = 1;
	free(names);
	free(letters);
	free(options);
	return rc;
}

int tb_command_take_binding(struct tb_options *binding, enum tb_source source,
			    int option, struct tb_error *err)
{
	const struct tb_option *known =
		&tb_option_table[option - TB_OPTION_BINDING];

	return tb_options_add(binding, source, known->name, optarg, err);
}

#define SECONDS_MOST 3600

int tb_command_take_seconds(unsigned *seconds, const char *option,
			    unsigned usual, struct tb_error *err)
{
	unsigned long number = usual;
	char *rest;

	if (optarg) {
		errno = 0;
		number = strtoul(optarg, &rest, 10);
		if (*optarg < '0' || *optarg > '9' || *rest || errno ||
		    !number || number > SECONDS_MOST)
			return tb_fail(
				err,
				"--%s=%.60s is not a number of seconds, give 1 to %d",
				option, optarg, SECONDS_MOST);
	}
	*seconds = (unsigned)number;
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
	int rc = line->finish ? line->finish(data, count, words, &err)
			      : tb_command_no_arguments(count, words, &err);

	if (rc)
		tb_command_fail(command->name, "%s", err.text);
	return rc;
}

int tb_command_read(struct tb_command *command,
		    const struct tb_command_line *line, int argc, char **argv,
		    void *data)
{
	struct tb_command_option *options = collect_options(line);
	int rc = 0;

	if (!options) {
		tb_command_fail(command->name, "out of memory");
		return -1;
	}
	if (argc == 2 && !strcmp(argv[1], TB_COMPLETION)) {
		tb_command_print_completion(line, options);
		command->done = true;
	} else {
		rc = read_options(command, line, options, argc, argv, data);
	}
	free(options);
	if (rc || command->done)
		return rc;
	return read_arguments(command, line, argc - optind, argv + optind,
			      data);
}

/* ---- JSON ---- */

int tb_command_print_json(const char *command, const json_t *json)
{
	json_t *all = json ? json_pack("{s:i}", "version", TB_JSON_VERSION)
			   : NULL;
	int rc = TB_EXIT_OK;

	if (!all || json_object_update(all, (json_t *)json) ||
	    json_dumpf(all, stdout, JSON_INDENT(2)))
		rc = tb_command_fail(
			command,
			"cannot write JSON: out of memory or the output is closed");
	else
		putchar('\n');
	json_decref(all);
	return rc;
}

json_t *tb_command_json_set(const struct tb_bitset *set)
{
	char *list = tb_bitset_print_list(set);
	json_t *json = list ? json_string(list) : NULL;

	free(list);
	return json;
}

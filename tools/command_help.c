/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command_help.c - see command_help.h */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_help.h"
#include "terminal/terminal.h"
#include "terminal/wrap.h"

#define WIDTH_MAX 80
#define INDENT 2
/* Where the sentences of options begin, at most, in the widest lines. */
#define COLUMN_MAX 30
#define FORM_SIZE 128

unsigned tb_command_help_width(void)
{
	unsigned width = tb_line_width();

	return width < WIDTH_MAX ? width : WIDTH_MAX;
}

/* May its argument be left out? */
static bool is_optional(const char *argument)
{
	return argument[0] == '[';
}

/* "-n, -w, --nodes=NODES", "--watch[=N]" */
static void write_form(const struct tb_command_option *option,
		       char form[FORM_SIZE])
{
	const char *argument = option->argument;
	int length = 0;

	for (const char *c = option->letters; c && *c; c++)
		length += snprintf(form + length, FORM_SIZE - (size_t)length,
				   "-%c, ", *c);
	length += snprintf(form + length, FORM_SIZE - (size_t)length, "--%s",
			   option->name);
	if (argument && is_optional(argument))
		snprintf(form + length, FORM_SIZE - (size_t)length, "[=%s",
			 argument + 1);
	else if (argument)
		snprintf(form + length, FORM_SIZE - (size_t)length, "=%s",
			 argument);
}

static bool is_explained(const struct tb_command_option *option)
{
	return option->help && *option->help;
}

static unsigned find_column(const struct tb_command_option *options)
{
	char form[FORM_SIZE];
	unsigned most = tb_command_help_width() * COLUMN_MAX / WIDTH_MAX;
	size_t column = 0;

	for (; options->name; options++) {
		write_form(options, form);
		if (is_explained(options) && strlen(form) > column)
			column = strlen(form);
	}
	column += INDENT + 2;
	return column < most ? (unsigned)column : most;
}

static void print_explained(const struct tb_command_option *options)
{
	unsigned column = find_column(options);
	char form[FORM_SIZE];

	for (; options->name; options++) {
		if (!is_explained(options))
			continue;
		write_form(options, form);
		tb_print_wrapped(options->help,
				 (unsigned)printf("%*s%s  ", INDENT, "", form),
				 column, tb_command_help_width());
	}
}

/* Those without a sentence, as many on a line as it has room for. */
static void print_unexplained(const struct tb_command_option *options)
{
	char form[FORM_SIZE];
	size_t at = 0;

	for (; options->name; options++) {
		if (options->help)
			continue;
		write_form(options, form);
		if (at &&
		    at + INDENT + strlen(form) > tb_command_help_width()) {
			putchar('\n');
			at = 0;
		}
		at += (size_t)printf("%*s%s", INDENT, "", form);
	}
	putchar('\n');
}

static void print_paragraph(const char *text)
{
	putchar('\n');
	tb_print_wrapped(text, 0, 0, tb_command_help_width());
}

static void print_usage(const char *name, const char *arguments)
{
	unsigned column = (unsigned)printf("Usage: %s ", name);
	char *text;

	if (asprintf(&text, "[OPTION...]%s%s", arguments ? " " : "",
		     arguments ? arguments : "") < 0)
		return;
	tb_print_wrapped(text, column, column, tb_command_help_width());
	free(text);
}

void tb_command_print_help(const char *name, const struct tb_command_line *line,
			   const struct tb_command_option *options)
{
	print_usage(name, line->arguments);
	print_paragraph(line->purpose);
	putchar('\n');
	print_explained(options);
	print_unexplained(options);
	if (line->notes)
		print_paragraph(line->notes);
	print_paragraph(line->exit_codes);
}

/* "[on|off] [NODE...]" as on|off and NODE */
static void print_arguments(const char *arguments)
{
	static const char marks[] = " [].";

	arguments += strspn(arguments, marks);
	while (*arguments) {
		size_t length = strcspn(arguments, marks);

		printf("%.*s\n", (int)length, arguments);
		arguments += length;
		arguments += strspn(arguments, marks);
	}
}

void tb_command_print_completion(const struct tb_command_line *line,
				 const struct tb_command_option *options)
{
	for (; options->name; options++) {
		const char *argument = options->argument;

		if (argument && !is_optional(argument))
			printf("--%s=%s\n", options->name, argument);
		else
			printf("--%s\n", options->name);
	}
	if (line->arguments)
		print_arguments(line->arguments);
}

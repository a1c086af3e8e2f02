/* SPDX-License-Identifier: GPL-2.0-or-later */
/* command.c - see command.h */
#define _GNU_SOURCE /* vasprintf */
#include <ctype.h>
#include <getopt.h>
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

int tb_command_option(struct tb_command *command, int option,
		      void (*print_help)(void))
{
	switch (option) {
	case 'c':
		if (!tb_color_parse(optarg, &command->color))
			return 0;
		tb_command_fail(command->name, "--color=%.60s is not known, give auto, always or never",
				optarg);
		return -1;
	case 'j':
		command->json = true;
		return 0;
	case 'h':
		print_help();
		command->done = true;
		return 0;
	case 'v':
		puts(PACKAGE_STRING);
		command->done = true;
		return 0;
	default:
		return -1;
	}
}

int tb_command_options(struct tb_command *command, int argc, char **argv,
		       const struct option *table, void (*print_help)(void))
{
	int option;

	/* Those with a flag give 0. */
	while (!command->done &&
	       (option = getopt_long(argc, argv, "", table, NULL)) != -1)
		if (option && tb_command_option(command, option, print_help))
			return -1;
	return 0;
}

int tb_command_no_arguments(const char *command, int argc, char **argv)
{
	if (optind == argc)
		return 0;
	tb_command_fail(command, "\"%.60s\" is one argument too many",
			argv[optind]);
	return -1;
}

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_options.c - topobind options */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/request/request.h"
#include "core/request/request_key.h"
#include "spank/options.h"

#include "command.h"
#include "terminal/wrap.h"

struct options {
	struct tb_command common;
	bool words;
	const struct tb_option *one; /* NULL: all */
};

/* With or without its dashes. */
static int find_one(struct options *options, const char *name,
		    struct tb_error *err)
{
	const char *bare = strncmp(name, "--", 2) ? name : name + 2;

	for (options->one = tb_option_table; options->one->name; options->one++)
		if (!strcmp(options->one->name, bare))
			return 0;
	return tb_fail(
		err,
		"\"%.60s\" is not a binding option; topobind options prints their names",
		name);
}

static int take_options_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	(void)option, (void)err;
	options->words = true;
	return 0;
}

static int take_options_arguments(void *data, int count, char **words,
				  struct tb_error *err)
{
	if (count > 1)
		return tb_fail(err, "one option at a time, leave out \"%.60s\"",
			       words[1]);
	return count ? find_one(data, words[0], err) : 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "words", NULL, 'w',
	  "print only names of options, or those values of --NAME that are words, one a line" },
	{ 0 },
};
static const struct tb_command_line usage = {
	.arguments = "[NAME]",
	.purpose =
		"Print the binding options that sbatch, srun and salloc have from topobind, or only --NAME: what it means and which values are allowed.",
	.exit_codes =
		"Exit codes: 0 done, 2 bad option, or topobind has no option NAME.",
	.own = own_options,
	.has_json = true,
	.take = take_options_option,
	.finish = take_options_arguments,
};

/* ---- words ---- */

/* Blanks and commas are between them. */
static const char *find_next_word(const char *at, int *length)
{
	at += strspn(at, ", ");
	*length = (int)strcspn(at, ", ");
	return *length ? at : NULL;
}

static void print_words(const struct options *options)
{
	const char *at = options->one ? tb_request_words(options->one->name)
				      : NULL;
	int length;

	if (!options->one)
		for (const struct tb_option *one = tb_option_table; one->name;
		     one++)
			puts(one->name);
	while (at && (at = find_next_word(at, &length))) {
		printf("%.*s\n", length, at);
		at += length;
	}
}

/* ---- for people ---- */

static const char *get_allowed(const struct tb_option *one)
{
	const char *allowed = tb_request_allowed(one->name);

	return allowed ? allowed : one->arginfo;
}

static void print_one(const struct tb_option *one)
{
	unsigned width = tb_terminal_width();

	printf("--%s=%s\n", one->name, one->arginfo);
	tb_print_wrapped(one->usage, 0, 4, width);
	tb_print_wrapped("allowed:", 0, 4, width);
	tb_print_wrapped(get_allowed(one), 0, 8, width);
}

static void print_text(const struct options *options)
{
	if (options->one) {
		print_one(options->one);
		return;
	}
	for (const struct tb_option *one = tb_option_table; one->name; one++)
		print_one(one);
}

/* ---- for programs ---- */

static json_t *json_of_words(const struct tb_option *one)
{
	const char *at = tb_request_words(one->name);
	json_t *words = json_array();
	int length;

	while (at && (at = find_next_word(at, &length))) {
		json_array_append_new(words, json_stringn(at, (size_t)length));
		at += length;
	}
	return words;
}

static int print_options_json(const struct options *options)
{
	json_t *all = json_array(), *json;
	int rc;

	for (const struct tb_option *one = tb_option_table; one->name; one++)
		if (!options->one || options->one == one)
			json_array_append_new(all,
					      json_pack("{s:s, s:s, s:s, s:o}",
							"name", one->name,
							"meaning", one->usage,
							"allowed",
							get_allowed(one),
							"words",
							json_of_words(one)));
	json = json_pack("{s:o}", "options", all);
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	return rc;
}

int tb_command_options_list(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	if (options.common.done)
		return TB_EXIT_OK;
	if (options.common.json)
		return print_options_json(&options);
	if (options.words)
		print_words(&options);
	else
		print_text(&options);
	return TB_EXIT_OK;
}

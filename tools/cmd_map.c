/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_map.c - topobind map */
#define _GNU_SOURCE /* open_memstream */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "map.h"
#include "map_output.h"
#include "map_slurm.h"

struct options {
	struct tb_command common;
	const char *from;
	char *nodes; /* a node list, NULL: all */
	enum tb_map_form form;
};

static void print_help(void)
{
	puts("Usage: topobind map [OPTION...] [NODE...]\n"
	     "\n"
	     "Draw the nodes of the cluster (all, or those named; n[1-3] works): which job\n"
	     "holds which core and thread.\n"
	     "\n"
	     "  --color=WHEN  auto, always, never [auto]\n"
	     "  --svg         write a picture\n"
	     "  --html        write a page for a browser\n"
	     "  --json        print what would be drawn as JSON\n"
	     "  --from FILE   draw what --json printed, ask no Slurm; \"-\" is stdin\n"
	     "  --help, --version\n"
	     "\n"
	     "A line is an L3 cache (or a socket, or NUMA node), a cell a core, a character in\n"
	     "it a thread: \".\" free, \"#\" in use by jobs without a binding, a letter or digit\n"
	     "for each bound job, \"*\" for jobs beyond those, \"&\" where bound jobs share.\n"
	     "COLUMNS sets the width, NO_COLOR switches colours off.\n"
	     "\n"
	     "Exit codes: 0 drawn, 2 bad option, unknown node, or Slurm does not answer.");
}

/* One form at most. */
static int take_form(struct options *options, enum tb_map_form form)
{
	if (options->form != TB_MAP_TEXT && options->form != form) {
		tb_command_fail(options->common.name, "--json, --svg and --html exclude each other, give one of them");
		return -1;
	}
	options->form = form;
	return 0;
}

static int take_option(struct options *options, int option)
{
	switch (option) {
	case 'f':
		options->from = optarg;
		return 0;
	case 'j':
		return take_form(options, TB_MAP_JSON);
	case 's':
		return take_form(options, TB_MAP_SVG);
	case 't':
		return take_form(options, TB_MAP_HTML);
	default:
		return tb_command_option(&options->common, option, print_help);
	}
}

/* The arguments as one node list; malloc()ed, NULL when out of memory. */
static char *join(char **words, int count)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (int i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? "," : "", words[i]);
	return fclose(out) ? NULL : text;
}

/* -1: an error was printed. */
static int read_options(struct options *options, int argc, char **argv)
{
	static const struct option table[] = {
		{ "from", required_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "svg", no_argument, NULL, 's' },
		{ "html", no_argument, NULL, 't' },
		{ "color", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while (!options->common.done &&
	       (option = getopt_long(argc, argv, "", table, NULL)) != -1)
		if (take_option(options, option))
			return -1;
	if (options->common.done || optind == argc)
		return 0;
	if (options->from) {
		tb_command_fail(options->common.name, "--from draws all nodes of its file, leave out \"%.60s\"",
				argv[optind]);
		return -1;
	}
	options->nodes = join(argv + optind, argc - optind);
	if (options->nodes)
		return 0;
	tb_command_fail(options->common.name, "out of memory");
	return -1;
}

static void warn(const char *sentence)
{
	tb_command_fail("topobind map", "%s", sentence);
}

static struct tb_map *load_file(const char *path, struct tb_error *err)
{
	json_error_t why;
	struct tb_map *map;
	json_t *json;

	if (!strcmp(path, "-"))
		json = json_loadf(stdin, 0, &why);
	else
		json = json_load_file(path, 0, &why);
	if (!json) {
		tb_fail(err, "cannot read a map from \"%.200s\": %s", path,
			why.text);
		return NULL;
	}
	map = tb_map_of_json(json, err);
	json_decref(json);
	return map;
}

int tb_command_map(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	struct tb_map *map = NULL;
	struct tb_error err;
	int rc = TB_EXIT_OK;

	if (read_options(&options, argc, argv)) {
		rc = TB_EXIT_BAD;
	} else if (!options.common.done) {
		map = options.from ? load_file(options.from, &err) :
		      tb_map_load_slurm(options.nodes, warn, &err);
		rc = map ? tb_map_print(&options.common, map,
					options.form) :
		     tb_command_fail(options.common.name, "%s", err.text);
	}
	tb_map_destroy(map);
	free(options.nodes);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_map.c - topobind map */
#define _GNU_SOURCE /* open_memstream */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "map.h"
#include "map_draw.h"
#include "map_output.h"
#include "map_slurm.h"
#include "watch.h"

struct options {
	struct tb_command common;
	const char *from;
	char *nodes; /* a node list, NULL: all */
	struct tb_map_output output;
	unsigned seconds; /* between drawings; 0: once */
};

#define WATCH_SECONDS 2
#define WATCH_MOST 3600

static void print_help(void)
{
	puts("Usage: topobind map [OPTION...] [NODE...]\n"
	     "\n"
	     "Draw the nodes of the cluster (all, or those named; n[1-3] works): which job\n"
	     "holds which core and thread.\n"
	     "\n"
	     "  --watch[=N]    draw again every N seconds [2] until q is pressed\n"
	     "  --svg, --html  write a picture, or a page for a browser\n"
	     "  --json         print what would be drawn as JSON\n"
	     "  --lstopo       write XML of a node for lstopo, with the colours of jobs\n"
	     "  --xml FILE     of lstopo on that node, unless it is this machine\n"
	     "  --from FILE    draw what --json printed, ask no Slurm; \"-\" is stdin\n"
	     "  --color=WHEN   auto, always, never [auto]\n"
	     "  --help, --version\n"
	     "\n"
	     "Boxes are sockets, NUMA nodes and caches; in them groups of characters are\n"
	     "cores, characters threads: \".\" free, \"-\" free but not for jobs with a binding,\n"
	     "\"A\" a bound job, \"a\" a soft-bound one, \"#\" without a binding, \"&\" shared.\n"
	     "COLUMNS sets the width, NO_COLOR switches colours off.\n"
	     "\n"
	     "Exit codes: 0 drawn, 2 bad option, unknown node, or Slurm does not answer.");
}

static int take_seconds(struct options *options, const char *text)
{
	char *rest;
	unsigned long seconds = WATCH_SECONDS;

	if (text) {
		errno = 0;
		seconds = strtoul(text, &rest, 10);
		if (*text < '0' || *text > '9' || *rest || errno || !seconds ||
		    seconds > WATCH_MOST) {
			tb_command_fail(options->common.name, "--watch=%.60s is no number of seconds, give 1 to %d",
					text, WATCH_MOST);
			return -1;
		}
	}
	options->seconds = seconds;
	return 0;
}

static int take_option(struct options *options, int option)
{
	switch (option) {
	case 'f':
		options->from = optarg;
		return 0;
	case 'j':
	case 's':
	case 't':
	case 'l':
		return tb_map_take_form(&options->common, option,
					&options->output);
	case 'x':
		options->output.xml = optarg;
		return 0;
	case 'w':
		return take_seconds(options, optarg);
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
		{ "lstopo", no_argument, NULL, 'l' },
		{ "xml", required_argument, NULL, 'x' },
		{ "watch", optional_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while (!options->common.done &&
	       (option = getopt_long(argc, argv, "", table, NULL)) != -1)
		if (take_option(options, option))
			return -1;
	if (options->common.done)
		return 0;
	if (options->seconds && (options->from || options->output.form)) {
		tb_command_fail(options->common.name, "--watch draws the cluster on the terminal, leave out --from, --json, --svg, --html and --lstopo");
		return -1;
	}
	if (options->output.xml && options->output.form != TB_MAP_LSTOPO) {
		tb_command_fail(options->common.name, "--xml goes with --lstopo, give that too");
		return -1;
	}
	if (optind == argc)
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

/* Over what is drawn it would be lost. */
static void ignore(const char *sentence)
{
	(void)sentence;
}

static int draw_again(void *data, unsigned width, FILE *out,
		      struct tb_error *err)
{
	const struct options *options = data;
	struct tb_map_style style =
		tb_map_style_here(tb_color_is_on(options->common.color));
	struct tb_map *map = tb_map_load_slurm(options->nodes, ignore, err);
	int rc;

	if (!map)
		return -1;
	style.width = width;
	rc = tb_map_draw(map, &style, out);
	tb_map_destroy(map);
	return rc ? tb_fail(err, "out of memory") : 0;
}

static int watch(struct options *options)
{
	const struct tb_watch watch = {
		.seconds = options->seconds,
		.title = options->common.name,
		.draw = draw_again,
		.data = options,
	};
	struct tb_error err;

	return tb_watch_run(&watch, &err) ?
	       tb_command_fail(options->common.name, "%s", err.text) :
	       TB_EXIT_OK;
}

static int draw_once(const struct options *options)
{
	struct tb_error err;
	struct tb_map *map = options->from ?
			     load_file(options->from, &err) :
			     tb_map_load_slurm(options->nodes, warn, &err);
	int rc;

	if (!map)
		return tb_command_fail(options->common.name, "%s", err.text);
	rc = tb_map_print(&options->common, map, &options->output);
	tb_map_destroy(map);
	return rc;
}

int tb_command_map(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	if (read_options(&options, argc, argv))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = options.seconds ? watch(&options) : draw_once(&options);
	free(options.nodes);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_map.c - topobind map */
#define _GNU_SOURCE /* open_memstream */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "map.h"
#include "map_draw.h"
#include "map_output.h"
#include "map_slurm.h"
#include "text_stream.h"
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

static int take_seconds(struct options *options, const char *text,
			struct tb_error *err)
{
	char *rest;
	unsigned long seconds = WATCH_SECONDS;

	if (text) {
		errno = 0;
		seconds = strtoul(text, &rest, 10);
		if (*text < '0' || *text > '9' || *rest || errno || !seconds ||
		    seconds > WATCH_MOST)
			return tb_fail(err, "--watch=%.60s is no number of seconds, give 1 to %d",
				       text, WATCH_MOST);
	}
	options->seconds = seconds;
	return 0;
}

static int take_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'f':
		options->from = optarg;
		return 0;
	case 'x':
		options->output.xml = optarg;
		return 0;
	case 'w':
		return take_seconds(options, optarg, err);
	default:
		return tb_map_take_form(&options->output, option, err);
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
	return tb_text_stream_close(out, &text);
}

static int finish(void *data, int count, char **words, struct tb_error *err)
{
	struct options *options = data;

	if (options->seconds && (options->from || options->output.form))
		return tb_fail(err, "--watch draws the cluster on the terminal, leave out --from, --json, --svg, --html and --lstopo");
	if (options->output.xml && options->output.form != TB_MAP_LSTOPO)
		return tb_fail(err, "--xml goes with --lstopo, give that too");
	if (!count)
		return 0;
	if (options->from)
		return tb_fail(err, "--from draws all nodes of its file, leave out \"%.60s\"",
			       words[0]);
	options->nodes = join(words, count);
	return options->nodes ? 0 : tb_fail(err, "out of memory");
}

/* --json is one of the forms. */
static const struct option own_options[] = {
	{ "from", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "svg", no_argument, NULL, 's' },
	{ "html", no_argument, NULL, 't' },
	{ "lstopo", no_argument, NULL, 'l' },
	{ "xml", required_argument, NULL, 'x' },
	{ "watch", optional_argument, NULL, 'w' },
	{ NULL, 0, NULL, 0 },
};
static const struct tb_command_line usage = {
	.own = own_options,
	.has_color = true,
	.print_help = print_help,
	.take = take_option,
	.finish = finish,
};

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

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = options.seconds ? watch(&options) : draw_once(&options);
	free(options.nodes);
	return rc;
}

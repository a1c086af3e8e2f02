/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_map.c - topobind map */
#define _GNU_SOURCE /* open_memstream */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "cluster/job_id.h"
#include "map.h"
#include "map_draw.h"
#include "map_output.h"
#include "map_slurm.h"
#include "terminal/text_stream.h"
#include "terminal/watch.h"

struct options {
	struct tb_command common;
	const char *from;
	char *nodes;		    /* a node list, NULL: all */
	struct tb_job_argument job; /* text NULL: all jobs, else its tasks */
	struct tb_map_output output;
	unsigned seconds; /* between drawings; 0: once */
};

#define WATCH_SECONDS 2

static int take_map_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'f':
		options->from = optarg;
		return 0;
	case 'J':
		return tb_job_argument_take(&options->job, 1, &optarg, err);
	case 'x':
		options->output.xml = optarg;
		return 0;
	case 'w':
		return tb_command_take_seconds(&options->seconds, "watch",
					       WATCH_SECONDS, err);
	default:
		return tb_map_take_form(&options->output, option, err);
	}
}

/* The arguments as one node list; malloc()ed, NULL when out of memory. */
static char *join_words(char **words, int count)
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

static int take_map_arguments(void *data, int count, char **words,
			      struct tb_error *err)
{
	struct options *options = data;

	if (options->seconds && (options->from || options->output.form))
		return tb_fail(
			err,
			"--watch draws the cluster on the terminal, leave out --from, --json, --svg, --html and --lstopo");
	if (options->job.text && options->from)
		return tb_fail(
			err,
			"--job asks Slurm for the tasks of that job, leave out --from");
	if (options->output.xml && options->output.form != TB_MAP_LSTOPO)
		return tb_fail(err, "--xml goes with --lstopo, give that too");
	if (!count)
		return 0;
	if (options->from)
		return tb_fail(
			err,
			"--from draws all nodes of its file, leave out \"%.60s\"",
			words[0]);
	if (options->job.text)
		return tb_fail(
			err,
			"--job draws the nodes of that job, leave out \"%.60s\"",
			words[0]);
	options->nodes = join_words(words, count);
	return options->nodes ? 0 : tb_fail(err, "out of memory");
}

/* --json is one of the forms. */
static const struct tb_command_option own_options[] = {
	{ NULL, "from", "FILE", 'f',
	  "draw what --json printed, without asking Slurm; \"-\" is stdin" },
	{ NULL, "job", "JOB", 'J',
	  "draw the nodes of that job, with a sign for each of its tasks" },
	{ NULL, "json", NULL, 'j', "print what would be drawn as JSON" },
	{ NULL, "svg", NULL, 's', "write a picture" },
	{ NULL, "html", NULL, 't', "write a page for a browser" },
	{ NULL, "lstopo", NULL, 'l',
	  "write XML of one node for lstopo, with the colours of jobs" },
	{ NULL, "xml", "FILE", 'x',
	  "what lstopo wrote on that node, unless it is this machine" },
	{ NULL, "watch", "[N]", 'w',
	  "draw again every N seconds [2] until q is pressed" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.arguments = "[NODE...]",
	.purpose = "Draw the nodes of the cluster (all, or those named; n[1-3] works): which job holds which core and thread.",
	.notes = "Boxes are sockets, NUMA nodes and caches; in them groups of characters are cores, characters threads: \".\" free, \"-\" free but not for jobs with a binding, \"A\" a bound job, \"a\" a soft-bound one, \"#\" without a binding, \"&\" shared. COLUMNS sets the width, NO_COLOR switches colours off.",
	.exit_codes = "Exit codes: 0 drawn, 2 bad option, unknown node, or Slurm does not answer.",
	.own = own_options,
	.has_color = true,
	.take = take_map_option,
	.finish = take_map_arguments,
	/* clang-format on */
};

static void warn_user(const char *sentence)
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
static void ignore_warning(const char *sentence)
{
	(void)sentence;
}

/* NULL with a sentence. */
static struct tb_map *load_map(const struct options *options,
			       void (*warn)(const char *sentence),
			       struct tb_error *err)
{
	if (options->from)
		return load_file(options->from, err);
	if (options->job.text)
		return tb_map_load_tasks(&options->job.id, warn, err);
	return tb_map_load_slurm(options->nodes, warn, err);
}

static int draw_again(void *data, unsigned width, FILE *out,
		      struct tb_error *err)
{
	const struct options *options = data;
	struct tb_map_style style = tb_map_style_here(
		tb_color_is_on(options->common.color));
	struct tb_map *map = load_map(options, ignore_warning, err);
	int rc;

	if (!map)
		return -1;
	style.width = width;
	rc = tb_map_draw(map, &style, out);
	tb_map_destroy(map);
	return rc ? tb_fail(err, "out of memory") : 0;
}

static int watch_map(struct options *options)
{
	const struct tb_watch watch = {
		.seconds = options->seconds,
		.title = options->common.name,
		.draw = draw_again,
		.data = options,
	};
	struct tb_error err;

	return tb_watch_run(&watch, &err)
		       ? tb_command_fail(options->common.name, "%s", err.text)
		       : TB_EXIT_OK;
}

static int draw_once(const struct options *options)
{
	struct tb_error err;
	struct tb_map *map = load_map(options, warn_user, &err);
	int rc;

	if (!map && options->job.text)
		return tb_job_argument_fail(&options->job, options->common.name,
					    &err);
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
		rc = options.seconds ? watch_map(&options)
				     : draw_once(&options);
	free(options.nodes);
	return rc;
}

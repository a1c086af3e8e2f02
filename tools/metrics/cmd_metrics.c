/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_metrics.c - topobind metrics */
#define _GNU_SOURCE /* getline */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "metrics.h"
#include "cluster/slurm_library.h"
#include "jobs/job_usage.h"
#include "soft/soft_node.h"

struct options {
	struct tb_command common;
	const char *controller; /* slurmctld's file; NULL: none */
	const char *node;	/* NULL: this host */
	bool soft;		/* of this node, and not of the cluster */
	unsigned seconds;	/* likewise, how busy its units are; 0: not */
};

/* ---- options ---- */

static int take_metrics_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'f':
		options->controller = optarg;
		return 0;
	case 'n':
		options->node = optarg;
		return 0;
	case 'u':
		return tb_command_take_seconds(&options->seconds, "usage", 1,
					       err);
	default:
		options->soft = true;
		return 0;
	}
}

static int take_metrics_arguments(void *data, int count, char **words,
				  struct tb_error *err)
{
	const struct options *options = data;
	bool of_node = options->soft || options->seconds;

	if (tb_command_no_arguments(count, words, err))
		return -1;
	if (options->node && !of_node)
		return tb_fail(
			err,
			"--node goes with --soft or --usage, give one of them too");
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "controller", "FILE", 'f',
	  "print what slurmctld counts, too: placements tried, and refused by reason, and their time; FILE is MetricsFile= of topobind.conf" },
	{ NULL, "soft", NULL, 's',
	  "print the soft-bound steps on this node, not the cluster; for root" },
	{ NULL, "usage", "[N]", 'u',
	  "look N seconds [1] how busy the units of each kind are that jobs have on this node, and print that, not the cluster" },
	{ NULL, "node", "NAME", 'n',
	  "with --soft or --usage, the node's name in slurm.conf [this host's]" },
	{ 0 },
};
static const struct tb_command_line usage = {
	.purpose =
		"Print numbers in Prometheus' text format, such as for node_exporter's textfile collector: units that are free, granted and broken up, by kind and partition; fragmentation; jobs with a binding.",
	.exit_codes =
		"Exit codes: 0 printed, 2 bad option, a file that cannot be read, not root, or Slurm does not answer.",
	.own = own_options,
	.take = take_metrics_option,
	.finish = take_metrics_arguments,
};

/* ---- what slurmctld counts ---- */

/* Is it a line of slurmctld's file, and not of any other? */
static bool is_metric(const char *line)
{
	static const char *const beginnings[] = { "topobind_",
						  "# HELP topobind_",
						  "# TYPE topobind_", NULL };
	unsigned i = 0;

	while (beginnings[i] &&
	       strncmp(line, beginnings[i], strlen(beginnings[i])))
		i++;
	return beginnings[i] != NULL;
}

static int copy_lines(const struct options *options, FILE *from, FILE *out)
{
	char *line = NULL;
	size_t size = 0;
	bool is_one = false, is_right = true;
	int rc = TB_EXIT_OK;

	while (is_right && getline(&line, &size, from) > 0) {
		is_one = is_right = is_metric(line);
		if (is_right)
			fputs(line, out);
	}
	if (ferror(from))
		rc = tb_command_fail(options->common.name,
				     "\"%.200s\" cannot be read: %s",
				     options->controller, strerror(errno));
	else if (!is_one)
		rc = tb_command_fail(
			options->common.name,
			"\"%.200s\" is not a file that slurmctld has written: give what is MetricsFile= in topobind.conf",
			options->controller);
	free(line);
	return rc;
}

static int print_controller(const struct options *options, FILE *out)
{
	/* Should it be a pipe, nobody waits for its other end. */
	int file = open(options->controller, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *from = file < 0 ? NULL : fdopen(file, "r");
	int rc;

	if (!from) {
		rc = tb_command_fail(options->common.name,
				     "\"%.200s\" cannot be read: %s",
				     options->controller, strerror(errno));
		if (file >= 0)
			close(file);
		return rc;
	}
	rc = copy_lines(options, from, out);
	fclose(from);
	return rc;
}

/* ---- the cluster, and this node ---- */

static void warn_user(const char *sentence)
{
	tb_command_fail("topobind metrics", "%s", sentence);
}

static int print_cluster(const struct options *options, FILE *out)
{
	struct tb_node_views *views;
	struct tb_error err;
	int rc = TB_EXIT_OK;

	tb_slurm_begin(options->common.name);
	views = tb_node_views_load(TB_CLUSTER_PARTITIONS | TB_CLUSTER_CORES,
				   NULL, warn_user, &err);
	if (!views)
		rc = tb_command_fail(options->common.name, "%s", err.text);
	else if (tb_metrics_of_cluster(views, out))
		rc = tb_command_fail(options->common.name, "out of memory");
	tb_node_views_destroy(views);
	tb_slurm_end();
	return rc;
}

static int print_soft(const struct options *options, FILE *out)
{
	struct tb_registry *registry = tb_soft_node_open(options->common.name,
							 options->node);
	struct tb_error err;
	int rc = TB_EXIT_OK;

	if (!registry)
		return TB_EXIT_BAD;
	if (tb_metrics_of_soft(registry, out, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	tb_registry_close(registry);
	return rc;
}

static int print_usage(const struct options *options, FILE *out)
{
	char *node = tb_job_usage_node(options->node);
	struct tb_node_views *views = NULL;
	struct tb_error err;
	int rc = TB_EXIT_OK;

	tb_slurm_begin(options->common.name);
	if (!node)
		tb_fail(&err, "out of memory");
	else
		views = tb_node_views_load(TB_CLUSTER_CORES, NULL, warn_user,
					   &err);
	if (!views ||
	    tb_metrics_of_usage(views, node, options->seconds, out, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	tb_node_views_destroy(views);
	tb_slurm_end();
	free(node);
	return rc;
}

/* ---- all of it, or nothing ---- */

static int print_nodes(const struct options *options, FILE *out)
{
	int rc = options->soft ? print_soft(options, out) : TB_EXIT_OK;

	if (rc == TB_EXIT_OK && options->seconds)
		rc = print_usage(options, out);
	return rc;
}

static int print_all(const struct options *options, FILE *out)
{
	int rc = options->soft || options->seconds
			 ? print_nodes(options, out)
			 : print_cluster(options, out);

	if (rc == TB_EXIT_OK && options->controller)
		rc = print_controller(options, out);
	return rc;
}

/* A collector that takes half of it would take the rest for gone. */
static int run_metrics(const struct options *options)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);
	int rc = TB_EXIT_BAD;

	if (out)
		rc = print_all(options, out);
	if (!out || fclose(out))
		rc = tb_command_fail(options->common.name, "out of memory");
	if (rc == TB_EXIT_OK)
		fwrite(text, 1, size, stdout);
	free(text);
	return rc;
}

int tb_command_metrics(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	return options.common.done ? TB_EXIT_OK : run_metrics(&options);
}

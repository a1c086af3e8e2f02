/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_report.c - topobind report */
#define _GNU_SOURCE /* clock_nanosleep, fork */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "cluster/slurm_library.h"
#include "report.h"
#include "report_series.h"
#include "report_table.h"

/* A year. */
#define SECONDS_MOST 31536000

struct options {
	struct tb_command common;
	struct tb_known_topologies known;
	struct tb_table_options table;
	unsigned every, during; /* seconds; 0: once, and no end */
	const char *to, *from;	/* files; NULL: none */
};

/* ---- options ---- */

static unsigned get_unit_seconds(const char *unit)
{
	static const struct {
		const char *unit;
		unsigned seconds;
	} units[] = {
		{ "", 1 },     { "s", 1 },     { "m", 60 },
		{ "h", 3600 }, { "d", 86400 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].unit))
			return units[i].seconds;
	return 0;
}

static int take_duration(const char *option, unsigned *seconds,
			 struct tb_error *err)
{
	char *rest = NULL;
	unsigned long number = 0;
	unsigned unit = 0;

	errno = 0;
	if (*optarg >= '0' && *optarg <= '9')
		number = strtoul(optarg, &rest, 10);
	if (rest && !errno)
		unit = get_unit_seconds(rest);
	if (!number || !unit || number > SECONDS_MOST / unit)
		return tb_fail(
			err,
			"--%s=%.60s is no duration, give 1 to %d seconds, or as 90m, 12h, 7d",
			option, optarg, SECONDS_MOST);
	*seconds = (unsigned)number * unit;
	return 0;
}

static int take_report_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 't':
		return tb_known_topologies_add(&options->known, optarg, err);
	case 'e':
		return take_duration("every", &options->every, err);
	case 'd':
		return take_duration("for", &options->during, err);
	case 'T':
		options->to = optarg;
		return 0;
	case 'f':
		options->from = optarg;
		return 0;
	default:
		return tb_table_option(&options->table, tb_report_table(),
				       option, err);
	}
}

/* Any of what makes a table? */
static bool wants_table(const struct options *options)
{
	return options->table.by_node || options->table.columns ||
	       options->table.sort || options->table.no_headings;
}

static int take_report_arguments(void *data, int count, char **words,
				 struct tb_error *err)
{
	const struct options *options = data;
	bool table = wants_table(options);

	if (tb_command_no_arguments(count, words, err))
		return -1;
	if (options->from && (options->known.ngiven || options->to || table ||
			      options->every || options->during))
		return tb_fail(
			err,
			"--from=%.100s is a file of what was, and goes with --json only",
			options->from);
	if (options->every && !options->to)
		return tb_fail(err, "--every goes with --to, give that too");
	if (options->during && !options->every)
		return tb_fail(err, "--for goes with --every, give that too");
	if (options->to && (options->common.json || table))
		return tb_fail(
			err,
			"--to=%.100s is where the report goes, as JSON; leave out --json and what is for tables",
			options->to);
	return 0;
}

static const struct tb_command_option own_options[] = {
	{ NULL, "topology", "NODES=STRING", 't',
	  "or NODES=FILE.xml of lstopo; may be repeated" },
	{ NULL, "to", "FILE", 'T', "append the totals as a line of JSON" },
	{ NULL, "every", "SECONDS", 'e', "again and again; 90m, 12h, 1d work" },
	{ NULL, "for", "DURATION", 'd', "so long [without end]" },
	{ NULL, "from", "FILE", 'f', "summarize what --to has written" },
	{ 0 },
};
static const struct tb_command_line usage = {
	/* clang-format off */
	.purpose = "Tell how near to each other the cores of running jobs are: how many L3 caches, NUMA nodes and sockets they touch, how few would do, who else is there. Only looks, on any Slurm, with and without topobind.",
	.notes = "Columns, of jobs: %i jobid, %u user, %j name, %N node, %c cores; of X, N (%n), S: X touched/fewest, Xshared, Xstrangers, Xlocality.",
	.exit_codes = "Exit codes: 0 told, 2 bad option, unknown node, a file, or no answer.",
	.own = own_options,
	.shared = tb_table_options_list,
	.has_json = true,
	.take = take_report_option,
	.finish = take_report_arguments,
	/* clang-format on */
};

/* ---- one look ---- */

static void warn_user(const char *sentence)
{
	tb_command_fail("topobind report", "%s", sentence);
}

/* It was told at the first look. */
static void say_nothing(const char *sentence)
{
	(void)sentence;
}

static int print_json(const struct options *options, json_t *json)
{
	int rc = tb_command_print_json(options->common.name, json);

	json_decref(json);
	return rc;
}

static int show_report(const struct options *options,
		       const struct tb_report *report)
{
	struct tb_error err;

	if (options->to)
		return tb_report_series_add(options->to, report, &err)
			       ? tb_command_fail(options->common.name, "%s",
						 err.text)
			       : TB_EXIT_OK;
	if (options->common.json)
		return print_json(options, tb_report_to_json(report, true));
	if (!wants_table(options))
		tb_report_print(report, stdout);
	else if (tb_report_print_table(report, &options->table))
		return tb_command_fail(options->common.name, "out of memory");
	return TB_EXIT_OK;
}

static int look_once(struct options *options,
		     void (*warn)(const char *sentence))
{
	struct tb_error err;
	struct tb_report *report = tb_report_load(&options->known, warn, &err);
	int rc = report ? show_report(options, report)
			: tb_command_fail(options->common.name, "%s", err.text);

	tb_report_destroy(report);
	return rc;
}

/* ---- many of them ---- */

/*
 * In a process of its own: of each node's and job's record Slurm's library loses some
 * bytes (seen with 22.05), which would be much after a day.
 */
static int look_apart(struct options *options,
		      void (*warn)(const char *sentence))
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		_exit(look_once(options, warn));
	if (pid < 0)
		return tb_command_fail(options->common.name,
				       "no process for a look: %s",
				       strerror(errno));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : TB_EXIT_BAD;
}

static void wait_until(const struct timespec *when)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, when, NULL) ==
	       EINTR)
		;
}

/*
 * To the next time to look, which is not over, though the last look took long; how
 * many seconds that is after the last time.
 */
static uint64_t go_on(struct timespec *when, unsigned every)
{
	struct timespec now = *when;
	uint64_t times, late; /* late by so many whole seconds */

	clock_gettime(CLOCK_MONOTONIC, &now);
	late = (uint64_t)(now.tv_sec - when->tv_sec) -
	       (now.tv_nsec < when->tv_nsec);
	times = late / every + 1;
	when->tv_sec += (time_t)(times * every);
	return times * every;
}

/*
 * What is wrong the first time is wrong with the options; later slurmctld may come
 * back.  The exit code says whether a look is missing.
 */
static int look_again(struct options *options)
{
	uint64_t passed;
	struct timespec when;
	int rc;

	if (clock_gettime(CLOCK_MONOTONIC, &when))
		return tb_command_fail(options->common.name,
				       "there is no clock");
	rc = look_apart(options, warn_user);
	if (rc)
		return rc;
	passed = go_on(&when, options->every);
	while (!options->during || passed < options->during) {
		wait_until(&when);
		if (look_apart(options, say_nothing))
			rc = TB_EXIT_BAD;
		passed += go_on(&when, options->every);
	}
	return rc;
}

static int run_looks(struct options *options)
{
	int rc;

	tb_slurm_begin(options->common.name);
	rc = options->every ? look_again(options)
			    : look_once(options, warn_user);
	tb_slurm_end();
	return rc;
}

/* ---- what was ---- */

static int show_series(const struct options *options)
{
	struct tb_error err;
	struct tb_report_series *series = tb_report_series_read(options->from,
								&err);
	int rc = TB_EXIT_OK;

	if (!series)
		return tb_command_fail(options->common.name, "%s", err.text);
	if (options->common.json)
		rc = print_json(options, tb_report_series_to_json(series));
	else
		tb_report_series_print(series, stdout);
	tb_report_series_destroy(series);
	return rc;
}

int tb_command_report(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	int rc = TB_EXIT_OK;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		rc = TB_EXIT_BAD;
	else if (!options.common.done)
		rc = options.from ? show_series(&options) : run_looks(&options);
	tb_known_topologies_clear(&options.known);
	tb_table_options_clear(&options.table);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - what the subcommands of topobind share
 */
#ifndef TB_TOOLS_COMMAND_H
#define TB_TOOLS_COMMAND_H

#include <jansson.h>
#include <stdbool.h>

#include "core/bitset.h"

#include "terminal.h"

/* Exit codes, the same for all; documented in topobind(1). */
enum tb_exit {
	TB_EXIT_OK = 0,     /* done, or the answer is yes */
	TB_EXIT_NO_FIT = 1, /* the answer, on stdout, is no: not a single slot
			       fits, nothing to explain, not now */
	TB_EXIT_BAD = 2,    /* bad request, bad input, or a failure */
};

/* The subcommands; argv[0] is "topobind NAME".  They return an exit code. */
int tb_command_conf(int argc, char **argv);
int tb_command_explain(int argc, char **argv);
int tb_command_hostfile(int argc, char **argv);
int tb_command_job(int argc, char **argv);
int tb_command_map(int argc, char **argv);
int tb_command_metrics(int argc, char **argv);
int tb_command_nodes(int argc, char **argv);
int tb_command_options_list(int argc, char **argv);
int tb_command_place(int argc, char **argv);
int tb_command_plan(int argc, char **argv);
int tb_command_soft(int argc, char **argv);
int tb_command_topology(int argc, char **argv);

/*
 * Print "COMMAND: sentence" to stderr and return TB_EXIT_BAD.  What a terminal
 * could take for a control sequence is printed as "?".
 */
int tb_command_fail(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The options that subcommands with a drawing have in common. */
struct tb_command {
	const char *name; /* "topobind map" */
	enum tb_color color;
	bool json;
	bool done; /* --help and --version leave nothing to do */
};

/*
 * One of getopt's letters: 'c' --color, 'j' --json, 'h' --help, 'v' --version.
 * -1 for a wrong value, which was said, and for what getopt has complained of.
 */
int tb_command_option(struct tb_command *command, int option,
		      void (*print_help)(void));

/*
 * All options, where there are only such and those that have a flag.  -1: an
 * error was printed.
 */
struct option;
int tb_command_options(struct tb_command *command, int argc, char **argv,
		       const struct option *table, void (*print_help)(void));

/* Is nothing left of argv behind the options?  -1 with a sentence when there is. */
int tb_command_no_arguments(const char *command, int argc, char **argv);

/* Print JSON for people and programs, one final newline; an exit code. */
int tb_command_print_json(const char *command, const json_t *json);

/* A set as JSON string "0-3,8"; NULL when out of memory. */
json_t *tb_command_json_set(const struct tb_bitset *set);

#endif

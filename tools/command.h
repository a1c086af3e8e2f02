/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command.h - what the subcommands of topobind share
 */
#ifndef TB_TOOLS_COMMAND_H
#define TB_TOOLS_COMMAND_H

#include <getopt.h> /* optarg */
#include <jansson.h>
#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "spank/options.h"

#include "terminal/terminal.h"

/* Exit codes, the same for all; documented in topobind(1). */
enum tb_exit {
	TB_EXIT_OK = 0,	    /* done, or the answer is yes */
	TB_EXIT_NO_FIT = 1, /* the answer, on stdout, is no: not a single slot
			       fits, nothing to explain, not now */
	TB_EXIT_BAD = 2,    /* bad request, bad input, or a failure */
};

/* The one argument with which they, and topobind, list what may follow them. */
#define TB_COMPLETION "--completion"

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
int tb_command_policy(int argc, char **argv);
int tb_command_report(int argc, char **argv);
int tb_command_reserve(int argc, char **argv);
int tb_command_soft(int argc, char **argv);
int tb_command_topology(int argc, char **argv);
int tb_command_update(int argc, char **argv);
int tb_command_whatif(int argc, char **argv);

/*
 * Print "COMMAND: sentence" to stderr and return TB_EXIT_BAD.  What a terminal
 * could take for a control sequence is printed as "?".
 */
int tb_command_fail(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* What the subcommands have in common; all but the name may be zero. */
struct tb_command {
	const char *name; /* "topobind map" */
	enum tb_color color;
	bool json;
	bool done; /* --help and --version leave nothing to do */
};

/*
 * Numbers of options, which take() gets: letters for those that have one, then
 * those without, then the binding options as in tb_option_table[].
 */
enum {
	TB_OPTION_OWN = 0x100,
	TB_OPTION_BINDING = 0x1000,
};

/* The help of an option of which --help says nothing. */
#define TB_UNTOLD ""

/* An option: how it is read, and what --help and completion say of it. */
struct tb_command_option {
	const char *letters;  /* "nw": -n and -w are the same; NULL: none */
	const char *name;     /* as in --name; NULL ends a table */
	const char *argument; /* "FILE"; "[N]": may be left out; NULL: none */
	int number;
	const char *help; /* NULL: its name says it; TB_UNTOLD */
};

/*
 * The command line of a subcommand.  All have --help and --version, which are
 * dealt with, as are --json and --color.
 */
struct tb_command_line {
	/* What stands behind the options: "[NODE...]"; NULL: nothing. */
	const char *arguments;
	/* For --help, which breaks the lines. */
	const char *purpose;
	const char *notes; /* NULL: none */
	const char *exit_codes;
	/* Its options; the one without a name ends them, NULL: none. */
	const struct tb_command_option *own;
	/* More, which it has together with another subcommand. */
	const struct tb_command_option *shared;
	/* What stands behind the first argument is no option. */
	bool ends_at_argument;
	bool has_json, has_color;
	bool has_binding; /* --bunit and so on, see tb_command_take_binding() */
	/*
	 * Take an option, its value is in optarg.  -1 with a sentence.  data is
	 * tb_command_read()'s.
	 */
	int (*take)(void *data, int option, struct tb_error *err);
	/*
	 * Take what the arguments behind the options say before any of the options
	 * is taken.  -1 with a sentence.  NULL: nothing.
	 */
	int (*begin)(void *data, int count, char **words, struct tb_error *err);
	/*
	 * Take the arguments behind the options, and see whether all of them go
	 * together.  -1 with a sentence.  NULL: there are no arguments.
	 */
	int (*finish)(void *data, int count, char **words,
		      struct tb_error *err);
};

/*
 * Read the command line into command and, by the functions of line, into data.
 * -1: an error was printed.  Where --completion stands alone (for the completion
 * of shells, and in no help), what it offers is printed, and nothing is left to
 * do, as after --help.
 */
int tb_command_read(struct tb_command *command,
		    const struct tb_command_line *line, int argc, char **argv,
		    void *data);

/*
 * For a begin(): take() options from words that stand elsewhere, and no other words;
 * words[0] is not looked at, and NULL ends them.  -1 with a sentence, and in at the
 * word that it is about.
 */
int tb_command_take_words(const struct tb_command_line *line, int count,
			  char **words, void *data, int *at,
			  struct tb_error *err);

/* For a take(), from TB_OPTION_BINDING on.  -1 with a sentence. */
int tb_command_take_binding(struct tb_options *binding, enum tb_source source,
			    int option, struct tb_error *err);

/*
 * For a take(): whole seconds of an option that may go without, up to an hour, from
 * optarg.  -1 with a sentence.
 */
int tb_command_take_seconds(unsigned *seconds, const char *option,
			    unsigned usual, struct tb_error *err);

/* For a finish(): -1 with a sentence where there are arguments. */
int tb_command_no_arguments(int count, char **words, struct tb_error *err);

/* Of this command, "0.1.0". */
extern const char tb_command_release[];

/*
 * What the JSON of all commands begins with.  While it stays, names and what they
 * stand for stay, too, and others may come (topobind(1), JSON).
 */
#define TB_JSON_VERSION 1

/*
 * Print an object as JSON for people and programs, its version first and one final
 * newline; an exit code.  doc/schemas/ has what each command prints.
 */
int tb_command_print_json(const char *command, const json_t *json);

/* A set as JSON string "0-3,8"; NULL when out of memory. */
json_t *tb_command_json_set(const struct tb_bitset *set);

#endif

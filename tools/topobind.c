/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topobind.c - the topobind command: one program, a file per subcommand
 */
#define _GNU_SOURCE /* asprintf */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_help.h"
#include "config-topobind.h"
#include "manual_page.h"
#include "terminal/wrap.h"

/* What the help says has room for 66 columns. */
static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "topology", tb_command_topology,
	  "the topology string of this machine, or of an hwloc file" },
	{ "place", tb_command_place,
	  "place slots on a node offline, as the controller would" },
	{ "map", tb_command_map,
	  "draw the nodes of the cluster: which job holds which core" },
	{ "nodes", tb_command_nodes,
	  "list the nodes: free units of each kind, fragmentation, jobs" },
	{ "job", tb_command_job,
	  "what a job asked for and has, by node and by task" },
	{ "hostfile", tb_command_hostfile,
	  "the slots of a running job as a file for mpirun" },
	{ "explain", tb_command_explain,
	  "why a job waits, and who would have to end for it to start" },
	{ "plan", tb_command_plan,
	  "what a job would get now, or when, without submitting it" },
	{ "policy", tb_command_policy,
	  "what nodes are worth to a job by the priority function" },
	{ "update", tb_command_update,
	  "change the binding of a job that waits" },
	{ "reserve", tb_command_reserve,
	  "reserve units for a time; list, change and delete" },
	{ "soft", tb_command_soft,
	  "soft binding on this node: look, switch it off and on" },
	{ "report", tb_command_report,
	  "how many caches jobs touch and share, on any cluster" },
	{ "whatif", tb_command_whatif,
	  "replay past jobs: what would binding have changed" },
	{ "metrics", tb_command_metrics,
	  "numbers of the cluster for Prometheus" },
	{ "conf", tb_command_conf,
	  "a machine's lines for slurm.conf; --check the configuration" },
	{ "options", tb_command_options_list,
	  "the binding options of sbatch, srun and salloc, their values" },
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	unsigned width = tb_command_help_width();

	tb_print_wrapped("Usage: topobind COMMAND [OPTION...]\n"
			 "\n"
			 "Look at topologies and bindings of sockets, NUMA nodes, caches and cores.\n"
			 "Commands:",
			 0, 0, width);
	for (size_t i = 0; i < COMMANDS; i++)
		tb_print_wrapped(commands[i].summary,
				 (unsigned)printf("  %-10s ", commands[i].name),
				 13, width);
	tb_print_wrapped(
		"\n"
		"\"topobind help COMMAND\": its manual page; COMMAND --help: in short; --version.\n"
		"Exit codes: 0 done, or yes; 1 the answer is no; 2 bad request or failure.",
		0, 0, width);
}

static void print_names(void)
{
	for (size_t i = 0; i < COMMANDS; i++)
		puts(commands[i].name);
}

/* getopt_long() puts argv[0] in front of its messages. */
static int run_command(size_t command, int argc, char **argv)
{
	char *name;
	int rc;

	if (asprintf(&name, "topobind %s", commands[command].name) < 0)
		return tb_command_fail("topobind", "out of memory");
	argv[0] = name;
	rc = commands[command].run(argc, argv);
	free(name);
	return rc;
}

/* COMMANDS: there is none of that name. */
static size_t find_command(const char *name)
{
	size_t i = 0;

	while (i < COMMANDS && strcmp(name, commands[i].name))
		i++;
	return i;
}

static int run_named(int argc, char **argv)
{
	const size_t command = find_command(argv[0]);

	if (command < COMMANDS)
		return run_command(command, argc, argv);
	return tb_command_fail(
		"topobind",
		"\"%.60s\" is not a command; topobind --help lists them",
		argv[0]);
}

static void open_page_of(const char *command)
{
	char *page;

	if (asprintf(&page, "topobind-%s", command) < 0)
		return;
	tb_manual_page_open(page);
	free(page);
}

/* "help"; or "help COMMAND": its manual page, or else "COMMAND --help" */
static int run_help(int argc, char **argv)
{
	static char option[] = "--help";
	char *words[] = { argc > 1 ? argv[1] : NULL, option, NULL };

	if (argc > 2)
		return tb_command_fail("topobind help",
				       "\"%.60s\" is one argument too many",
				       argv[2]);
	if (argc < 2) {
		print_help();
		return TB_EXIT_OK;
	}
	if (find_command(argv[1]) < COMMANDS)
		open_page_of(argv[1]);
	return run_named(2, words);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return !strcmp(word, a) || !strcmp(word, b);
}

static int dispatch_command(int argc, char **argv)
{
	if (argc < 2)
		return tb_command_fail(
			"topobind",
			"no command was given; topobind --help lists them");
	if (is_one_of(argv[1], "--help", "-h")) {
		print_help();
		return TB_EXIT_OK;
	}
	if (!strcmp(argv[1], "help"))
		return run_help(argc - 1, argv + 1);
	if (is_one_of(argv[1], "--version", "-V")) {
		puts(PACKAGE_STRING);
		return TB_EXIT_OK;
	}
	if (!strcmp(argv[1], TB_COMPLETION)) {
		print_names();
		return TB_EXIT_OK;
	}
	return run_named(argc - 1, argv + 1);
}

/*
 * A standard file that is closed stays unusable, but its number is taken: the
 * next file that is opened, Slurm's socket for one, would be written to in its
 * place.
 */
static int occupy_standard_files(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", flags[fd]) != fd)
			return -1;
	return 0;
}

int main(int argc, char **argv)
{
	int rc, write_error;

	if (occupy_standard_files())
		return TB_EXIT_BAD;
	rc = dispatch_command(argc, argv);
	write_error = ferror(stdout);
	if (fclose(stdout) || write_error)
		return tb_command_fail("topobind",
				       "the output cannot be written");
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topobind.c - the topobind command: one program, a file per subcommand
 */
#define _GNU_SOURCE /* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "config-topobind.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "topology", tb_command_topology },
	{ "place", tb_command_place },
	{ "map", tb_command_map },
	{ "nodes", tb_command_nodes },
	{ "job", tb_command_job },
	{ "hostfile", tb_command_hostfile },
	{ "explain", tb_command_explain },
	{ "plan", tb_command_plan },
	{ "soft", tb_command_soft },
	{ "metrics", tb_command_metrics },
};
#define COMMAND_NAMES "topology, place, map, nodes, job, hostfile, explain, plan, soft and metrics"
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(void)
{
	puts("Usage: topobind COMMAND [OPTION...]\n"
	     "\n"
	     "Look at topologies and bindings of sockets, NUMA nodes, caches, cores and\n"
	     "hardware threads.\n"
	     "\n"
	     "Commands:\n"
	     "  topology   print the topology string of this machine, or of an hwloc file\n"
	     "  place      place slots on a node offline, as the controller would\n"
	     "  map        draw the nodes of the cluster: which job holds which core\n"
	     "  nodes      list the nodes: free units of each kind, fragmentation, jobs\n"
	     "  job        show what a job asked for and has, by node and by task\n"
	     "  hostfile   print the slots of a running job as a file for mpirun\n"
	     "  explain    say why a job waits, and who would have to end for it to start\n"
	     "  plan       say what a job would get now, or when, without submitting it\n"
	     "  soft       soft binding on this node: look, switch it off and on\n"
	     "  metrics    print numbers for Prometheus\n"
	     "\n"
	     "Options:\n"
	     "  --help     print this text\n"
	     "  --version  print the version\n"
	     "\n"
	     "\"topobind COMMAND --help\" explains a command, topobind(1) everything.\n"
	     "Exit codes: 0 done, 1 does not fit (place, plan) or there is nothing to explain,\n"
	     "2 bad request or failure.");
}

/* getopt_long() puts argv[0] in front of its messages. */
static int run(size_t command, int argc, char **argv)
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

static int dispatch(int argc, char **argv)
{
	if (argc < 2)
		return tb_command_fail("topobind", "no command was given; the commands are " COMMAND_NAMES ", and --help explains them");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_help();
		return TB_EXIT_OK;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(PACKAGE_STRING);
		return TB_EXIT_OK;
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(argv[1], commands[i].name))
			return run(i, argc - 1, argv + 1);
	return tb_command_fail("topobind", "\"%.60s\" is not a command; the commands are " COMMAND_NAMES,
			       argv[1]);
}

int main(int argc, char **argv)
{
	int rc = dispatch(argc, argv);
	int write_error = ferror(stdout);

	if (fclose(stdout) || write_error)
		return tb_command_fail("topobind", "the output cannot be written");
	return rc;
}

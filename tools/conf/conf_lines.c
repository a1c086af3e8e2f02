/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_lines.c - see conf_lines.h */
#include <stdio.h>
#include <stdlib.h>

#include "conf_lines.h"
#include "core/topology/distances.h"

static bool cores_are_alike(const struct tb_topology *topology)
{
	unsigned cores = tb_topology_cores(topology);

	for (unsigned i = 1; i < cores; i++)
		if (tb_core_threads(topology, i) !=
		    tb_core_threads(topology, 0))
			return false;
	return true;
}

/* As many threads in each. */
static bool sockets_are_alike(const struct tb_topology *topology, char socket)
{
	unsigned sockets = tb_topology_count(topology, socket);
	unsigned start, first, count;

	for (unsigned i = 0; i < sockets; i++) {
		tb_topology_object(topology, socket, i, &start, &count);
		if (i == 0)
			first = count;
		else if (count != first)
			return false;
	}
	return true;
}

struct tb_conf_numbers tb_conf_numbers_of(const struct tb_topology *topology,
					  char socket, bool by_thread)
{
	bool threads = by_thread || !cores_are_alike(topology);
	unsigned cores = threads ? tb_topology_threads(topology)
				 : tb_topology_cores(topology);
	unsigned sockets = tb_topology_count(topology, socket);

	if (!sockets || !sockets_are_alike(topology, socket))
		sockets = 1;
	return (struct tb_conf_numbers){
		.sockets = sockets,
		.cores = cores / sockets,
		.threads = tb_topology_threads(topology) / cores,
		.by_thread = threads,
	};
}

/* What slurmd publishes: nothing where all are equally far. */
static char *print_distances(const struct tb_machine *machine)
{
	const unsigned *distances = tb_machine_distances(machine);
	unsigned count = tb_machine_numa_nodes(machine);

	return distances && tb_distances_differ(distances, count)
		       ? tb_distances_print(distances, count, NULL)
		       : NULL;
}

void tb_conf_lines_make(struct tb_conf_lines *lines,
			const struct tb_machine *machine, bool by_thread)
{
	const struct tb_topology *topology = tb_machine_topology(machine);

	lines->numbers = tb_conf_numbers_of(topology, 'S', by_thread);
	lines->topology = tb_machine_string(machine);
	lines->distances = print_distances(machine);
	lines->speed = tb_machine_speed(machine);
}

void tb_conf_lines_clear(struct tb_conf_lines *lines)
{
	free(lines->distances);
	lines->distances = NULL;
}

static unsigned count_cpus(const struct tb_conf_numbers *numbers)
{
	return numbers->sockets * numbers->cores * numbers->threads;
}

void tb_conf_lines_print(const struct tb_conf_lines *lines)
{
	const struct tb_conf_numbers *numbers = &lines->numbers;

	printf("# slurm.conf: each %s is exclusive\n"
	       "NodeName=%s CPUs=%u Sockets=%u CoresPerSocket=%u ThreadsPerCore=%u",
	       numbers->by_thread ? "hardware thread" : "core", lines->node,
	       count_cpus(numbers), numbers->sockets, numbers->cores,
	       numbers->threads);
	if (lines->memory)
		printf(" RealMemory=%lu", lines->memory);
	printf("\n# topobind.conf: only if slurmd does not publish it\n"
	       "NodeName=%s Topology=%s",
	       lines->node, lines->topology);
	if (lines->distances)
		printf(" Distances=%s", lines->distances);
	if (lines->speed)
		printf(" Speed=%u", lines->speed);
	putchar('\n');
}

static json_t *make_slurm_json(const struct tb_conf_lines *lines)
{
	const struct tb_conf_numbers *numbers = &lines->numbers;
	json_t *json = json_pack("{s:s, s:i, s:i, s:i, s:i}", "NodeName",
				 lines->node, "CPUs", (int)count_cpus(numbers),
				 "Sockets", (int)numbers->sockets,
				 "CoresPerSocket", (int)numbers->cores,
				 "ThreadsPerCore", (int)numbers->threads);

	if (lines->memory)
		json_object_set_new(json, "RealMemory",
				    json_integer((json_int_t)lines->memory));
	return json;
}

static json_t *make_topobind_json(const struct tb_conf_lines *lines)
{
	json_t *json = json_pack("{s:s, s:s}", "NodeName", lines->node,
				 "Topology", lines->topology);

	if (lines->distances)
		json_object_set_new(json, "Distances",
				    json_string(lines->distances));
	if (lines->speed)
		json_object_set_new(json, "Speed", json_integer(lines->speed));
	return json;
}

json_t *tb_conf_lines_json(const struct tb_conf_lines *lines)
{
	return json_pack("{s:s, s:o, s:o}", "exclusive",
			 lines->numbers.by_thread ? "thread" : "core",
			 "slurm.conf", make_slurm_json(lines), "topobind.conf",
			 make_topobind_json(lines));
}

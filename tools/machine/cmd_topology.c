/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_topology.c - topobind topology */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "hwloc/machine.h"
#include "machine_source.h"
#include "map/map.h"
#include "map/map_output.h"
#include "table/table.h"
#include "terminal/wrap.h"

static const struct {
	char letter;
	const char *name;
} letters[] = {
	{ 'N', "NUMA nodes" },	{ 'S', "sockets" },
	{ 'X', "L3 caches" },	{ 'Y', "L2 caches" },
	{ 'C', "power cores" }, { 'E', "efficiency cores" },
	{ 'T', "threads" },
};
#define LETTERS (sizeof(letters) / sizeof(letters[0]))

struct options {
	struct tb_command common;
	struct tb_machine_source source;
	bool map;
	struct tb_map_output output; /* of the map */
};

/* ---- options ---- */

static int take_topology_option(void *data, int option, struct tb_error *err)
{
	struct options *options = data;

	switch (option) {
	case 'm':
		options->map = true;
		return 0;
	case 'S':
	case 't':
		options->map = true;
		return tb_map_take_form(&options->output,
					option == 'S' ? 's' : option, err);
	default:
		tb_machine_source_take(&options->source, option);
		return 0;
	}
}

static int take_topology_arguments(void *data, int count, char **words,
				   struct tb_error *err)
{
	const struct options *options = data;

	if (tb_command_no_arguments(count, words, err) ||
	    tb_machine_source_check(&options->source, err))
		return -1;
	if (options->common.json && options->map)
		return tb_fail(
			err,
			"--json and a drawing (--map, --svg, --html) exclude each other, give one of them");
	return 0;
}

/* 's' is --synthetic. */
static const struct tb_command_option own_options[] = {
	{ NULL, "map", NULL, 'm', "draw the machine" },
	{ NULL, "svg", NULL, 'S', "draw it as a picture" },
	{ NULL, "html", NULL, 't', "draw it as a page for a browser" },
	{ 0 },
};
static const struct tb_command_line usage = {
	.purpose =
		"Print the topology string of this machine, and what it stands for.",
	.notes =
		"The first line of the output is the string. N NUMA node, S socket, X L3 cache, Y L2 cache, C power core, E efficiency core, T hardware thread.",
	.exit_codes = "Exit codes: 0 done, 2 bad option or no topology.",
	.own = own_options,
	.shared = tb_machine_source_options,
	.has_json = true,
	.has_color = true,
	.take = take_topology_option,
	.finish = take_topology_arguments,
};

/* ---- what is printed ---- */

/* A new set of the threads of an object; NULL when out of memory. */
static struct tb_bitset *get_object_threads(const struct tb_topology *topology,
					    char letter, unsigned index)
{
	struct tb_bitset *set = tb_bitset_create(tb_topology_threads(topology));
	unsigned first, count;

	tb_topology_object(topology, letter, index, &first, &count);
	if (set)
		tb_bitset_set_range(set, first, count);
	return set;
}

/* Takes over set; NULL when out of memory. */
static char *print_and_destroy(struct tb_bitset *set)
{
	char *list = set ? tb_bitset_print_list(set) : NULL;

	tb_bitset_destroy(set);
	return list;
}

/* A set of the machine that belongs to a set of threads, such as OS CPUs. */
typedef struct tb_bitset *(*set_of_threads)(const struct tb_machine *machine,
					    const struct tb_bitset *threads);

/* That set for an object, as list "0-3,8"; NULL when out of memory. */
static char *list_of_object(const struct tb_machine *machine, char letter,
			    unsigned index, set_of_threads set_of)
{
	const struct tb_topology *topology = tb_machine_topology(machine);
	struct tb_bitset *threads = get_object_threads(topology, letter, index);
	char *list = threads ? print_and_destroy(set_of(machine, threads))
			     : NULL;

	tb_bitset_destroy(threads);
	return list;
}

static char *list_os_cpus(const struct tb_machine *machine, char letter,
			  unsigned index)
{
	return list_of_object(machine, letter, index,
			      tb_machine_os_cpus_of_threads);
}

static struct tb_bitset *all_memory_of_threads(const struct tb_machine *machine,
					       const struct tb_bitset *threads)
{
	return tb_machine_memory_of_threads(machine, threads, TB_MEMORY_ALL);
}

/* The memory nodes local to an object. */
static char *list_memory(const struct tb_machine *machine, char letter,
			 unsigned index)
{
	return list_of_object(machine, letter, index, all_memory_of_threads);
}

/* An object of a machine, or all of its letter. */
struct object {
	const struct tb_machine *machine;
	char letter;
	const char *name; /* of all */
	unsigned index;
};

enum { NAME, COUNT, OBJECT, OS_CPUS, OS_NODE, MEMORY, DISTANCES, COLUMNS };

static const struct tb_column columns[COLUMNS] = {
	[NAME] = { '\0', "name", "", false },
	[COUNT] = { '\0', "count", "", true },
	[OBJECT] = { '\0', "object", "NUMA nodes", false },
	[OS_CPUS] = { '\0', "cpus", "OS CPUs", false },
	[OS_NODE] = { '\0', "node", "OS node", true },
	[MEMORY] = { '\0', "memory", "memory nodes", true },
	[DISTANCES] = { '\0', "distances", "distances", false },
};

static void print_and_free(char *list, FILE *out)
{
	fputs(list && *list ? list : "-", out);
	free(list);
}

static void print_distances(const struct object *object, FILE *out)
{
	unsigned count = tb_machine_numa_nodes(object->machine);
	const unsigned *distances = tb_machine_distances(object->machine);

	for (unsigned i = 0; distances && i < count; i++)
		fprintf(out, "%s%3u", i ? " " : "",
			distances[object->index * count + i]);
}

static void print_cell(const void *row, unsigned column, FILE *out)
{
	const struct object *object = row;

	switch (column) {
	case NAME:
		fprintf(out, "%c %s", object->letter, object->name);
		break;
	case COUNT:
		fprintf(out, "%u",
			tb_topology_count(tb_machine_topology(object->machine),
					  object->letter));
		break;
	case OBJECT:
		fprintf(out, "  %c%u", object->letter, object->index);
		break;
	case OS_CPUS:
		print_and_free(list_os_cpus(object->machine, object->letter,
					    object->index),
			       out);
		break;
	case OS_NODE:
		fprintf(out, "%u",
			tb_machine_numa_os_node(object->machine,
						object->index));
		break;
	case MEMORY:
		print_and_free(list_memory(object->machine, object->letter,
					   object->index),
			       out);
		break;
	default:
		print_distances(object, out);
	}
}

static const struct tb_table_kind object_table = {
	.columns = columns,
	.ncolumns = COLUMNS,
	.gap = "  ",
	.print = print_cell,
};

/* How many of each letter there are. */
static int print_counts(const struct tb_machine *machine)
{
	struct object all[LETTERS];
	unsigned count = 0;

	for (size_t i = 0; i < LETTERS; i++)
		if (tb_topology_count(tb_machine_topology(machine),
				      letters[i].letter))
			all[count++] = (struct object){ machine,
							letters[i].letter,
							letters[i].name, 0 };
	return tb_table_print_names(&object_table, "name,count", all,
				    sizeof(*all), count, false, stdout);
}

/* Those of some letters.  NULL when out of memory. */
static struct object *list_objects(const struct tb_machine *machine,
				   const char *some, unsigned *count)
{
	const struct tb_topology *topology = tb_machine_topology(machine);
	struct object *objects;

	*count = 0;
	for (const char *letter = some; *letter; letter++)
		*count += tb_topology_count(topology, *letter);
	objects = calloc(*count + 1, sizeof(*objects));
	*count = 0;
	for (const char *letter = some; objects && *letter; letter++)
		for (unsigned i = 0; i < tb_topology_count(topology, *letter);
		     i++)
			objects[(*count)++] = (struct object){ machine, *letter,
							       NULL, i };
	return objects;
}

/* The objects of some letters and what is asked for of each. */
static int print_objects(const struct tb_machine *machine, const char *some,
			 const char *names, bool headings)
{
	unsigned count;
	struct object *objects = list_objects(machine, some, &count);
	int rc = objects ? tb_table_print_names(&object_table, names, objects,
						sizeof(*objects), count,
						headings, stdout)
			 : -1;

	free(objects);
	return rc;
}

static int print_os_cpus(const struct tb_machine *machine)
{
	puts("\nOS CPUs");
	return print_objects(machine, "SNX", "object,cpus", false);
}

/* OS numbers of the NUMA nodes, their memory and distances. */
static int print_numa_nodes(const struct tb_machine *machine)
{
	putchar('\n');
	return print_objects(machine, "N",
			     tb_machine_distances(machine)
				     ? "object,node,memory,distances"
				     : "object,node,memory",
			     true);
}

static const char *const memory_titles[TB_MEMORY_KINDS] = {
	[TB_MEMORY_MAIN] = "Memory",
	[TB_MEMORY_HBM] = "High bandwidth memory (hbm)",
	[TB_MEMORY_CXL] = "Memory behind CXL (cxl)",
	[TB_MEMORY_GPU] = "Memory of GPUs",
	[TB_MEMORY_OTHER] = "Other memory",
};

static char *list_kind(const struct tb_machine *machine, int kind)
{
	return print_and_destroy(
		tb_machine_memory(machine, TB_MEMORY_BIT(kind)));
}

/* All of it, as some may be local to no CPU that may be used. */
static int print_memory(const struct tb_machine *machine)
{
	putchar('\n');
	for (int kind = 0; kind < TB_MEMORY_KINDS; kind++) {
		char *list = list_kind(machine, kind);

		if (!list)
			return -1;
		if (*list || kind == TB_MEMORY_MAIN)
			tb_print_sentence(stdout, "%s on OS nodes %s",
					  memory_titles[kind],
					  *list ? list : "-");
		free(list);
	}
	return 0;
}

static void print_speed(const struct tb_machine *machine)
{
	if (tb_machine_speed(machine))
		printf("\nFastest CPUs: %u MHz\n", tb_machine_speed(machine));
}

static int print_summary(const struct options *options,
			 const struct tb_machine *machine)
{
	printf("%s\n\n", tb_machine_string(machine));
	if (print_counts(machine) || print_os_cpus(machine) ||
	    (tb_machine_numa_nodes(machine) && print_numa_nodes(machine)) ||
	    print_memory(machine))
		return tb_command_fail(options->common.name, "out of memory");
	print_speed(machine);
	return TB_EXIT_OK;
}

static json_t *json_counts(const struct tb_topology *topology)
{
	json_t *counts = json_object();

	for (size_t i = 0; i < LETTERS; i++) {
		const char key[2] = { letters[i].letter, '\0' };

		json_object_set_new(counts, key,
				    json_integer(tb_topology_count(topology,
								   key[0])));
	}
	return counts;
}

static json_t *json_os_cpus(const struct tb_machine *machine)
{
	unsigned threads = tb_topology_threads(tb_machine_topology(machine));
	json_t *os_cpus = json_array();

	for (unsigned i = 0; i < threads; i++)
		json_array_append_new(os_cpus,
				      json_integer(
					      tb_machine_os_cpu(machine, i)));
	return os_cpus;
}

static json_t *json_distance_row(const struct tb_machine *machine,
				 unsigned numa_node)
{
	unsigned count = tb_machine_numa_nodes(machine);
	const unsigned *distances = tb_machine_distances(machine);
	json_t *row = json_array();

	if (!distances) {
		json_decref(row);
		return json_null();
	}
	for (unsigned i = 0; i < count; i++)
		json_array_append_new(row,
				      json_integer(
					      distances[numa_node * count + i]));
	return row;
}

static json_t *json_numa_nodes(const struct tb_machine *machine)
{
	json_t *nodes = json_array();

	for (unsigned i = 0; i < tb_machine_numa_nodes(machine); i++) {
		char *os_cpus = list_os_cpus(machine, 'N', i);
		char *memory = list_memory(machine, 'N', i);

		json_array_append_new(
			nodes,
			json_pack("{s:i, s:s*, s:s*, s:o}", "os_node",
				  (int)tb_machine_numa_os_node(machine, i),
				  "os_cpus", os_cpus, "memory_nodes", memory,
				  "distances", json_distance_row(machine, i)));
		free(os_cpus);
		free(memory);
	}
	return nodes;
}

/* An object: for each kind that there is, the OS nodes with it. */
static json_t *json_memory_kinds(const struct tb_machine *machine)
{
	json_t *kinds = json_object();

	for (int kind = 0; kind < TB_MEMORY_KINDS; kind++) {
		char *list = list_kind(machine, kind);

		if (list && *list)
			json_object_set_new(kinds, tb_memory_kind_name(kind),
					    json_string(list));
		free(list);
	}
	return kinds;
}

static json_t *json_speed(const struct tb_machine *machine)
{
	unsigned speed = tb_machine_speed(machine);

	return speed ? json_integer(speed) : json_null();
}

static int print_machine_json(const struct options *options,
			      const struct tb_machine *machine)
{
	const struct tb_topology *topology = tb_machine_topology(machine);
	char *structured = tb_topology_print_structured(topology, NULL);
	struct tb_bitset *memory = tb_machine_memory(machine, TB_MEMORY_ALL);
	json_t *json = NULL;
	int rc;

	if (structured && memory)
		json = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
				 "topology", tb_machine_string(machine),
				 "structured", structured, "counts",
				 json_counts(topology), "os_cpus",
				 json_os_cpus(machine), "numa_nodes",
				 json_numa_nodes(machine), "memory_nodes",
				 tb_command_json_set(memory), "memory",
				 json_memory_kinds(machine), "speed",
				 json_speed(machine));
	rc = tb_command_print_json(options->common.name, json);
	json_decref(json);
	free(structured);
	tb_bitset_destroy(memory);
	return rc;
}

static int print_map(const struct options *options,
		     const struct tb_machine *machine)
{
	struct tb_map *map = tb_map_create();
	struct tb_error err = { "out of memory" };
	int rc;

	if (options->output.form == TB_MAP_TEXT)
		puts(tb_machine_string(machine));
	if (!map || tb_map_add_node(map, "machine", tb_machine_string(machine),
				    NULL, &err))
		rc = tb_command_fail(options->common.name, "%s", err.text);
	else
		rc = tb_map_print(&options->common, map, &options->output);
	tb_map_destroy(map);
	return rc;
}

int tb_command_topology(int argc, char **argv)
{
	struct options options = { .common.name = argv[0] };
	struct tb_machine *machine;
	struct tb_error err;
	int rc;

	if (tb_command_read(&options.common, &usage, argc, argv, &options))
		return TB_EXIT_BAD;
	if (options.common.done)
		return TB_EXIT_OK;
	machine = tb_machine_source_load(&options.source, tb_machine_load_live,
					 &err);
	if (!machine)
		return tb_command_fail(options.common.name, "%s", err.text);
	if (options.common.json)
		rc = print_machine_json(&options, machine);
	else if (options.map)
		rc = print_map(&options, machine);
	else
		rc = print_summary(&options, machine);
	tb_machine_destroy(machine);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - a machine from hwloc (doc/design.md, "Topology strings")
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "cpu_kinds.h"
#include "machine_private.h"
#include "memory_nodes.h"
#include "survey.h"

/* Where the NUMA node stands in hwloc's matrix; -1 when it does not. */
static int matrix_index(const struct hwloc_distances_s *matrix,
			unsigned os_node)
{
	for (unsigned i = 0; i < matrix->nbobjs; i++)
		if (matrix->objs[i] && matrix->objs[i]->os_index == os_node)
			return i;
	return -1;
}

/* The rows and columns of the N objects; NULL when one is not in the matrix. */
static unsigned *pick_distances(const struct tb_machine *machine,
				const struct hwloc_distances_s *matrix)
{
	unsigned count = machine->numa_nodes;
	unsigned *distances = calloc((size_t)count * count, sizeof(*distances));

	for (unsigned i = 0; distances && i < count * count; i++) {
		int row = matrix_index(matrix,
				       machine->numa_os_nodes[i / count]);
		int column = matrix_index(matrix,
					  machine->numa_os_nodes[i % count]);
		hwloc_uint64_t value;

		if (row < 0 || column < 0) {
			free(distances);
			return NULL;
		}
		value = matrix->values[row * matrix->nbobjs + column];
		distances[i] = value < UINT_MAX ? value : UINT_MAX;
	}
	return distances;
}

static void add_distances(struct tb_machine *machine, hwloc_topology_t hwloc)
{
	struct hwloc_distances_s *matrix;
	unsigned count = 1;

	if (!machine->numa_nodes ||
	    hwloc_distances_get_by_type(hwloc, HWLOC_OBJ_NUMANODE, &count,
					&matrix,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY,
					0) ||
	    !count)
		return;
	machine->distances = pick_distances(machine, matrix);
	hwloc_distances_release(hwloc, matrix);
}

static struct tb_machine *machine_of_survey(struct tb_survey *survey,
					    struct tb_error *err)
{
	struct tb_machine *machine;
	char *text = tb_survey_string(survey);

	if (!text) {
		tb_fail(err, "out of memory while reading the topology");
		return NULL;
	}
	machine = tb_machine_create(text, err);
	free(text);
	if (!machine)
		return NULL;
	memcpy(machine->os_cpus, survey->os_cpus,
	       survey->threads * sizeof(*survey->os_cpus));
	memcpy(machine->numa_os_nodes, survey->numa_os_nodes,
	       survey->numa_nodes * sizeof(*survey->numa_os_nodes));
	add_distances(machine, survey->hwloc);
	machine->speed = tb_cpu_kinds_speed(survey->hwloc);
	if (tb_memory_nodes_add(machine, survey, err) ||
	    tb_machine_finish(machine, err)) {
		tb_machine_destroy(machine);
		return NULL;
	}
	return machine;
}

static struct tb_machine *machine_of_hwloc(hwloc_topology_t hwloc,
					   struct tb_error *err)
{
	struct tb_machine *machine = NULL;
	struct tb_survey survey;

	if (!tb_survey_make(&survey, hwloc, err))
		machine = machine_of_survey(&survey, err);
	tb_survey_clear(&survey);
	return machine;
}

enum source { LIVE, WHOLE, XML, SYNTHETIC };

/*
 * Load hwloc's tree.  Types that can move PUs in the logical order (dies,
 * groups, L1) stay at hwloc's defaults, so that the order is the one that every
 * hwloc user knows; what has no part in it is left out to be quick.
 */
static int load_hwloc(hwloc_topology_t hwloc, enum source source,
		      const char *text)
{
	if (hwloc_topology_set_io_types_filter(hwloc,
					       HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_icache_types_filter(hwloc,
						   HWLOC_TYPE_FILTER_KEEP_NONE) ||
	    hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_MISC,
					   HWLOC_TYPE_FILTER_KEEP_NONE))
		return -1;
	if (source == XML && hwloc_topology_set_xml(hwloc, text))
		return -1;
	if (source == SYNTHETIC && hwloc_topology_set_synthetic(hwloc, text))
		return -1;
	if (source == WHOLE &&
	    hwloc_topology_set_flags(hwloc,
				     HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED))
		return -1;
	if (hwloc_topology_load(hwloc))
		return -1;
	return source == WHOLE ? hwloc_topology_allow(hwloc, NULL, NULL,
						      HWLOC_ALLOW_FLAG_ALL)
			       : 0;
}

static void explain_failure(enum source source, const char *text, int error,
			    struct tb_error *err)
{
	if (source == XML)
		tb_fail(err,
			"cannot load the topology from \"%.200s\": %s; it must be an XML file that hwloc's lstopo wrote",
			text, error ? strerror(error) : "not understood");
	else if (source == SYNTHETIC)
		tb_fail(err,
			"hwloc does not understand the synthetic description \"%.200s\"; an example: \"pack:2 l3:4 core:8 pu:2\"",
			text);
	else
		tb_fail(err,
			"hwloc cannot read the topology of this machine: %s",
			strerror(error));
}

static struct tb_machine *load_machine(enum source source, const char *text,
				       struct tb_error *err)
{
	struct tb_machine *machine = NULL;
	hwloc_topology_t hwloc;

	if (hwloc_topology_init(&hwloc)) {
		tb_fail(err, "out of memory while starting hwloc");
		return NULL;
	}
	errno = 0;
	if (load_hwloc(hwloc, source, text))
		explain_failure(source, text, errno, err);
	else
		machine = machine_of_hwloc(hwloc, err);
	hwloc_topology_destroy(hwloc);
	return machine;
}

struct tb_machine *tb_machine_load_live(struct tb_error *err)
{
	return load_machine(LIVE, NULL, err);
}

struct tb_machine *tb_machine_load_whole(struct tb_error *err)
{
	return load_machine(WHOLE, NULL, err);
}

struct tb_machine *tb_machine_load_xml(const char *path, struct tb_error *err)
{
	return load_machine(XML, path, err);
}

struct tb_machine *tb_machine_load_synthetic(const char *text,
					     struct tb_error *err)
{
	return load_machine(SYNTHETIC, text, err);
}

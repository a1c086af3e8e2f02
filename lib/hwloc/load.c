/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.c - a machine from hwloc (doc/design.md, "Topology strings")
 *
 * In hwloc's tree every object covers a run of PUs in logical order.  So once
 * the PUs are numbered, an object is a range, nesting by cpuset inclusion is
 * nesting of ranges, and the objects sorted by start, size and rank are the
 * topology string from left to right.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "machine_private.h"

#define NO_THREAD UINT_MAX

/* A core slower than this share of the fastest is an efficiency core. */
#define EFFICIENCY_PERCENT 85

struct object {
	char letter;
	unsigned rank; /* N S X Y C T: who is outside when the ranges are equal */
	unsigned first, count; /* threads */
	unsigned os_node;      /* of an N */
};

/* What is gathered from hwloc before the string exists. */
struct survey {
	hwloc_topology_t hwloc;
	unsigned *thread_of_os_cpu; /* NO_THREAD where not allowed */
	unsigned os_cpu_limit;
	unsigned *os_cpus; /* per thread */
	unsigned threads;
	hwloc_bitmap_t efficient; /* OS CPUs of efficiency cores */
	struct object *objects;
	unsigned nobjects;
	unsigned *numa_os_nodes; /* per N in string order */
	unsigned numa_nodes;
};

static void survey_clear(struct survey *survey)
{
	free(survey->thread_of_os_cpu);
	free(survey->os_cpus);
	free(survey->objects);
	free(survey->numa_os_nodes);
	hwloc_bitmap_free(survey->efficient);
}

/* Number the allowed PUs in hwloc's logical order. */
static int survey_threads(struct survey *survey, struct tb_error *err)
{
	hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(
		survey->hwloc);
	int last = hwloc_bitmap_last(allowed);
	hwloc_obj_t pu = NULL;

	if (last < 0)
		return tb_fail(
			err,
			"no CPU may be used: hwloc's set of allowed CPUs is empty or has no end");
	if (last >= TB_MACHINE_OS_MAX)
		return tb_fail(
			err,
			"OS CPU number %d is too large, numbers up to %d are supported",
			last, TB_MACHINE_OS_MAX - 1);
	survey->os_cpu_limit = (unsigned)last + 1;
	survey->thread_of_os_cpu = calloc(survey->os_cpu_limit,
					  sizeof(*survey->thread_of_os_cpu));
	survey->os_cpus = calloc(survey->os_cpu_limit,
				 sizeof(*survey->os_cpus));
	if (!survey->thread_of_os_cpu || !survey->os_cpus)
		return tb_fail(err, "out of memory while reading the topology");
	for (unsigned i = 0; i < survey->os_cpu_limit; i++)
		survey->thread_of_os_cpu[i] = NO_THREAD;
	while ((pu = hwloc_get_next_obj_by_type(survey->hwloc, HWLOC_OBJ_PU,
						pu))) {
		if (!hwloc_bitmap_isset(allowed, pu->os_index))
			continue;
		survey->thread_of_os_cpu[pu->os_index] = survey->threads;
		survey->os_cpus[survey->threads++] = pu->os_index;
	}
	if (!survey->threads)
		return tb_fail(
			err,
			"no CPU may be used: hwloc's set of allowed CPUs names none that exists");
	return 0;
}

/* The value of a number among a kind's infos; 0 when it is not there. */
static unsigned long kind_number(hwloc_topology_t hwloc, unsigned kind,
				 hwloc_bitmap_t os_cpus, const char *name)
{
	struct hwloc_info_s *infos;
	unsigned ninfos;

	if (hwloc_cpukinds_get_info(hwloc, kind, os_cpus, NULL, &ninfos, &infos,
				    0))
		return 0;
	for (unsigned i = 0; i < ninfos; i++)
		if (!strcmp(infos[i].name, name))
			return strtoul(infos[i].value, NULL, 10);
	return 0;
}

static bool kind_is_atom(hwloc_topology_t hwloc, unsigned kind,
			 hwloc_bitmap_t os_cpus)
{
	struct hwloc_info_s *infos;
	unsigned ninfos;

	if (hwloc_cpukinds_get_info(hwloc, kind, os_cpus, NULL, &ninfos, &infos,
				    0))
		return false;
	for (unsigned i = 0; i < ninfos; i++)
		if (!strcmp(infos[i].name, "CoreType") &&
		    !strcmp(infos[i].value, "IntelAtom"))
			return true;
	return false;
}

static unsigned long largest_number(hwloc_topology_t hwloc, unsigned nkinds,
				    const char *name)
{
	unsigned long largest = 0;

	for (unsigned i = 0; i < nkinds; i++) {
		unsigned long number = kind_number(hwloc, i, NULL, name);

		if (number > largest)
			largest = number;
	}
	return largest;
}

/*
 * Add the kinds whose number is clearly below the largest.  False when no kind
 * has such a number.
 */
static bool add_slow_kinds(struct survey *survey, unsigned nkinds,
			   hwloc_bitmap_t os_cpus, const char *name)
{
	unsigned long largest = largest_number(survey->hwloc, nkinds, name);

	for (unsigned i = 0; i < nkinds; i++) {
		unsigned long number = kind_number(survey->hwloc, i, os_cpus,
						   name);

		if (number &&
		    (double)number * 100 < (double)largest * EFFICIENCY_PERCENT)
			hwloc_bitmap_or(survey->efficient, survey->efficient,
					os_cpus);
	}
	return largest > 0;
}

/*
 * Which OS CPUs belong to efficiency cores.  Never by the maximum frequency
 * alone: it tells favoured cores from others of the same kind.
 */
static int survey_efficiency(struct survey *survey, struct tb_error *err)
{
	int nkinds = hwloc_cpukinds_get_nr(survey->hwloc, 0);
	hwloc_bitmap_t os_cpus = hwloc_bitmap_alloc();
	bool found = false;

	survey->efficient = hwloc_bitmap_alloc();
	if (!os_cpus || !survey->efficient) {
		hwloc_bitmap_free(os_cpus);
		return tb_fail(err, "out of memory while reading the topology");
	}
	for (int i = 0; i < nkinds; i++) {
		if (!kind_is_atom(survey->hwloc, i, os_cpus))
			continue;
		hwloc_bitmap_or(survey->efficient, survey->efficient, os_cpus);
		found = true;
	}
	if (nkinds > 0 && !found &&
	    !add_slow_kinds(survey, nkinds, os_cpus, "LinuxCapacity"))
		add_slow_kinds(survey, nkinds, os_cpus, "FrequencyBaseMHz");
	hwloc_bitmap_free(os_cpus);
	return 0;
}

/*
 * The range of allowed threads under a cpuset.  False when there are none, or
 * when they are not one run: such a set crosses hwloc's tree, and nesting
 * cannot show it.
 */
static bool range_of(const struct survey *survey, hwloc_const_bitmap_t cpuset,
		     struct object *object)
{
	unsigned first = NO_THREAD, last = 0, count = 0;

	for (int os_cpu = hwloc_bitmap_first(cpuset);
	     os_cpu >= 0 && (unsigned)os_cpu < survey->os_cpu_limit;
	     os_cpu = hwloc_bitmap_next(cpuset, os_cpu)) {
		unsigned thread = survey->thread_of_os_cpu[os_cpu];

		if (thread == NO_THREAD)
			continue;
		if (thread < first)
			first = thread;
		if (thread > last)
			last = thread;
		count++;
	}
	object->first = first;
	object->count = count;
	return count > 0 && last - first + 1 == count;
}

static bool ranges_cross(const struct object *a, const struct object *b)
{
	unsigned a_end = a->first + a->count, b_end = b->first + b->count;

	return (a->first < b->first && b->first < a_end && a_end < b_end) ||
	       (b->first < a->first && a->first < b_end && b_end < a_end);
}

static bool crosses_any(const struct survey *survey,
			const struct object *object)
{
	for (unsigned i = 0; i < survey->nobjects; i++)
		if (ranges_cross(&survey->objects[i], object))
			return true;
	return false;
}

static const struct {
	hwloc_obj_type_t type;
	char letter;
	unsigned rank;
} object_types[] = {
	{ HWLOC_OBJ_PACKAGE, 'S', 1 },
	{ HWLOC_OBJ_L3CACHE, 'X', 2 },
	{ HWLOC_OBJ_L2CACHE, 'Y', 3 },
	{ HWLOC_OBJ_CORE, 'C', 4 },
	{ HWLOC_OBJ_PU, 'T', 5 },
	/* Last: only NUMA nodes can cross others, and then they give way. */
	{ HWLOC_OBJ_NUMANODE, 'N', 0 },
};
#define OBJECT_TYPES (sizeof(object_types) / sizeof(object_types[0]))
#define RANK_OF_SOCKET 1

static void add_objects_of_type(struct survey *survey, unsigned type)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(survey->hwloc,
						 object_types[type].type,
						 obj))) {
		struct object object = {
			.letter = object_types[type].letter,
			.rank = object_types[type].rank,
			.os_node = obj->os_index,
		};

		if (!range_of(survey, obj->cpuset, &object))
			continue;
		if (object.letter == 'N' && crosses_any(survey, &object))
			continue;
		if (object.letter == 'C' &&
		    hwloc_bitmap_isincluded(obj->cpuset, survey->efficient))
			object.letter = 'E';
		survey->objects[survey->nobjects++] = object;
	}
}

/* From left to right, outer before inner. */
static int compare_objects(const void *left, const void *right)
{
	const struct object *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	/* NUMA nodes with the same threads: the kernel's first one counts. */
	return (a->os_node > b->os_node) - (a->os_node < b->os_node);
}

static bool same_object(const struct object *a, const struct object *b)
{
	return a->rank == b->rank && a->first == b->first &&
	       a->count == b->count;
}

static int survey_objects(struct survey *survey, struct tb_error *err)
{
	size_t room = 1; /* the socket of a machine that has none */
	unsigned kept = 0;

	for (size_t i = 0; i < OBJECT_TYPES; i++)
		room += hwloc_get_nbobjs_by_type(survey->hwloc,
						 object_types[i].type);
	survey->objects = calloc(room, sizeof(*survey->objects));
	if (!survey->objects)
		return tb_fail(err, "out of memory while reading the topology");
	for (size_t i = 0; i < OBJECT_TYPES; i++) {
		add_objects_of_type(survey, i);
		if (object_types[i].letter == 'S' && !survey->nobjects)
			survey->objects[survey->nobjects++] = (struct object){
				.letter = 'S',
				.rank = RANK_OF_SOCKET,
				.count = survey->threads,
			};
	}
	qsort(survey->objects, survey->nobjects, sizeof(*survey->objects),
	      compare_objects);
	for (unsigned i = 0; i < survey->nobjects; i++)
		if (!kept || !same_object(&survey->objects[kept - 1],
					  &survey->objects[i]))
			survey->objects[kept++] = survey->objects[i];
	survey->nobjects = kept;
	return 0;
}

/* A thread outside any core is a core of its own. */
static void print_lone_thread(const struct survey *survey,
			      const struct object *thread, FILE *out)
{
	bool slow = hwloc_bitmap_isset(survey->efficient,
				       survey->os_cpus[thread->first]);

	fputs(slow ? "(E(T))" : "(C(T))", out);
}

/*
 * Write the structured string and note the N objects in its order.  ends[] is
 * a stack with the end of every open object.
 */
static void print_objects(struct survey *survey, unsigned *ends, FILE *out)
{
	unsigned open = 0, core_end = 0;

	for (unsigned i = 0; i < survey->nobjects; i++) {
		const struct object *object = &survey->objects[i];
		bool in_core = object->first < core_end;

		for (; open && ends[open - 1] <= object->first; open--)
			fputc(')', out);
		if (object->letter == 'T') {
			if (in_core)
				fputs("(T)", out);
			else
				print_lone_thread(survey, object, out);
			continue;
		}
		if (in_core)
			continue;
		if (object->letter == 'C' || object->letter == 'E')
			core_end = object->first + object->count;
		if (object->letter == 'N')
			survey->numa_os_nodes[survey->numa_nodes++] =
				object->os_node;
		fprintf(out, "(%c", object->letter);
		ends[open++] = object->first + object->count;
	}
	for (; open; open--)
		fputc(')', out);
}

/* The topology string, malloc()ed; NULL when out of memory. */
static char *survey_string(struct survey *survey)
{
	unsigned *ends = calloc(survey->nobjects, sizeof(*ends));
	char *text = NULL;
	size_t size = 0;
	FILE *out = NULL;

	survey->numa_os_nodes = calloc(survey->nobjects,
				       sizeof(*survey->numa_os_nodes));
	if (ends && survey->numa_os_nodes)
		out = open_memstream(&text, &size);
	if (out) {
		print_objects(survey, ends, out);
		if (fclose(out)) {
			free(text);
			text = NULL;
		}
	}
	free(ends);
	return text;
}

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

static void add_speed(struct tb_machine *machine, hwloc_topology_t hwloc)
{
	int nkinds = hwloc_cpukinds_get_nr(hwloc, 0);
	unsigned long speed;

	if (nkinds <= 0)
		return;
	speed = largest_number(hwloc, nkinds, "FrequencyBaseMHz");
	if (!speed)
		speed = largest_number(hwloc, nkinds, "FrequencyMaxMHz");
	machine->speed = speed < UINT_MAX ? speed : UINT_MAX;
}

/* Some sources tell no sizes; then every node is taken to have memory. */
static bool memory_sizes_are_known(hwloc_topology_t hwloc)
{
	hwloc_obj_t node = NULL;

	while ((node = hwloc_get_next_obj_by_type(hwloc, HWLOC_OBJ_NUMANODE,
						  node)))
		if (node->attr->numanode.local_memory)
			return true;
	return false;
}

/* What hwloc calls memory that is not, or not only, the main memory. */
static const struct {
	const char *subtype;
	enum tb_memory_kind kind;
} memory_subtypes[] = {
	{ "DRAM", TB_MEMORY_MAIN },   { "HBM", TB_MEMORY_HBM },
	{ "MCDRAM", TB_MEMORY_HBM },  { "CXL-DRAM", TB_MEMORY_CXL },
	{ "CXL-NVM", TB_MEMORY_CXL }, { "GPUMemory", TB_MEMORY_GPU },
};

static enum tb_memory_kind kind_of_node(hwloc_obj_t node)
{
	const size_t count = sizeof(memory_subtypes) /
			     sizeof(memory_subtypes[0]);

	if (!node->subtype)
		return TB_MEMORY_MAIN;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(node->subtype, memory_subtypes[i].subtype))
			return memory_subtypes[i].kind;
	return TB_MEMORY_OTHER;
}

/*
 * Where no node has main memory, that of the first one is it: a processor with HBM
 * only.  hwloc 2.12 can say which nodes the kernel takes first; the subtypes are
 * what older ones know, too, so that a node does not change with its hwloc.
 */
static void choose_main_memory(struct tb_machine *machine)
{
	struct tb_memory_node *first = NULL;
	enum tb_memory_kind kind;

	for (unsigned i = 0; i < machine->memory_nodes; i++) {
		struct tb_memory_node *memory = &machine->memory[i];

		if (memory->kind == TB_MEMORY_MAIN)
			return;
		if (!tb_bitset_is_empty(memory->threads) &&
		    (!first || memory->os_node < first->os_node))
			first = memory;
	}
	if (!first)
		return;
	kind = first->kind;
	for (unsigned i = 0; i < machine->memory_nodes; i++)
		if (machine->memory[i].kind == kind) {
			machine->memory[i].kind = TB_MEMORY_MAIN;
			machine->memory[i].has_address = false;
		}
}

/* What hwloc tells of a node beside its threads and its kind. */
static void set_details(struct tb_memory_node *memory, hwloc_obj_t node)
{
	const char *address = hwloc_obj_get_info_by_name(node, "PCIBusID");

	memory->size = node->attr->numanode.local_memory >> 20;
	memory->has_address = memory->kind == TB_MEMORY_GPU && address &&
			      tb_pci_address_parse(address, strlen(address),
						   &memory->address);
}

static int add_memory(struct tb_machine *machine, const struct survey *survey,
		      struct tb_error *err)
{
	bool sizes_known = memory_sizes_are_known(survey->hwloc);
	struct tb_bitset *threads = tb_bitset_create(survey->threads);
	hwloc_obj_t node = NULL;
	int rc = 0;

	if (!threads)
		return tb_fail(err, "out of memory while reading the topology");
	while (!rc &&
	       (node = hwloc_get_next_obj_by_type(survey->hwloc,
						  HWLOC_OBJ_NUMANODE, node))) {
		if (sizes_known && !node->attr->numanode.local_memory)
			continue;
		tb_bitset_clear_all(threads);
		for (unsigned i = 0; i < survey->threads; i++)
			if (hwloc_bitmap_isset(node->cpuset,
					       survey->os_cpus[i]))
				tb_bitset_set(threads, i);
		rc = tb_machine_add_memory(machine, node->os_index,
					   kind_of_node(node), threads, err);
		if (!rc)
			set_details(&machine->memory[machine->memory_nodes - 1],
				    node);
	}
	tb_bitset_destroy(threads);
	choose_main_memory(machine);
	return rc;
}

static struct tb_machine *machine_of_survey(struct survey *survey,
					    struct tb_error *err)
{
	struct tb_machine *machine;
	char *text = survey_string(survey);

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
	add_speed(machine, survey->hwloc);
	if (add_memory(machine, survey, err) ||
	    tb_machine_finish(machine, err)) {
		tb_machine_destroy(machine);
		return NULL;
	}
	return machine;
}

static struct tb_machine *machine_of_hwloc(hwloc_topology_t hwloc,
					   struct tb_error *err)
{
	struct survey survey = { .hwloc = hwloc };
	struct tb_machine *machine = NULL;

	if (!survey_threads(&survey, err) && !survey_efficiency(&survey, err) &&
	    !survey_objects(&survey, err))
		machine = machine_of_survey(&survey, err);
	survey_clear(&survey);
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

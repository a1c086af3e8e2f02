/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In hwloc's tree every object covers a run of PUs in logical order.  So once
 * the PUs are numbered, an object is a range, nesting by cpuset inclusion is
 * nesting of ranges, and the objects sorted by start, size and rank are the
 * topology string from left to right.
 */
#include "survey.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_kinds.h"
#include "machine.h"

#define NO_THREAD UINT_MAX

void tb_survey_clear(struct tb_survey *survey)
{
	free(survey->thread_of_os_cpu);
	free(survey->os_cpus);
	free(survey->objects);
	free(survey->numa_os_nodes);
	hwloc_bitmap_free(survey->efficient);
}

/* Number the allowed PUs in hwloc's logical order. */
static int survey_threads(struct tb_survey *survey, struct tb_error *err)
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

/*
 * The range of allowed threads under a cpuset.  False when there are none, or
 * when they are not one run: such a set crosses hwloc's tree, and nesting
 * cannot show it.
 */
static bool range_of(const struct tb_survey *survey,
		     hwloc_const_bitmap_t cpuset,
		     struct tb_survey_object *object)
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

static bool ranges_cross(const struct tb_survey_object *a,
			 const struct tb_survey_object *b)
{
	unsigned a_end = a->first + a->count, b_end = b->first + b->count;

	return (a->first < b->first && b->first < a_end && a_end < b_end) ||
	       (b->first < a->first && a->first < b_end && b_end < a_end);
}

static bool crosses_any(const struct tb_survey *survey,
			const struct tb_survey_object *object)
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

static void add_objects_of_type(struct tb_survey *survey, unsigned type)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(survey->hwloc,
						 object_types[type].type,
						 obj))) {
		struct tb_survey_object object = {
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
	const struct tb_survey_object *a = left, *b = right;

	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	/* NUMA nodes with the same threads: the kernel's first one counts. */
	return (a->os_node > b->os_node) - (a->os_node < b->os_node);
}

static bool same_object(const struct tb_survey_object *a,
			const struct tb_survey_object *b)
{
	return a->rank == b->rank && a->first == b->first &&
	       a->count == b->count;
}

static int survey_objects(struct tb_survey *survey, struct tb_error *err)
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
			survey->objects[survey->nobjects++] =
				(struct tb_survey_object){
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
static void print_lone_thread(const struct tb_survey *survey,
			      const struct tb_survey_object *thread, FILE *out)
{
	bool slow = hwloc_bitmap_isset(survey->efficient,
				       survey->os_cpus[thread->first]);

	fputs(slow ? "(E(T))" : "(C(T))", out);
}

/*
 * Write the structured string and note the N objects in its order.  ends[] is
 * a stack with the end of every open object.
 */
static void print_objects(struct tb_survey *survey, unsigned *ends, FILE *out)
{
	unsigned open = 0, core_end = 0;

	for (unsigned i = 0; i < survey->nobjects; i++) {
		const struct tb_survey_object *object = &survey->objects[i];
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

char *tb_survey_string(struct tb_survey *survey)
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

int tb_survey_make(struct tb_survey *survey, hwloc_topology_t hwloc,
		   struct tb_error *err)
{
	*survey = (struct tb_survey){ .hwloc = hwloc,
				      .efficient = tb_cpu_kinds_efficient(
					      hwloc) };
	if (!survey->efficient)
		return tb_fail(err, "out of memory while reading the topology");
	return survey_threads(survey, err) || survey_objects(survey, err) ? -1
									  : 0;
}

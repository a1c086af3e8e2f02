/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

enum tb_class tb_class_of_letter(char letter)
{
	switch (letter) {
	case 'N':
		return TB_CLASS_N;
	case 'S':
		return TB_CLASS_S;
	case 'X':
		return TB_CLASS_X;
	case 'Y':
		return TB_CLASS_Y;
	case 'C':
	case 'E':
		return TB_CLASS_CORE;
	case 'T':
		return TB_CLASS_THREAD;
	default:
		return TB_CLASSES;
	}
}

enum tb_class tb_class_of_unit(const struct tb_topology *topology,
			       struct tb_unit unit)
{
	enum tb_class class = tb_class_of_letter(unit.letter);
	bool present = tb_run_below(topology, 0, class).count > 0;

	if (present || class == TB_CLASS_S || class >= TB_CLASS_CORE)
		return class;
	return class == TB_CLASS_Y ? TB_CLASS_CORE : TB_CLASS_S;
}

struct tb_run tb_threads_of_object(const struct tb_topology *topology,
				   enum tb_class class, uint32_t object)
{
	if (class == TB_CLASS_THREAD)
		return (struct tb_run){ object, 1 };
	return tb_run_below(topology, topology->objects[class][object],
			    TB_CLASS_THREAD);
}

uint32_t tb_object_after(const struct tb_topology *topology,
			 enum tb_class class, uint32_t object)
{
	uint32_t node;

	if (class >= TB_CLASS_CORE)
		return object + 1;
	node = topology->objects[class][object];
	return topology->nodes[topology->nodes[node].end].before[class];
}

bool tb_object_has_kind(const struct tb_topology *topology, enum tb_class class,
			uint32_t object, enum tb_core_kind kind)
{
	if (class == TB_CLASS_THREAD)
		return tb_bitset_test(topology->kind_threads[kind], object);
	return topology->nodes[topology->objects[class][object]].kinds &
	       1u << kind;
}

bool tb_object_is_free(const struct tb_topology *topology, enum tb_class class,
		       uint32_t object, enum tb_core_kind kind,
		       const struct tb_bitset *used)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);

	return tb_object_has_kind(topology, class, object, kind) &&
	       !(used &&
		 tb_bitset_intersects_range(used, topology->kind_threads[kind],
					    run.first, run.count));
}

bool tb_object_runs_tasks(const struct tb_topology *topology,
			  enum tb_class class, uint32_t object,
			  enum tb_core_kind kind,
			  const struct tb_bitset *masked)
{
	struct tb_run run = tb_threads_of_object(topology, class, object);
	uint32_t end = run.first + run.count;
	uint32_t thread = run.first;

	if (!tb_object_has_kind(topology, class, object, kind))
		return false;
	if (!masked)
		return true;
	while ((thread = tb_bitset_next(topology->kind_threads[kind], thread)) <
		       end &&
	       tb_bitset_test(masked, thread))
		thread++;
	return thread < end;
}

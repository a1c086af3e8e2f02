/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include "core/topology/tree.h"

/* No unit has these threads. */
static const struct tb_thread_use no_unit = { .first = 1, .last = 0 };

static bool has_any(const struct tb_thread_use *use)
{
	return use->last == TB_SHARE_ANY;
}

static bool is_same_unit(const struct tb_thread_use *a,
			 const struct tb_thread_use *b)
{
	return a->first == b->first && a->last == b->last;
}

void tb_share_join(struct tb_thread_use *use, const struct tb_thread_use *own)
{
	if (!use->jobs || has_any(use)) {
		use->first = own->first;
		use->last = own->last;
	}
	if (use->jobs == TB_SHARE_NEVER || own->jobs == TB_SHARE_NEVER ||
	    (!has_any(own) && !is_same_unit(use, own)))
		use->jobs = TB_SHARE_NEVER;
	else
		use->jobs++;
}

unsigned tb_share_whole(const struct tb_thread_use *use, unsigned threads,
			bool turns)
{
	const struct tb_thread_use whole = { .last = (uint16_t)(threads - 1) };
	unsigned most = 0;

	for (unsigned i = 0; i < threads; i++) {
		if (!use[i].jobs)
			continue;
		if (!turns && !is_same_unit(&use[i], &whole))
			return TB_SHARE_NEVER;
		most = use[i].jobs > most ? use[i].jobs : most;
	}
	return most;
}

static void mark_unit(const struct tb_bitset *of_kind, struct tb_run run,
		      struct tb_thread_use *use)
{
	unsigned end = run.first + run.count;

	for (unsigned thread = run.first; thread < end; thread++) {
		if (!tb_bitset_test(of_kind, thread))
			continue;
		use[thread].first = (uint16_t)run.first;
		use[thread].last = (uint16_t)(end - 1);
	}
}

void tb_share_mark(const struct tb_topology *topology, struct tb_unit unit,
		   const struct tb_bitset *others, struct tb_thread_use *use)
{
	enum tb_class class = tb_class_of_unit(topology, unit);
	uint32_t objects = tb_run_below(topology, 0, class).count;

	for (unsigned thread = 0; thread < topology->nthreads; thread++) {
		if (tb_bitset_test(others, thread))
			continue;
		use[thread].first = no_unit.first;
		use[thread].last = no_unit.last;
	}
	for (uint32_t i = 0; i < objects;) {
		if (!tb_object_is_free(topology, class, i, unit.kind, others)) {
			i++;
			continue;
		}
		mark_unit(topology->kind_threads[unit.kind],
			  tb_threads_of_object(topology, class, i), use);
		i = tb_object_after(topology, class, i);
	}
}

/*
 * Is there an object with exactly these threads?  Objects are in the order of
 * their first threads, and callers mostly ask in that order too: *next is where
 * the next search begins.
 */
static bool is_whole_object(const struct tb_topology *topology,
			    enum tb_class class,
			    const struct tb_thread_use *unit, uint32_t *next)
{
	uint32_t objects = tb_run_below(topology, 0, class).count;

	if (*next >= objects ||
	    tb_threads_of_object(topology, class, *next).first > unit->first)
		*next = 0;
	while (*next < objects &&
	       tb_threads_of_object(topology, class, *next).first < unit->first)
		++*next;
	for (uint32_t i = *next; i < objects; i++) {
		struct tb_run run = tb_threads_of_object(topology, class, i);

		if (run.first != unit->first)
			return false;
		if (run.first + run.count - 1 == unit->last)
			return true;
	}
	return false;
}

/* Do objects of the class lie inside others of it? */
static bool class_is_nested(const struct tb_topology *topology,
			    enum tb_class class)
{
	unsigned levels = 0;

	for (uint32_t i = 0; i < topology->nlevels; i++)
		levels += tb_class_of_letter(topology->levels[i].letter) ==
			  class;
	return levels > 1;
}

void tb_share_only_units(const struct tb_topology *topology,
			 struct tb_unit unit, struct tb_thread_use *use)
{
	enum tb_class class = tb_class_of_unit(topology, unit);
	bool nested = class_is_nested(topology, class);
	uint32_t next = 0;

	for (unsigned thread = 0; thread < topology->nthreads; thread++) {
		struct tb_thread_use *thread_use = &use[thread];

		if (!thread_use->jobs || thread_use->jobs == TB_SHARE_NEVER ||
		    has_any(thread_use))
			continue;
		if (nested ||
		    !is_whole_object(topology, class, thread_use, &next))
			thread_use->jobs = TB_SHARE_NEVER;
	}
}

void tb_share_used(const struct tb_thread_use *use, unsigned limit,
		   struct tb_bitset *used)
{
	tb_bitset_clear_all(used);
	for (unsigned thread = 0; thread < used->nbits; thread++)
		if (use[thread].jobs >= limit)
			tb_bitset_set(used, thread);
}

unsigned tb_share_next_level(const struct tb_thread_use *use, unsigned threads,
			     unsigned level)
{
	unsigned next = TB_SHARE_NEVER;

	for (unsigned thread = 0; thread < threads; thread++)
		if (use[thread].jobs > level && use[thread].jobs < next)
			next = use[thread].jobs;
	return next;
}

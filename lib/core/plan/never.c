/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "never.h"

#include <stdlib.h>
#include <string.h>

#include "core/place/listed.h"
#include "core/request/parts.h"

#include "blockers.h"

/* So much of a list of CPUs is told. */
#define CPUS_TOLD 100

/*
 * On an idle node, but for what is taken and masked.  A thread counts as a CPU.  True also
 * where memory is short.
 */
static bool slot_fits(const struct tb_request *request, unsigned task_threads,
		      const struct tb_topology *topology,
		      const struct tb_bitset *taken,
		      const struct tb_bitset *masked)
{
	struct tb_used_node node = {
		.topology = topology,
		.placer = tb_placer_create(topology),
		.books = { .by_thread = true,
			   .threads_per_core = 1,
			   .cpus_per_core = 1 },
		.most_cpus = UINT32_MAX,
		.reserved = taken,
		.masked = masked,
	};
	struct tb_need need = {
		.request = request,
		.asked = { .tasks = 1,
			   .min_nodes = 1,
			   .max_nodes = 1,
			   .task_cpus = task_threads },
	};
	struct tb_blockers *blockers = NULL;
	bool fits;

	if (node.placer)
		blockers = tb_blockers_create(&need, &node, 1, NULL, 0);
	fits = !blockers || tb_blockers_fits(blockers);
	tb_blockers_destroy(blockers);
	tb_placer_destroy(node.placer);
	return fits;
}

/* Of the last part; *enough: of each as many as a slot has. */
static unsigned count_units_of_parts(const struct tb_request *request,
				     const struct tb_topology *topology,
				     const struct tb_bitset *taken,
				     const struct tb_bitset *masked,
				     bool *enough)
{
	unsigned units = 0;

	*enough = true;
	for (unsigned i = 0; i < tb_request_part_count(request); i++) {
		struct tb_units part = tb_request_part(request, i);

		units = tb_units_available(topology, part.unit, taken, masked);
		*enough = *enough && units >= part.amount;
	}
	return units;
}

/* How many units, or threads of a list; *enough: as many as a slot has. */
static unsigned count_units(const struct tb_request *request,
			    const struct tb_topology *topology,
			    const struct tb_bitset *taken,
			    const struct tb_bitset *masked, bool *enough)
{
	struct tb_bitset *threads;
	unsigned units;

	if (!request->cpus)
		return count_units_of_parts(request, topology, taken, masked,
					    enough);
	units = tb_topology_threads(topology);
	threads = tb_bitset_create(units);
	/* Numbers of the OS that nobody knows may be right. */
	*enough = !threads || tb_listed_threads(request, topology, threads) !=
				      TB_LISTED_SOME;
	tb_bitset_destroy(threads);
	return units;
}

static void look_at_units(struct tb_never *never,
			  const struct tb_request *request,
			  unsigned task_threads, const char *name,
			  const struct tb_topology *topology,
			  const struct tb_bitset *taken,
			  const struct tb_bitset *masked)
{
	struct tb_text copy = TB_TEXT_EMPTY;
	bool enough;
	unsigned units = count_units(request, topology, taken, masked, &enough);

	never->shaped++;
	never->enough += enough;
	if (enough)
		never->possible = slot_fits(request, task_threads, topology,
					    taken, masked);
	if (units <= never->most)
		return;
	never->most = units;
	free(never->name);
	tb_text_add(&copy, name);
	never->name = tb_text_take(&copy);
}

void tb_never_look(struct tb_never *never, const struct tb_request *request,
		   unsigned task_threads, const char *name,
		   const struct tb_topology *topology,
		   const struct tb_bitset *taken,
		   const struct tb_bitset *masked)
{
	struct tb_bitset *all;

	if (!topology) {
		never->unknown++;
		return;
	}
	never->nodes++;
	if (never->possible || !tb_request_matches(request, topology) ||
	    (request->filter && !tb_filter_matches(request->filter, topology)))
		return;
	all = tb_bitset_create(tb_topology_threads(topology));
	if (!all) {
		never->possible = true;
		return;
	}
	if (masked)
		tb_bitset_or(all, masked);
	if (request->filter)
		tb_filter_add(request->filter, topology, all);
	look_at_units(never, request, task_threads, name, topology, taken, all);
	tb_bitset_destroy(all);
}

/* ---- the sentence ---- */

static void add_cpus(struct tb_text *text, const struct tb_request *request)
{
	char *list = tb_request_print_cpus(request);

	if (list && strlen(list) > CPUS_TOLD)
		list[CPUS_TOLD] = '\0';
	tb_text_add(text, "CPUs ");
	tb_text_add(text, list ? list : "");
	free(list);
}

void tb_never_add_units(struct tb_text *text, const struct tb_request *request)
{
	char *units;

	if (request->cpus) {
		add_cpus(text, request);
		return;
	}
	units = tb_request_print_units(request, "");
	tb_text_add(text, units ? units : "");
	free(units);
}

static void add_most(struct tb_text *text, const struct tb_never *never,
		     const struct tb_request *request)
{
	/* One number does not say it of two kinds. */
	if (!never->name || request->nparts)
		return;
	tb_text_add(text, " (");
	tb_text_add(text, never->name);
	tb_text_add(text, " has most: ");
	tb_text_add_number(text, never->most);
	tb_text_add(text, request->cpus ? tb_count_word(never->most, " CPU)",
							" CPUs)")
					: ")");
}

/* There are units, but not what else a slot needs of them. */
static void add_size(struct tb_text *text, const struct tb_request *request,
		     unsigned task_threads)
{
	if (task_threads > 1) {
		tb_text_add(text, " with ");
		tb_text_add_number(text, task_threads);
		tb_text_add(text, " CPUs for each task");
	} else if (request->start || request->stop) {
		tb_text_add(text, " in the window of --bstart and --bstop");
	} else {
		tb_text_add(text, " that fit together");
	}
}

static void add_what(struct tb_text *text, const struct tb_never *never,
		     const struct tb_request *request, unsigned task_threads)
{
	if (!never->shaped) {
		tb_text_add(text, request->shape ? "the topology of --btopology"
						 : "the shape of --bfilter");
		return;
	}
	tb_never_add_units(text, request);
	if (request->filter)
		tb_text_add(text, " beside what --bfilter leaves out");
	if (never->enough)
		add_size(text, request, task_threads);
	else
		add_most(text, never, request);
}

char *tb_never_print(const struct tb_never *never,
		     const struct tb_request *request, unsigned task_threads,
		     const char *what)
{
	struct tb_text text = TB_TEXT_EMPTY;

	if (never->possible || !never->nodes)
		return NULL;
	tb_text_add(&text, "no ");
	tb_text_add(&text, what);
	if (never->unknown)
		tb_text_add(&text, " with a known topology");
	tb_text_add(&text, " has ");
	add_what(&text, never, request, task_threads);
	return tb_text_take(&text);
}

void tb_never_clear(struct tb_never *never)
{
	free(never->name);
	*never = (struct tb_never){ .nodes = 0 };
}

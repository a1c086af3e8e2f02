/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "socket_cores.h"

#include "core/base/text.h"
#include "tree.h"

/* A walk over the visible cores in string order, which numbers them. */
struct cores {
	const struct tb_topology *topology;
	const struct tb_bitset *visible;
	uint32_t next;	       /* core */
	uint32_t object;       /* S, the first that does not end before next */
	struct tb_run threads; /* of the current core */
	unsigned in;	       /* S of the current core, NO_SOCKET outside */
	unsigned socket, core; /* its number */
};

#define NO_SOCKET UINT32_MAX

/* The S around a thread.  Callers ask for threads in ascending order. */
static unsigned find_socket_around(struct cores *cores, uint32_t thread)
{
	const struct tb_topology *topology = cores->topology;
	uint32_t objects = tb_run_below(topology, 0, TB_CLASS_S).count;
	struct tb_run run;

	while (cores->object < objects) {
		run = tb_threads_of_object(topology, TB_CLASS_S, cores->object);
		if (thread < run.first)
			return NO_SOCKET;
		if (thread < run.first + run.count)
			return cores->object;
		cores->object = tb_object_after(topology, TB_CLASS_S,
						cores->object);
	}
	return NO_SOCKET;
}

static bool core_is_visible(const struct cores *cores)
{
	return !cores->visible ||
	       tb_bitset_any_in_range(cores->visible, cores->threads.first,
				      cores->threads.count);
}

static void number_core(struct cores *cores, bool first)
{
	unsigned in = find_socket_around(cores, cores->threads.first);

	if (first) {
		cores->socket = cores->core = 0;
	} else if (in != cores->in) {
		cores->socket++;
		cores->core = 0;
	} else {
		cores->core++;
	}
	cores->in = in;
}

/* The next visible core; false at the end. */
static bool find_next_core(struct cores *cores, bool first)
{
	while (cores->next < cores->topology->ncores) {
		cores->threads = tb_threads_of_object(cores->topology,
						      TB_CLASS_CORE,
						      cores->next++);
		if (!core_is_visible(cores))
			continue;
		number_core(cores, first);
		return true;
	}
	return false;
}

/* Cores of one socket that follow each other. */
struct core_run {
	unsigned socket, first, count;
};

static void add_core_run(struct tb_text *text, const struct core_run *run)
{
	if (!run->count)
		return;
	if (text->length)
		tb_text_add(text, ",");
	tb_text_add_number(text, run->socket);
	tb_text_add(text, ":");
	tb_text_add_number(text, run->first);
	if (run->count == 1)
		return;
	tb_text_add(text, "-");
	tb_text_add_number(text, run->first + run->count - 1);
}

static bool core_extends_run(const struct core_run *run,
			     const struct cores *cores)
{
	return run->count && run->socket == cores->socket &&
	       run->first + run->count == cores->core;
}

char *tb_socket_cores_print(const struct tb_topology *topology,
			    const struct tb_bitset *visible,
			    const struct tb_bitset *threads,
			    enum tb_socket_cores_form form)
{
	struct cores cores = { .topology = topology, .visible = visible };
	struct tb_text text = TB_TEXT_EMPTY;
	struct core_run run = { 0 };

	for (bool first = true; find_next_core(&cores, first); first = false) {
		if (!tb_bitset_any_in_range(threads, cores.threads.first,
					    cores.threads.count))
			continue;
		if (form == TB_CORES_RUNS && core_extends_run(&run, &cores)) {
			run.count++;
			continue;
		}
		add_core_run(&text, &run);
		run = (struct core_run){ cores.socket, cores.core, 1 };
	}
	add_core_run(&text, &run);
	return tb_text_take(&text);
}

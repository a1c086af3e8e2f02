/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window (doc/design.md, "Placement") runs over the sorted tree in pre-order,
 * from the start object up to the stop object, which does not belong to it.  A
 * unit lies in the window when its own object does; a stop further down inside
 * that object does not cut the unit.  Without a start the window begins with the
 * first object of all, which can then be the stop.
 */
#include "window.h"

#include "core/base/text.h"
#include "sort.h"

struct window_scan {
	struct tb_placer *placer;
	bool started, stopped;
	uint32_t start; /* node, once started by --bstart */
};

/*
 * A small letter matches an object with a used thread, a capital letter an object
 * without any.  For a capital letter a container needs a thread of the requested
 * kind, too; C and E themselves say which kind they mean.  Masked threads are none
 * of these.
 */
static bool node_matches(const struct tb_placer *placer, uint32_t node,
			 char letter)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_tree_node *at = &topology->nodes[node];
	enum tb_core_kind kind = placer->kind;
	struct tb_run run;
	bool used;

	if (at->letter != tb_upper(letter))
		return false;
	run = tb_run_below(topology, node, TB_CLASS_THREAD);
	used = tb_bitset_any_in_range(tb_load_of(placer), run.first, run.count);
	if (tb_is_lower(letter))
		return used;
	if (tb_class_of_letter(letter) == TB_CLASS_CORE)
		kind = letter == 'C' ? TB_POWER : TB_EFFICIENCY;
	return !used && tb_runs_tasks(placer, node, kind);
}

/* Could an object at or below this node match?  Saves walking. */
static bool any_may_match_below(const struct tb_placer *placer, uint32_t node,
				char letter)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);
	enum tb_class class = tb_class_of_letter(tb_upper(letter));

	if (!tb_run_below(topology, node, class).count)
		return false;
	return !tb_is_lower(letter) ||
	       tb_bitset_any_in_range(tb_load_of(placer), run.first, run.count);
}

static void add_window_units(struct tb_placer *placer, struct tb_run units)
{
	tb_bitset_set_range(placer->window, units.first, units.count);
}

static void scan_window_children(struct window_scan *scan, uint32_t node);

/* A node that begins after the start was found. */
static void scan_for_window_stop(struct window_scan *scan, uint32_t node)
{
	struct tb_placer *placer = scan->placer;

	if (!placer->stop || !any_may_match_below(placer, node, placer->stop)) {
		add_window_units(placer, tb_units_below(placer, node));
		return;
	}
	if (node_matches(placer, node, placer->stop)) {
		scan->stopped = true;
		return;
	}
	add_window_units(placer, tb_units_of(placer, node));
	scan_window_children(scan, node);
}

static void scan_for_window_start(struct window_scan *scan, uint32_t node)
{
	struct tb_placer *placer = scan->placer;

	if (!any_may_match_below(placer, node, placer->start))
		return;
	if (node_matches(placer, node, placer->start)) {
		scan->started = true;
		scan->start = node;
		add_window_units(placer, tb_units_of(placer, node));
	}
	scan_window_children(scan, node);
}

/* Depth is bounded by TB_DEPTH_MAX. */
static void scan_window_children(struct window_scan *scan, uint32_t node)
{
	uint32_t count = scan->placer->topology->nodes[node].nchildren;
	const uint32_t *children = tb_sorted_children(scan->placer, node);

	for (uint32_t i = 0; i < count && !scan->stopped; i++) {
		if (scan->started)
			scan_for_window_stop(scan, children[i]);
		else
			scan_for_window_start(scan, children[i]);
	}
}

bool tb_window_find(struct tb_placer *placer)
{
	struct window_scan scan = { placer, !placer->start, false, 0 };

	tb_bitset_clear_all(placer->window);
	scan_window_children(&scan, 0);
	if (!scan.started)
		return false;
	if (placer->start && placer->start == placer->stop) {
		/* The same letter twice: exactly the start object. */
		tb_bitset_clear_all(placer->window);
		add_window_units(placer, tb_units_below(placer, scan.start));
	}
	return true;
}

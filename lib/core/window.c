/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window: where units may lie (DESIGN.md, section 4, step 3)
 *
 * It runs over the sorted tree in pre-order, from the start object up to, not
 * including, the stop object.  A unit lies in it when its own object does; a
 * stop further down inside that object does not cut the unit.  Without a start
 * the window begins with the first object of all, which may then be the stop.
 */
#include "placer.h"

struct scan {
	struct tb_placer *placer;
	bool started, stopped;
	uint32_t start; /* node, once started by --bstart */
};

static char capital_of(char letter)
{
	return letter >= 'a' ? (char)(letter - 'a' + 'A') : letter;
}

/*
 * A small letter matches an object with a used thread.  A capital one matches
 * an object without any; a container needs a core of the requested kind too,
 * while C and E say by themselves which kind they mean.
 */
static bool matches(const struct tb_placer *placer, uint32_t node, char letter)
{
	const struct tb_topology *topology = placer->topology;
	const struct tb_node *at = &topology->nodes[node];
	struct tb_run run;
	bool used;

	if (at->letter != capital_of(letter))
		return false;
	run = tb_run_below(topology, node, TB_CLASS_THREAD);
	used = tb_bitset_any_in_range(placer->busy, run.first, run.count);
	if (letter >= 'a')
		return used;
	return !used && (tb_class_of_letter(letter) == TB_CLASS_CORE ||
			 at->kinds & 1u << placer->kind);
}

/* Could an object at or below this node match?  Saves walking. */
static bool may_match_below(const struct tb_placer *placer, uint32_t node,
			    char letter)
{
	const struct tb_topology *topology = placer->topology;
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);
	enum tb_class class = tb_class_of_letter(capital_of(letter));

	if (!tb_run_below(topology, node, class).count)
		return false;
	return letter < 'a' || tb_bitset_any_in_range(placer->busy, run.first,
						      run.count);
}

static void add_units(struct tb_placer *placer, struct tb_run units)
{
	tb_bitset_set_range(placer->window, units.first, units.count);
}

static void scan_below(struct scan *scan, uint32_t node);

/* A node that begins after the start was found. */
static void scan_started(struct scan *scan, uint32_t node)
{
	struct tb_placer *placer = scan->placer;

	if (!placer->stop || !may_match_below(placer, node, placer->stop)) {
		add_units(placer, tb_units_below(placer, node));
		return;
	}
	if (matches(placer, node, placer->stop)) {
		scan->stopped = true;
		return;
	}
	add_units(placer, tb_units_of(placer, node));
	scan_below(scan, node);
}

static void scan_for_start(struct scan *scan, uint32_t node)
{
	struct tb_placer *placer = scan->placer;

	if (!may_match_below(placer, node, placer->start))
		return;
	if (matches(placer, node, placer->start)) {
		scan->started = true;
		scan->start = node;
		add_units(placer, tb_units_of(placer, node));
	}
	scan_below(scan, node);
}

/* Depth is bounded by TB_DEPTH_MAX. */
static void scan_below(struct scan *scan, uint32_t node)
{
	uint32_t count = scan->placer->topology->nodes[node].nchildren;
	const uint32_t *children = tb_sorted_children(scan->placer, node);

	for (uint32_t i = 0; i < count && !scan->stopped; i++) {
		if (scan->started)
			scan_started(scan, children[i]);
		else
			scan_for_start(scan, children[i]);
	}
}

bool tb_window_find(struct tb_placer *placer)
{
	struct scan scan = { placer, !placer->start, false, 0 };

	tb_bitset_clear_all(placer->window);
	scan_below(&scan, 0);
	if (!scan.started)
		return false;
	if (placer->start && placer->start == placer->stop) {
		/* The same letter twice: exactly the start object. */
		tb_bitset_clear_all(placer->window);
		add_units(placer, tb_units_below(placer, scan.start));
	}
	return true;
}

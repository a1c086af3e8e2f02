/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_units.h"

#include <stdlib.h>

#include "cluster/site_mask.h"
#include "core/base/text.h"
#include "core/place/listed.h"
#include "core/place/window_ever.h"
#include "core/request/parts.h"

static unsigned count_listed(const struct tb_candidate_node *node,
			     const struct tb_request *request,
			     const struct tb_bitset *used)
{
	struct tb_bitset *listed = tb_bitset_create(used->nbits);
	unsigned count = 0;

	if (listed) {
		tb_listed_threads(request, node->topology, listed);
		tb_bitset_andnot(listed, used);
		tb_bitset_andnot(listed, node->masked);
		count = tb_bitset_count(listed);
	}
	tb_bitset_destroy(listed);
	return count;
}

unsigned tb_candidate_node_units(const struct tb_candidate_node *node,
				 const struct tb_request *request,
				 const struct tb_bitset *used)
{
	if (request->cpus)
		return count_listed(node, request, used);
	return tb_units_available(node->topology, request->unit, used,
				  node->masked);
}

unsigned tb_needed_units(const struct tb_request *request)
{
	return request->cpus ? tb_bitset_count(request->cpus) : request->amount;
}

/* "has no E cores", "has only 1 X unit that no filter masks" */
static void close_for_units(struct tb_candidate_node *node, struct tb_unit unit,
			    unsigned units)
{
	bool masked = units < tb_units_total(node->topology, unit);
	const char *name = tb_unit_name(unit);
	const char *what = unit.letter == 'C' ? "core" : "unit";
	const char *many = unit.letter == 'C' ? "cores" : "units";
	const char *left = masked ? " that is not masked or the system's" : "";

	if (units)
		tb_candidate_say(&node->closed, "has only %u %s %s%s", units,
				 name, tb_count_word(units, what, many),
				 masked && units > 1
					 ? " that are not masked or the system's"
					 : left);
	else
		tb_candidate_say(&node->closed, "has no %s %s%s", name,
				 masked ? what : many, left);
}

static void check_amount(const struct tb_request *request,
			 struct tb_candidate_node *node)
{
	unsigned units = tb_candidate_node_units(node, request, node->system);

	if (units >= tb_needed_units(request))
		return;
	if (request->cpus && request->os_numbers &&
	    !tb_topology_os_cpus(node->topology))
		tb_candidate_say(&node->closed,
				 "does not tell how its OS numbers its CPUs");
	else if (request->cpus)
		tb_candidate_say(&node->closed, "lacks some of the CPUs");
	else
		close_for_units(node, request->unit, units);
}

/* Each kind of its units alone, and both beside each other. */
static void check_parts(const struct tb_request *request,
			struct tb_candidate_node *node)
{
	struct tb_request there = tb_request_masked(request, node->masked);

	for (unsigned i = 0; i < request->nparts && !node->closed; i++) {
		struct tb_request only = tb_request_only_part(request, i);

		check_amount(&only, node);
	}
	if (!node->closed && request->nparts &&
	    tb_place(node->placer, &there, node->system, 1) <= 0)
		tb_candidate_say(
			&node->closed,
			"has no room for both kinds of units beside each other");
}

/* Whatever is in use there. */
static void check_window(const struct tb_request *request,
			 struct tb_candidate_node *node)
{
	struct tb_request there = tb_request_masked(request, node->masked);

	if (request->amount > tb_window_most_units(node->topology, &there))
		tb_candidate_say(&node->closed,
				 "never has %u %s units in the window at once",
				 request->amount, tb_unit_name(request->unit));
	else if (!tb_window_can_hold(node->placer, &there, node->system,
				     node->books.by_thread))
		tb_candidate_say(&node->closed,
				 "has no %s unit that the window could ever hold",
				 tb_unit_name(request->unit));
}

int tb_candidate_mask_units(const struct tb_candidate_rules *rules,
			    struct tb_candidate_node *node,
			    struct tb_error *err)
{
	const struct tb_filter *own = rules->spec->request.filter;

	if (!tb_request_matches(&rules->spec->request, node->topology))
		tb_candidate_say(&node->closed,
				 "has another shape than --btopology");
	tb_cluster_add_system(node->info, node->topology, node->system);
	if (own && !tb_filter_matches(own, node->topology))
		tb_candidate_say(&node->closed,
				 "has another shape than --bfilter");
	else if (own)
		tb_filter_add(own, node->topology, node->masked);
	if (tb_site_mask_add(rules->cluster, node->info, rules->partitions,
			     node->topology, node->masked, err))
		return -1;
	if (rules->spec->whole_nodes &&
	    !tb_bitset_contains(node->system, node->reserved)) {
		node->for_now = node->for_now || !node->closed;
		tb_candidate_say(&node->closed, "a part of it is reserved");
	}
	tb_bitset_or(node->reserved, node->system);
	node->has_lost = tb_cluster_add_lost(node->info, node->topology,
					     node->reserved);
	if (node->has_lost && rules->spec->whole_nodes)
		tb_candidate_say(&node->closed, "has lost some of its CPUs");
	return 0;
}

static unsigned count_group(struct tb_candidate_node *node,
			    const struct tb_request *request, unsigned group,
			    struct tb_bitset *threads)
{
	tb_placed_group(node->placer, group, threads);
	return tb_booked_runs(&node->books, request, node->topology, threads,
			      tb_placed_masked(node->placer));
}

/*
 * CPUs of the largest slot (TB_HOST: of all units) that the node has when no job
 * uses it.  0: it has none.
 */
static int find_most_cpus(struct tb_candidate_node *node,
			  const struct tb_request *request, unsigned *most,
			  struct tb_error *err)
{
	unsigned all = tb_topology_threads(node->topology);
	struct tb_request wide = tb_request_masked(request, node->masked);
	struct tb_bitset *threads = tb_bitset_create(all);

	*most = 0;
	if (!threads)
		return tb_fail(err, "out of memory");
	tb_request_widen_window(&wide);
	if (tb_place(node->placer, &wide, node->system, all) > 0)
		for (unsigned i = 0; i < tb_placed_groups(node->placer); i++) {
			unsigned cpus = count_group(node, request, i, threads);

			*most = cpus > *most ? cpus : *most;
		}
	tb_bitset_destroy(threads);
	return 0;
}

/* "2 X units have 12 CPUs, a task needs 16" */
static void check_cpus(const struct tb_job_spec *spec, unsigned most,
		       struct tb_candidate_node *node)
{
	const struct tb_request *request = &spec->request;
	char *units;

	if (spec->implicit || request->cpus || !most || most >= spec->task_cpus)
		return;
	units = tb_request_print_units(request, "");
	tb_candidate_say(&node->closed, "%s %s %u %s, a task needs %u",
			 units ? units : "",
			 request->amount == 1 && !request->nparts ? "has"
								  : "have",
			 most, tb_count_word(most, "CPU", "CPUs"),
			 spec->task_cpus);
	free(units);
}

int tb_candidate_check_units(const struct tb_candidate_rules *rules,
			     struct tb_candidate_node *node, unsigned *cpus,
			     struct tb_error *err)
{
	const struct tb_request *request = &rules->spec->request;

	*cpus = 0;
	check_amount(request, node);
	check_parts(request, node);
	check_window(request, node);
	if (!node->closed && !rules->spec->implicit &&
	    find_most_cpus(node, request, cpus, err))
		return -1;
	check_cpus(rules->spec, *cpus, node);
	return 0;
}

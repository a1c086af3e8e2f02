/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_usage.c - see metrics.h */
#include <stdlib.h>
#include <string.h>

#include "common/metrics/exposition.h"
#include "core/topology/busy.h"
#include "jobs/thread_busy.h"
#include "metrics.h"

/* This node, and how busy what jobs have of it is, by kind of unit. */
struct usage {
	const char *node;
	struct tb_topology *topology;
	struct tb_bitset *used; /* threads that jobs have */
	struct tb_busy kinds[TB_CENSUS_KINDS];
	bool has[TB_CENSUS_KINDS];
};

static const struct tb_node_view *find_node(const struct tb_node_views *views,
					    const char *name)
{
	for (unsigned i = 0; i < views->nnodes; i++) {
		const char *other = views->nodes[i].info->name;

		if (other && !strcmp(other, name))
			return &views->nodes[i];
	}
	return NULL;
}

static int read_node(struct usage *usage, const struct tb_node_views *views,
		     struct tb_error *err)
{
	const struct tb_node_view *node = find_node(views, usage->node);

	if (!node)
		return tb_fail(
			err,
			"Slurm knows no node \"%.100s\": say with --node what this machine is called",
			usage->node);
	if (!node->census || !node->inuse)
		return tb_fail(err, "node %.100s shows no topology",
			       usage->node);
	usage->topology = tb_topology_parse(node->inuse, &usage->used, err);
	if (!usage->topology)
		return -1;
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		usage->has[kind] = node->census->units[kind].total > 0;
	return 0;
}

static int measure_kinds(struct usage *usage, const double *busy,
			 struct tb_error *err)
{
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		if (usage->has[kind] &&
		    tb_busy_measure(usage->topology, tb_census_unit(kind),
				    usage->used, busy, &usage->kinds[kind]))
			return tb_fail(err, "out of memory");
	return 0;
}

static int measure_here(struct usage *usage, unsigned seconds,
			struct tb_error *err)
{
	struct tb_machine *machine = tb_machine_load_whole(err);
	double *busy = NULL;
	int rc = -1;

	if (machine && !tb_topology_same_shape(usage->topology,
					       tb_machine_topology(machine)))
		tb_fail(err,
			"this machine is not node %.100s: it has another topology; call this on the node",
			usage->node);
	else if (machine)
		busy = tb_thread_busy_measure(machine, seconds, err);
	if (busy)
		rc = measure_kinds(usage, busy, err);
	free(busy);
	tb_machine_destroy(machine);
	return rc;
}

/* ---- what is printed ---- */

static double get_units(const struct tb_busy *busy)
{
	return busy->nunits;
}

static double get_idle(const struct tb_busy *busy)
{
	return busy->idle;
}

static double get_mean(const struct tb_busy *busy)
{
	return busy->mean;
}

static void print_metric(const struct usage *usage, const char *name,
			 const char *help,
			 double (*get)(const struct tb_busy *busy), FILE *out)
{
	tb_metric_head(out, name, "gauge", help);
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		if (usage->has[kind])
			tb_metric_sample(out, name, get(&usage->kinds[kind]),
					 "node", usage->node, "unit",
					 tb_unit_name(tb_census_unit(kind)),
					 NULL);
}

static void print_usage(const struct usage *usage, FILE *out)
{
	print_metric(usage, "topobind_node_units_used",
		     "Units of the node of which jobs have a part.", get_units,
		     out);
	print_metric(usage, "topobind_node_units_idle",
		     "Those whose part has been busy for less than 5% of the time.",
		     get_idle, out);
	print_metric(usage, "topobind_node_units_busy_ratio",
		     "How busy these parts have been on average, 0 to 1.",
		     get_mean, out);
}

int tb_metrics_of_usage(const struct tb_node_views *views, const char *node,
			unsigned seconds, FILE *out, struct tb_error *err)
{
	struct usage usage = { .node = node };
	int rc = read_node(&usage, views, err);

	if (!rc)
		rc = measure_here(&usage, seconds, err);
	if (!rc)
		print_usage(&usage, out);
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++)
		tb_busy_clear(&usage.kinds[kind]);
	tb_topology_destroy(usage.topology);
	tb_bitset_destroy(usage.used);
	return rc;
}

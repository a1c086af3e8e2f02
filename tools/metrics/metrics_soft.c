/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_soft.c - see metrics.h */
#include <stdlib.h>

#include "common/metrics/exposition.h"
#include "metrics.h"
#include "soft/soft_node.h"

/* A step, as it is at one moment. */
struct step {
	char name[TB_STEP_NAME_SIZE];
	uint32_t tasks, spread;
	struct tb_soft_counts counts;
	uint64_t cost_us;
};

struct steps {
	struct step *list;
	unsigned count;
};

#define OUT_OF_MEMORY 2

static int add_step(struct tb_soft_state *state, bool alive, void *data)
{
	struct steps *steps = data;
	struct step *list;

	if (!alive)
		return 0;
	list = reallocarray(steps->list, steps->count + 1, sizeof(*list));
	if (!list)
		return OUT_OF_MEMORY;
	steps->list = list;
	list[steps->count] = (struct step){
		.tasks = state->tasks,
		.spread = tb_soft_state_spread(state),
		.counts = tb_soft_state_counts(state),
		.cost_us = state->cost_us,
	};
	tb_soft_step_name(state, list[steps->count++].name);
	return 0;
}

static void print_gauges(const struct steps *steps, FILE *out)
{
	tb_metric_head(out, "topobind_soft_tasks", "gauge",
		       "Tasks of a soft-bound step.");
	for (unsigned i = 0; i < steps->count; i++)
		tb_metric_sample(out, "topobind_soft_tasks",
				 steps->list[i].tasks, "step",
				 steps->list[i].name, NULL);
	tb_metric_head(out, "topobind_soft_tasks_spread", "gauge",
		       "Those that may use their allowed CPUs now.");
	for (unsigned i = 0; i < steps->count; i++)
		tb_metric_sample(out, "topobind_soft_tasks_spread",
				 steps->list[i].spread, "step",
				 steps->list[i].name, NULL);
}

static void print_counters(const struct steps *steps, FILE *out)
{
	static const char choices[] = "topobind_soft_choices_total";
	static const char cost[] = "topobind_soft_cost_seconds_total";

	tb_metric_head(
		out, choices, "counter",
		"How often a task got its preferred or its allowed CPUs, or did not get these because the load was new.");
	for (unsigned i = 0; i < steps->count; i++) {
		const struct step *step = &steps->list[i];

		tb_metric_sample(out, choices, (double)step->counts.preferred,
				 "step", step->name, "choice", "preferred",
				 NULL);
		tb_metric_sample(out, choices, (double)step->counts.allowed,
				 "step", step->name, "choice", "allowed", NULL);
		tb_metric_sample(out, choices, (double)step->counts.smoothed,
				 "step", step->name, "choice", "smoothed",
				 NULL);
	}
	tb_metric_head(out, cost, "counter", "CPU time spent on watching.");
	for (unsigned i = 0; i < steps->count; i++)
		tb_metric_sample(out, cost,
				 (double)steps->list[i].cost_us * 1e-6, "step",
				 steps->list[i].name, NULL);
}

int tb_metrics_of_soft(struct tb_registry *registry, FILE *out,
		       struct tb_error *err)
{
	struct steps steps = { 0 };
	int rc = tb_soft_node_each(registry, TB_SOFT_LOOK, add_step, &steps);

	if (rc == OUT_OF_MEMORY) {
		tb_fail(err, "out of memory");
	} else if (rc < 0) {
		tb_fail(err, "the soft-bound steps cannot be read");
	} else {
		tb_metric_head(out, "topobind_soft_on", "gauge",
			       "1: soft binding is on, on this node.");
		tb_metric_sample(out, "topobind_soft_on",
				 tb_registry_mode(registry, 0) == TB_SOFT_ON,
				 NULL);
		print_gauges(&steps, out);
		print_counters(&steps, out);
	}
	free(steps.list);
	return rc ? -1 : 0;
}

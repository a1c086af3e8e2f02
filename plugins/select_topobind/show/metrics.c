/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "metrics.h"

#include <stdatomic.h>
#include <time.h>

#include "common/metrics/exposition.h"
#include "select_topobind/order/site_policies.h"

/* The upper bounds of the histogram, and how they are printed. */
#define BOUNDS 12
static const uint64_t bounds_us[BOUNDS] = { 10,	    30,	    100,     300,
					    1000,   3000,   10000,   30000,
					    100000, 300000, 1000000, 3000000 };
static const char *const bound_names[BOUNDS + 1] = {
	"0.00001", "0.00003", "0.0001", "0.0003", "0.001", "0.003", "0.01",
	"0.03",	   "0.1",     "0.3",	"1",	  "3",	   "+Inf"
};

static const char *const refusal_names[TB_REFUSALS] = {
	[TB_REFUSED_OTHER] = "other",
	[TB_REFUSED_REQUEST] = "request",
	[TB_REFUSED_NEVER] = "never",
	[TB_REFUSED_UNITS] = "units",
	[TB_REFUSED_FRAGMENTED] = "fragmented",
	[TB_REFUSED_SLOTS] = "slots",
	[TB_REFUSED_MEMORY] = "memory",
	[TB_REFUSED_GRES] = "gres",
};

/* By enum tb_mode. */
#define MODES 3
static const char *const mode_names[MODES] = {
	[TB_RUN_NOW] = "start",
	[TB_WILL_RUN] = "future",
	[TB_TEST_ONLY] = "ever",
};

/* One thread at a time writes it, others read it. */
typedef _Atomic uint64_t counter_t;

static struct {
	counter_t tried, granted, preempting;
	counter_t refused[TB_REFUSALS];
	counter_t times[BOUNDS + 1]; /* each question is in one of them */
	counter_t nanoseconds;
} counters[MODES];

/* Under slurmctld's write lock on jobs there is one question at a time. */
static enum tb_refusal refusal;

static void add_to_counter(counter_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

static uint64_t read_counter(counter_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

/* ---- counting ---- */

static uint64_t read_clock(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct tb_measure tb_metrics_begin(void)
{
	refusal = TB_REFUSED_OTHER;
	return (struct tb_measure){ read_clock() };
}

void tb_metrics_refused(enum tb_refusal why)
{
	refusal = why;
}

static unsigned find_bound(uint64_t nanoseconds)
{
	unsigned i = 0;

	while (i < BOUNDS && nanoseconds > bounds_us[i] * 1000)
		i++;
	return i;
}

void tb_metrics_end(const struct tb_measure *measure,
		    const struct tb_test *test, int rc)
{
	enum tb_mode mode = tb_test_mode(test);
	uint64_t took = read_clock() - measure->began;

	if (rc != SLURM_SUCCESS)
		add_to_counter(&counters[mode].refused[refusal], 1);
	else if (mode == TB_RUN_NOW && !test->job->job_resrcs)
		add_to_counter(&counters[mode].preempting, 1);
	else
		add_to_counter(&counters[mode].granted, 1);
	add_to_counter(&counters[mode].times[find_bound(took)], 1);
	add_to_counter(&counters[mode].nanoseconds, took);
	add_to_counter(&counters[mode].tried, 1);
}

/* ---- printing ---- */

uint64_t tb_metrics_count(void)
{
	uint64_t count = 0;

	for (unsigned mode = 0; mode < MODES; mode++)
		count += read_counter(&counters[mode].tried);
	return count;
}

static void print_outcomes(FILE *out)
{
	tb_metric_head(
		out, "topobind_placements_tried_total", "counter",
		"Questions whether a job with a binding can start now, in the future, or ever.");
	for (unsigned mode = 0; mode < MODES; mode++)
		tb_metric_sample(out, "topobind_placements_tried_total",
				 read_counter(&counters[mode].tried), "mode",
				 mode_names[mode], NULL);
	tb_metric_head(out, "topobind_placements_granted_total", "counter",
		       "Questions answered with yes.");
	for (unsigned mode = 0; mode < MODES; mode++)
		tb_metric_sample(out, "topobind_placements_granted_total",
				 read_counter(&counters[mode].granted), "mode",
				 mode_names[mode], NULL);
	tb_metric_head(
		out, "topobind_placements_preempting_total", "counter",
		"Questions answered with yes, when preempted jobs have gone.");
	tb_metric_sample(out, "topobind_placements_preempting_total",
			 read_counter(&counters[TB_RUN_NOW].preempting), NULL);
}

static void print_refusals(FILE *out)
{
	tb_metric_head(out, "topobind_placements_refused_total", "counter",
		       "Questions answered with no, by reason.");
	for (unsigned mode = 0; mode < MODES; mode++)
		for (unsigned why = 0; why < TB_REFUSALS; why++)
			tb_metric_sample(out,
					 "topobind_placements_refused_total",
					 read_counter(
						 &counters[mode].refused[why]),
					 "mode", mode_names[mode], "reason",
					 refusal_names[why], NULL);
}

static void print_times(FILE *out)
{
	tb_metric_head(out, "topobind_placement_seconds", "histogram",
		       "Time that an answer took.");
	for (unsigned mode = 0; mode < MODES; mode++) {
		const char *name = mode_names[mode];
		uint64_t count = 0;

		for (unsigned i = 0; i <= BOUNDS; i++) {
			count += read_counter(&counters[mode].times[i]);
			tb_metric_sample(out,
					 "topobind_placement_seconds_bucket",
					 count, "mode", name, "le",
					 bound_names[i], NULL);
		}
		tb_metric_sample(out, "topobind_placement_seconds_sum",
				 read_counter(&counters[mode].nanoseconds) *
					 1e-9,
				 "mode", name, NULL);
		tb_metric_sample(out, "topobind_placement_seconds_count", count,
				 "mode", name, NULL);
	}
}

static void print_works(const struct tb_site_policy_state *state, void *out)
{
	tb_metric_sample(out, "topobind_policy_plugin_works", !*state->why,
			 "plugin", state->name, NULL);
}

static void print_calls(const struct tb_site_policy_state *state, void *out)
{
	tb_metric_sample(out, "topobind_policy_plugin_calls_total",
			 (double)state->calls, "plugin", state->name, NULL);
}

static void print_seconds(const struct tb_site_policy_state *state, void *out)
{
	tb_metric_sample(out, "topobind_policy_plugin_seconds_total",
			 state->seconds, "plugin", state->name, NULL);
}

static void note_policy(const struct tb_site_policy_state *state, void *arg)
{
	(void)state;
	*(bool *)arg = true;
}

static void print_policies(FILE *out)
{
	bool has_any = false;

	tb_site_policies_visit(note_policy, &has_any);
	if (!has_any)
		return;
	tb_metric_head(
		out, "topobind_policy_plugin_works", "gauge",
		"1: the plugin of NodeAllocationPolicy is asked; 0: it was switched off.");
	tb_site_policies_visit(print_works, out);
	tb_metric_head(out, "topobind_policy_plugin_calls_total", "counter",
		       "Scores of nodes that it was asked for.");
	tb_site_policies_visit(print_calls, out);
	tb_metric_head(out, "topobind_policy_plugin_seconds_total", "counter",
		       "Time that these took.");
	tb_site_policies_visit(print_seconds, out);
}

void tb_metrics_print(FILE *out)
{
	print_outcomes(out);
	print_refusals(out);
	print_policies(out);
	print_times(out);
}

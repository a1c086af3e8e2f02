/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metrics_abi.c - slurmctld's own endpoint shows what select/topobind counts, too
 *
 * See metrics_handover.h.  This is a plugin of its own, metrics/topobind, for
 * MetricsType in slurm.conf.  Who may ask, and which controller answers, is Slurm's
 * decision before it calls a metrics plugin.  It calls it without locks, from any
 * of its threads.
 */
#include <stdio.h>
#include <stdlib.h>

#include "compat/from_2511/metrics_handover.h"
#include "compat/select_compat.h"

#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/interfaces/metrics.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT extern const char plugin_name[];
EXPORT extern const char plugin_type[];
EXPORT extern const uint32_t plugin_version;

const char plugin_name[] = "Slurm's metrics and those of bindings";
const char plugin_type[] = "metrics/topobind";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* metrics/openmetrics, and the names of its functions in the same order. */
static struct {
	int (*dump)(metric_set_t *set, char **text);
	int (*free_set)(metric_set_t *set);
	metric_set_t *(*parse_jobs)(jobs_stats_t *numbers);
	metric_set_t *(*parse_nodes)(nodes_stats_t *numbers);
	metric_set_t *(*parse_partitions)(partitions_stats_t *numbers);
	metric_set_t *(*parse_scheduling)(scheduling_stats_t *numbers);
	metric_set_t *(*parse_users)(users_accts_stats_t *numbers);
} slurms;
static const char *symbols[] = {
	"metrics_p_dump",
	"metrics_p_free_set",
	"metrics_p_parse_jobs_metrics",
	"metrics_p_parse_nodes_metrics",
	"metrics_p_parse_parts_metrics",
	"metrics_p_parse_sched_metrics",
	"metrics_p_parse_ua_metrics",
};
#define SYMBOLS (sizeof(symbols) / sizeof(*symbols))

_Static_assert(sizeof(symbols) == sizeof(slurms),
	       "one symbol for each function");

static const struct tb_metrics_handover *handover; /* NULL: nothing is added */
static plugin_handle_t slurms_plugin = PLUGIN_INVALID_HANDLE;
static plugin_handle_t select_plugin = PLUGIN_INVALID_HANDLE;

/* ---- beginning and end ---- */

/*
 * Of the select plugin that slurmctld has loaded: it is the same object.  Slurm ends
 * when a symbol is missing, so another select plugin is not asked for it: a
 * site that has switched off topobind keeps Slurm's own numbers.
 */
static bool find_handover(void)
{
	const char *name[] = { TB_METRICS_HANDOVER };

	if (xstrcmp(slurm_conf.select_type, TB_SELECT_TYPE)) {
		error("metrics/topobind: it adds nothing to Slurm's own numbers, because SelectType=%s: it is select/topobind that counts",
		      slurm_conf.select_type);
		return true;
	}
	select_plugin = plugin_load_and_link(slurm_conf.select_type, 1, name,
					     (void **)&handover);
	return select_plugin != PLUGIN_INVALID_HANDLE;
}

static void unload(plugin_handle_t *plugin)
{
	if (*plugin != PLUGIN_INVALID_HANDLE)
		plugin_unload(*plugin);
	*plugin = PLUGIN_INVALID_HANDLE;
}

EXPORT int fini(void);
EXPORT int fini(void)
{
	handover = NULL;
	unload(&select_plugin);
	unload(&slurms_plugin);
	return SLURM_SUCCESS;
}

EXPORT int init(void);
EXPORT int init(void)
{
	slurms_plugin = plugin_load_and_link("metrics/openmetrics", SYMBOLS,
					     symbols, (void **)&slurms);
	if (slurms_plugin != PLUGIN_INVALID_HANDLE && find_handover())
		return SLURM_SUCCESS;
	fini();
	return SLURM_ERROR;
}

/* ---- what is asked of the scheduler ---- */

/* Slurm's set of numbers in one of ours, which says that more is printed. */
static metric_set_t *enclose(metric_set_t *of_slurm)
{
	metric_set_t *set;

	if (!of_slurm)
		return NULL;
	set = xmalloc(sizeof(*set));
	*set = (metric_set_t){ .arg = of_slurm, .plugin_type = plugin_type };
	return set;
}

static bool is_enclosed(const metric_set_t *set)
{
	return set && set->plugin_type == plugin_type;
}

static void add_bindings(char **text)
{
	size_t size = 0;
	char *added = NULL;
	FILE *out = open_memstream(&added, &size);

	if (!out)
		return;
	handover->print(out);
	if (!fclose(out))
		xstrcat(*text, added);
	free(added);
}

EXPORT extern int metrics_p_dump(metric_set_t *set, char **text);
int metrics_p_dump(metric_set_t *set, char **text)
{
	int rc;

	if (!is_enclosed(set))
		return slurms.dump(set, text);
	rc = slurms.dump(set->arg, text);
	if (rc == SLURM_SUCCESS && handover)
		add_bindings(text);
	return rc;
}

EXPORT extern int metrics_p_free_set(metric_set_t *set);
int metrics_p_free_set(metric_set_t *set)
{
	int rc;

	if (!is_enclosed(set))
		return slurms.free_set(set);
	rc = slurms.free_set(set->arg);
	xfree(set);
	return rc;
}

EXPORT extern metric_set_t *
metrics_p_parse_sched_metrics(scheduling_stats_t *numbers);
metric_set_t *metrics_p_parse_sched_metrics(scheduling_stats_t *numbers)
{
	return enclose(slurms.parse_scheduling(numbers));
}

/* ---- what is Slurm's alone ---- */

EXPORT extern metric_set_t *metrics_p_parse_jobs_metrics(jobs_stats_t *numbers);
metric_set_t *metrics_p_parse_jobs_metrics(jobs_stats_t *numbers)
{
	return slurms.parse_jobs(numbers);
}

EXPORT extern metric_set_t *
metrics_p_parse_nodes_metrics(nodes_stats_t *numbers);
metric_set_t *metrics_p_parse_nodes_metrics(nodes_stats_t *numbers)
{
	return slurms.parse_nodes(numbers);
}

EXPORT extern metric_set_t *
metrics_p_parse_parts_metrics(partitions_stats_t *numbers);
metric_set_t *metrics_p_parse_parts_metrics(partitions_stats_t *numbers)
{
	return slurms.parse_partitions(numbers);
}

EXPORT extern metric_set_t *
metrics_p_parse_ua_metrics(users_accts_stats_t *numbers);
metric_set_t *metrics_p_parse_ua_metrics(users_accts_stats_t *numbers)
{
	return slurms.parse_users(numbers);
}

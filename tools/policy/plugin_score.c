/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_score.c - see plugin_score.h */
#include "plugin_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/running_conf.h"
#include "common/conf/conf_pairs.h"

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* As slurmctld tells it of a job that would start now. */
static void describe_job(struct topobind_policy_job *told,
			 const job_info_t *job, bool bound)
{
	uint32_t minutes = job->time_limit;

	told->id = job->job_id;
	told->user = job->user_id;
	told->name = or_empty(job->name);
	told->account = or_empty(job->account);
	told->amount = bound ? job->num_tasks : job->num_cpus;
	told->min_nodes = job->num_nodes;
	told->max_nodes = job->max_nodes;
	if (minutes == NO_VAL || minutes == INFINITE)
		minutes = 365 * 24 * 60;
	told->end = told->start + (int64_t)minutes * 60;
}

int tb_plugin_score_begin(struct tb_plugin_score *score, const char *name,
			  const struct tb_cluster *cluster,
			  const job_info_t *job,
			  const struct tb_request *request,
			  const char *partition, struct tb_error *err)
{
	bool bound = tb_request_binds(request);
	const slurm_conf_t *slurm = cluster->slurm;

	*score = (struct tb_plugin_score){ .cluster = cluster };
	if (bound)
		score->binding = tb_request_print(request);
	score->job = (struct topobind_policy_job){
		.size = sizeof(score->job),
		.name = "",
		.account = "",
		.partition = or_empty(partition),
		.binding = or_empty(score->binding),
		.amount = 1,
		.start = time(NULL),
	};
	if (job)
		describe_job(&score->job, job, bound);
	if (!slurm)
		return tb_fail(err, "Slurm does not tell its PluginDir");
	score->plugin = tb_site_policy_open(slurm->plugindir, name,
					    slurm->slurm_user_id, err);
	return score->plugin ? 0 : -1;
}

void tb_plugin_score_clear(struct tb_plugin_score *score)
{
	tb_site_policy_close(score->plugin);
	free(score->binding);
}

static bool get_component(const void *arg, uint32_t node,
			  const struct tb_priority_term *term, double *value)
{
	return tb_node_values_get(arg, node, term, value);
}

bool tb_plugin_score_get(const struct tb_plugin_score *score,
			 const struct tb_node_values *values, unsigned node,
			 double *worth)
{
	const node_info_t *info = &score->cluster->nodes->node_array[node];
	struct topobind_policy_node told;

	tb_site_policy_fill(&told, node, get_component, values);
	told.name = or_empty(info->name);
	told.features = or_empty(info->features_act ? info->features_act
						    : info->features);
	told.gres = or_empty(info->gres);
	told.extra = or_empty(info->extra);
	told.weight = info->weight;
	*worth = tb_site_policy_score(score->plugin, &score->job, &told);
	return isfinite(*worth);
}

static char *copy_why(const struct tb_running_conf *running, const char *name)
{
	static const char off[] = "off: ";

	for (unsigned i = 0; i < running->count; i++) {
		const struct tb_running_setting *setting = &running->settings[i];

		if (setting->list &&
		    !strcmp(setting->list, TB_CONF_PAIR_PLUGIN) &&
		    !strcmp(setting->name, name) &&
		    !strncmp(setting->value, off, strlen(off)))
			return strdup(setting->value + strlen(off));
	}
	return NULL;
}

char *tb_plugin_why_off(const char *name)
{
	struct tb_running_conf *running = tb_running_conf_load(NULL);
	char *why = running ? copy_why(running, name) : NULL;

	tb_running_conf_destroy(running);
	return why;
}

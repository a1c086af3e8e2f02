/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_score.h - what a plugin of the site (topobind/policy.h) says of nodes
 *
 * It is loaded here as in slurmctld.  What only slurmctld knows, as how the job fits a
 * node, is not known to it here.
 */
#ifndef TB_TOOLS_POLICY_PLUGIN_SCORE_H
#define TB_TOOLS_POLICY_PLUGIN_SCORE_H

#include "common/policy/site_policy.h"
#include "node_values.h"

struct tb_plugin_score {
	struct tb_site_policy *plugin;
	const struct tb_cluster *cluster;
	struct topobind_policy_job job;
	char *binding;
};

/* -1 with a sentence.  The caller clears after both; what is pointed to outlives it. */
int tb_plugin_score_begin(struct tb_plugin_score *score, const char *name,
			  const struct tb_cluster *cluster,
			  const job_info_t *job,
			  const struct tb_request *request,
			  const char *partition, struct tb_error *err);
void tb_plugin_score_clear(struct tb_plugin_score *score);

/* False: it is no number. */
bool tb_plugin_score_get(const struct tb_plugin_score *score,
			 const struct tb_node_values *values, unsigned node,
			 double *worth);

/* Why slurmctld has switched it off; malloc()ed, NULL: it has not, or does not tell. */
char *tb_plugin_why_off(const char *name);

#endif

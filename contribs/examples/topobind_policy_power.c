/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topobind_policy_power.c - a node allocation policy: a cluster that saves power
 *
 * Nodes that run jobs already come before idle ones, idle ones before those that are
 * powered down, and among these nodes whose Extra field has a lower watts=NUMBER.  A job
 * of one's own with the word "fast" in its name has the fastest nodes.
 *
 *	cc -std=c11 -Wall -Werror -shared -fPIC -o topobind_policy_power.so \
 *		topobind_policy_power.c
 *
 * Install it in PluginDir, as root's, and write NodeAllocationPolicy=plugin:power into
 * topobind.conf.
 */
#include <stdlib.h>
#include <string.h>

#include <topobind/policy.h>

/* Watts of the node by its Extra field; 0: it does not say. */
static double find_watts(const struct topobind_policy_node *node)
{
	const char *at = strstr(node->extra, "watts=");

	return at ? strtod(at + strlen("watts="), NULL) : 0;
}

static double score(const struct topobind_policy_job *job,
		    const struct topobind_policy_node *node)
{
	double worth = node->running_jobs > 0 ? 2 : node->is_on > 0 ? 1 : 0;

	if (strstr(job->name, "fast"))
		return node->speed;
	return 1e6 * worth - find_watts(node);
}

const struct topobind_policy topobind_policy = {
	.version = TOPOBIND_POLICY_VERSION,
	.score = score,
};

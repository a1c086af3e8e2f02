/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf_values.c - what topobind.conf says of partitions and nodes; see conf.h */
#include "conf_data.h"

static const struct tb_policy *policy_of(const struct tb_conf *site,
					 const char *partition)
{
	const struct tb_conf_partition *line =
		tb_conf_partition_find(site, partition);

	return line ? &line->policy : &site->policy;
}

bool tb_conf_enabled(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->enabled;
}

bool tb_conf_enabled_somewhere(const struct tb_conf *site)
{
	bool enabled = site->policy.enabled;

	for (unsigned i = 0; i < site->partition_count; i++)
		enabled = enabled || site->partitions[i].policy.enabled;
	return enabled;
}

bool tb_conf_on_any_host(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->on_any_host;
}

bool tb_conf_spares_devices(const struct tb_conf *site, const char *partition)
{
	return policy_of(site, partition)->spares_devices;
}

enum tb_isolation tb_conf_isolation(const struct tb_conf *site,
				    const char *partition)
{
	return policy_of(site, partition)->isolation;
}

const struct tb_request *tb_conf_implicit(const struct tb_conf *site,
					  const char *partition)
{
	const struct tb_policy *policy = policy_of(site, partition);

	return policy->enabled && policy->implicit ? &policy->request : NULL;
}

bool tb_conf_job_record(const struct tb_conf *site)
{
	return site->job_record;
}

bool tb_conf_usage_record(const struct tb_conf *site)
{
	return site->usage_record;
}

bool tb_conf_unit_tres(const struct tb_conf *site)
{
	return site->unit_tres;
}

enum tb_count_memory tb_conf_count_memory(const struct tb_conf *site)
{
	return site->count_memory;
}

const struct tb_conf_metrics *tb_conf_metrics(const struct tb_conf *site)
{
	return &site->metrics;
}

void tb_conf_soft_find(const struct tb_conf *site, const char *node_name,
		       const char *partition, struct tb_conf_soft *soft)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	*soft = policy_of(site, partition)->soft;
	if (line)
		tb_conf_soft_read(soft, line->soft, NULL, NULL);
}

struct tb_memory_policy tb_conf_memory(const struct tb_conf *site,
				       const char *partition)
{
	return tb_request_memory(&policy_of(site, partition)->request,
				 tb_any_memory());
}

enum tb_allocation tb_conf_allocation(const struct tb_conf *site,
				      const char *partition)
{
	return policy_of(site, partition)->nodes;
}

const char *tb_conf_policy_plugin(const struct tb_conf *site,
				  const char *partition)
{
	return policy_of(site, partition)->plugin;
}

const struct tb_priority_function *tb_conf_priority(const struct tb_conf *site,
						    const char *partition)
{
	return policy_of(site, partition)->priority;
}

const struct tb_priority_function *
tb_conf_node_priority(const struct tb_conf *site, const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->function : NULL;
}

bool tb_conf_has_node_priority(const struct tb_conf *site)
{
	for (unsigned i = 0; i < site->line_count; i++)
		if (site->lines[i].function)
			return true;
	return false;
}

bool tb_conf_node_record(const struct tb_conf *site)
{
	return site->node_record;
}

const struct tb_filter *tb_conf_partition_filter(const struct tb_conf *site,
						 const char *partition)
{
	return policy_of(site, partition)->filter;
}

bool tb_conf_node_says_filter(const struct tb_conf *site, const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line && line->filter_text.value;
}

const struct tb_filter *tb_conf_node_filter(const struct tb_conf *site,
					    const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->filter : NULL;
}

const struct tb_filter *tb_conf_filter(const struct tb_conf *site,
				       const char *node_name,
				       const char *partition)
{
	return tb_conf_node_says_filter(site, node_name)
		       ? tb_conf_node_filter(site, node_name)
		       : tb_conf_partition_filter(site, partition);
}

const char *tb_conf_topology(const struct tb_conf *site, const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->topology.value : NULL;
}

const char *tb_conf_distances(const struct tb_conf *site, const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->distances.value : NULL;
}

const char *tb_conf_node_memory(const struct tb_conf *site,
				const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->memory.value : NULL;
}

struct tb_node_numbers tb_conf_node_numbers(const struct tb_conf *site,
					    const char *node_name)
{
	const struct tb_conf_node *line = tb_conf_node_find(site, node_name);

	return line ? line->numbers : tb_conf_usual_numbers;
}

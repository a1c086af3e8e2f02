/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "network_groups.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

static bool is_in_group(const struct tb_network_groups *groups, uint32_t group,
			const char *place)
{
	return group < groups->count && !xstrcmp(groups->places[group], place);
}

static uint32_t find_group(const struct tb_network_groups *groups,
			   const char *place)
{
	uint32_t group = 0;

	if (is_in_group(groups, groups->last, place))
		return groups->last;
	while (group < groups->count && !is_in_group(groups, group, place))
		group++;
	return group;
}

uint32_t tb_network_group(struct tb_network_groups *groups, uint32_t node)
{
	char *place = tb_node_place_in_network(node);

	groups->last = find_group(groups, place);
	if (groups->last < groups->count) {
		xfree(place);
		return groups->last;
	}
	xrecalloc(groups->places, groups->count + 1, sizeof(*groups->places));
	groups->places[groups->count] = place;
	return groups->count++;
}

void tb_network_groups_clear(struct tb_network_groups *groups)
{
	for (uint32_t i = 0; i < groups->count; i++)
		xfree(groups->places[i]);
	xfree(groups->places);
	*groups = (struct tb_network_groups){ 0 };
}

uint32_t tb_job_most_groups(const job_record_t *job)
{
	if (!xstrcmp(slurm_conf.topology_plugin, "topology/block"))
		return 1;
	return job->req_switch;
}

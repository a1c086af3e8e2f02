/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_network.h"

#include "compat/select_compat.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

static struct tb_network *network;
static uint32_t known; /* nodes of it */

/* Names of the plugin without switches, from the oldest release to the newest. */
bool tb_network_has_switches(void)
{
	const char *plugin = slurm_conf.topology_plugin;

	return plugin && xstrcmp(plugin, "topology/none") &&
	       xstrcmp(plugin, "topology/default") &&
	       xstrcmp(plugin, "topology/flat");
}

static void find_network(void)
{
	char **places;

	known = tb_node_count();
	places = xcalloc(known + 1, sizeof(*places));
	for (uint32_t i = 0; i < known; i++)
		if (node_record_table_ptr[i])
			places[i] = tb_node_place_in_network(i);
	network = tb_network_create((const char *const *)places, known);
	for (uint32_t i = 0; i < known; i++)
		xfree(places[i]);
	xfree(places);
}

const struct tb_network *tb_node_network(void)
{
	if (!tb_network_has_switches())
		return NULL;
	if (known != tb_node_count())
		tb_node_network_reset();
	if (!network)
		find_network();
	return network;
}

void tb_node_network_reset(void)
{
	tb_network_destroy(network);
	network = NULL;
	known = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reserved.h"

#include <string.h>

static const char *find_cores(const reserve_info_t *reservation,
			      const node_info_t *node)
{
	for (uint32_t i = 0; i < reservation->core_spec_cnt; i++)
		if (!strcmp(reservation->core_spec[i].node_name, node->name))
			return reservation->core_spec[i].core_id;
	return NULL;
}

struct tb_bitset *tb_reserved_threads(const reserve_info_t *reservation,
				      const node_info_t *node,
				      const struct tb_topology *topology)
{
	unsigned all = (unsigned)node->sockets * node->cores;
	const char *list = find_cores(reservation, node);
	struct tb_bitset *set, *threads;

	set = list ? tb_bitset_parse_list(list, all, NULL) : NULL;
	if (!set || all != tb_topology_cores(topology))
		return set; /* a Slurm core is a thread */
	threads = tb_bitset_create(tb_topology_threads(topology));
	if (threads)
		tb_threads_of_cores(topology, set, threads);
	tb_bitset_destroy(set);
	return threads;
}

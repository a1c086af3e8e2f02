/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_test.h"

#include "holder_cluster.h"

void add_node(struct cluster *cluster, const char *topology,
	      const char *holders, bool required)
{
	unsigned at = cluster->nnodes++, threads;
	struct tb_used_node *node = &cluster->nodes[at];
	bool bars = *holders == ':';

	holders += bars;
	cluster->topology[at] = tb_topology_parse(topology, NULL, NULL);
	assert_non_null(cluster->topology[at]);
	threads = tb_topology_threads(cluster->topology[at]);
	assert_int_equal(strlen(holders), threads);
	cluster->reserved[at] = tb_bitset_create(threads);
	*node = (struct tb_used_node){
		.topology = cluster->topology[at],
		.books = { true, 1, 1 }, /* by thread */
		.most_cpus = UINT32_MAX,
		.placer = tb_placer_create(cluster->topology[at]),
		.reserved = cluster->reserved[at],
		.holders = cluster->holder_jobs[at],
		.required = required,
		.devices = cluster->devices[at],
	};
	for (unsigned h = 0; h < cluster->nholders; h++) {
		struct tb_bitset *used = tb_bitset_create(threads);

		cluster->used[at][h] = used;
		for (unsigned i = 0; i < threads; i++)
			if (holders[i] == (char)('a' + h))
				tb_bitset_set(used, i);
		if (!tb_bitset_is_empty(used))
			cluster->holder_jobs[at][node->nholders++] =
				(struct tb_holder_job){
					.holder = h,
					.threads = used,
					.cpus = tb_bitset_count(used),
					.bars = bars && !h,
					.devices = cluster->held[at][h],
				};
	}
	for (unsigned i = 0; i < threads; i++)
		if (holders[i] == '#')
			tb_bitset_set(cluster->reserved[at], i);
}

void clear_cluster(struct cluster *cluster)
{
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		tb_placer_destroy(cluster->nodes[i].placer);
		tb_topology_destroy(cluster->topology[i]);
		tb_bitset_destroy(cluster->reserved[i]);
		for (unsigned h = 0; h < cluster->nholders; h++)
			tb_bitset_destroy(cluster->used[i][h]);
	}
}

void print_ended(const struct tb_bitset *ended, char *text)
{
	*text = '\0';
	for (unsigned h = 0; h < ended->nbits; h++)
		if (tb_bitset_test(ended, h))
			sprintf(text + strlen(text), "%s%c", *text ? " " : "",
				'a' + h);
}

void begin_need(struct tb_need *need, struct tb_request *request,
		const char *text, unsigned tasks)
{
	tb_request_init(request);
	assert_int_equal(tb_request_parse(request, text, NULL), 0);
	assert_int_equal(tb_request_complete(request, NULL), 0);
	*need = (struct tb_need){ .request = request,
				  .asked = { .tasks = tasks,
					     .min_nodes = 1,
					     .max_nodes = NODES_MAX,
					     .task_cpus = 1,
					     .tasks_are_given = true } };
}

void begin_cluster(struct cluster *cluster)
{
	memset(cluster, 0, sizeof(*cluster));
	cluster->nholders = HOLDERS_MAX;
	for (unsigned i = 0; i < HOLDERS_MAX; i++)
		cluster->ends[i] = 10 * (i + 1);
}

struct tb_blockers *create_blockers(const struct cluster *cluster,
				    const struct tb_need *need)
{
	struct tb_blockers *blockers = tb_blockers_create(need, cluster->nodes,
							  cluster->nnodes,
							  cluster->ends,
							  cluster->nholders);

	assert_non_null(blockers);
	return blockers;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holder_cluster.h - a small cluster whose nodes holders have, for tests of blockers
 *
 * Each node has a topology and a character for each thread: '.' free, '#' reserved, which
 * no end frees, 'a' used by the first holder, and so on.
 */
#ifndef TB_TEST_HOLDER_CLUSTER_H
#define TB_TEST_HOLDER_CLUSTER_H

#include "core/plan/blockers.h"

#define NODES_MAX 4
#define HOLDERS_MAX 6
#define KINDS_MAX 2
#define NEVER TB_END_NEVER

struct cluster {
	unsigned nnodes;
	struct tb_used_node nodes[NODES_MAX];
	struct tb_topology *topology[NODES_MAX];
	struct tb_bitset *reserved[NODES_MAX];
	struct tb_bitset *used[NODES_MAX][HOLDERS_MAX];
	struct tb_holder_job holder_jobs[NODES_MAX][HOLDERS_MAX];
	int64_t ends[HOLDERS_MAX];
	unsigned nholders;
	uint32_t devices[NODES_MAX][KINDS_MAX];
	uint32_t held[NODES_MAX][HOLDERS_MAX][KINDS_MAX];
};

/* No nodes; the holders end at 10, 20 and so on. */
void begin_cluster(struct cluster *cluster);
/* A colon before the holders: who comes first of all bars others. */
void add_node(struct cluster *cluster, const char *topology,
	      const char *holders, bool required);
void clear_cluster(struct cluster *cluster);

/* So many tasks of one thread, on any number of nodes; tb_request_clear() it. */
void begin_need(struct tb_need *need, struct tb_request *request,
		const char *text, unsigned tasks);
struct tb_blockers *create_blockers(const struct cluster *cluster,
				    const struct tb_need *need);

/* "a c": who has to end; "" for none. */
void print_ended(const struct tb_bitset *ended, char *text);

#endif

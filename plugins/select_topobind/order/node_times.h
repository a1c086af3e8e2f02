/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node_times.h - when nodes are reserved, for the node allocation policies
 *
 * A reservation that the job may use is no obstacle to it.  Of a recurring
 * reservation only the next time counts.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_NODE_TIMES_H
#define TB_SELECT_TOPOBIND_ORDER_NODE_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "compat/select_compat.h"

/* How far is looked ahead: two months. */
#define TB_FREE_TIME_MAX (60 * 24 * 3600)

/* One for each node. */
struct tb_node_times {
	time_t *next; /* when the next reservation of others begins; 0: none */
	uint32_t *taken;  /* reserved seconds of the next two months */
	int8_t *affinity; /* 1: the job's own reservation, -1: of others, 0 */
};

/* For a job that begins at this time.  The caller clears. */
void tb_node_times_find(struct tb_node_times *times, const job_record_t *job,
			time_t start);
void tb_node_times_clear(struct tb_node_times *times);

/* Seconds from a job's end to the node's next reservation, or TB_GAP_NONE. */
int64_t tb_node_times_gap(const struct tb_node_times *times, uint32_t node,
			  time_t end);

#endif

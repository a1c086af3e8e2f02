/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_cores.c - nodes, cores and modes of a test, where the versions agree */
#include "select_compat.h"

#include <string.h>

#include "src/common/node_conf.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/slurm_topology.h"
#else
#include "src/interfaces/topology.h"
#endif
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
#define topology_g_get_node_addr slurm_topo_get_node_addr
#endif

#include "core_mask.h"
#include "select_ops.h"

uint32_t tb_node_count(void)
{
	return node_record_count;
}

uint64_t tb_node_memory_in_use(uint32_t node)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(25, 5, 0)
	dynamic_plugin_data_t *info =
		node_record_table_ptr[node]->select_nodeinfo;
	uint64_t memory = 0;

	if (info)
		tb_ops.select_nodeinfo_get(info->data,
					   SELECT_NODEDATA_MEM_ALLOC, 0,
					   &memory);
	return memory;
#elif SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
	return node_record_table_ptr[node]->alloc_memory;
#else
	return node_select_stats_array[node]->alloc_memory;
#endif
}

void tb_nodes_look_at_memory(void)
{
	tb_ops.select_nodeinfo_set_all();
}

uint32_t tb_node_first_core(uint32_t node)
{
	return cr_get_coremap_offset(node);
}

uint32_t tb_all_cores(void)
{
	return cr_get_coremap_offset(node_record_count);
}

/* Slurm says top.switch.node, or block.node, or just node. */
char *tb_node_place_in_network(uint32_t node)
{
	char *name = node_record_table_ptr[node]->name;
	char *place = NULL, *pattern = NULL;

	if (topology_g_get_node_addr(name, &place, &pattern) != SLURM_SUCCESS ||
	    !place || strlen(place) <= strlen(name)) {
		xfree(place);
		place = xstrdup("");
	} else {
		place[strlen(place) - strlen(name)] = '\0';
	}
	xfree(pattern);
	return place;
}

enum tb_mode tb_test_mode(const struct tb_test *test)
{
	if (SELECT_IS_MODE_TEST_ONLY(test->mode))
		return TB_TEST_ONLY;
	if (SELECT_IS_MODE_WILL_RUN(test->mode))
		return TB_WILL_RUN;
	return TB_RUN_NOW;
}

void tb_test_set_will_run(struct tb_test *test)
{
	test->mode = SELECT_MODE_WILL_RUN;
}

/* In sched_weight, as slurmctld has it. */
#define NEEDS_BOOT ((uint64_t)1 << 41)

uint64_t tb_node_own_weight(uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];
	uint64_t weight = (uint64_t)record->weight << TB_TRIED_GPUS_BITS;

	weight |= ((uint64_t)1 << TB_TRIED_GPUS_BITS) - 1;
	if (IS_NODE_POWERED_DOWN(record) || IS_NODE_POWERING_DOWN(record) ||
	    IS_NODE_REBOOT_REQUESTED(record) || IS_NODE_REBOOT_ISSUED(record))
		weight |= NEEDS_BOOT;
	return weight;
}

/*
 * From 24.11 on a question about when leaves other weights, in another scale, in the
 * records of those nodes that it was about.
 */
void tb_test_set_run_now(struct tb_test *test)
{
	test->mode = SELECT_MODE_RUN_NOW;
	for (bitoff_t i = bit_ffs(test->nodes), last = bit_fls(test->nodes);
	     i >= 0 && i <= last; i++)
		if (bit_test(test->nodes, i))
			node_record_table_ptr[i]->sched_weight =
				tb_node_own_weight((uint32_t)i);
}

time_t tb_test_asked_start(const struct tb_test *test)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(24, 11, 0)
	(void)test;
	return 0;
#else
	const will_run_data_t *will_run = test->will_run;

	return will_run ? will_run->start : 0;
#endif
}

void tb_mask_destroy(struct tb_mask *mask)
{
	if (!mask)
		return;
	for (uint32_t i = 0; i < mask->count; i++)
		FREE_NULL_BITMAP(mask->excluded[i]);
	xfree(mask->excluded);
	xfree(mask);
}

bool tb_job_runs_on(job_record_t *job, bitstr_t *nodes)
{
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
	return job_overlap_and_running(nodes, job);
#else
	return job_overlap_and_running(nodes, NULL, job); /* no licenses */
#endif
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * step_node.h - the node as a step sees it: its topology and its OS CPUs
 *
 * Most nodes are the machine on which slurmd runs.  A virtual node is not: it
 * is larger than its machine, or shaped otherwise, because the site says so in
 * topobind.conf or slurm.conf and has SlurmdParameters=config_overrides.  Its
 * CPUs do not exist, so nothing can be held there.
 */
#ifndef TB_TASK_TOPOBIND_STEP_STEP_NODE_H
#define TB_TASK_TOPOBIND_STEP_STEP_NODE_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/topology/topology.h"
#include "hwloc/machine.h"
#include "step_plan.h"

/* What Slurm and the site say of the node. */
struct tb_step_node_input {
	const char *machine_file; /* what slurmd has saved */
	const char *configured;	  /* topology string; NULL for none; one of
				     another count of cores is ignored */
	unsigned sockets, cores, threads; /* sockets of the node, cores of a
					     socket, threads of a core */
	bool overrides; /* the node may differ from the machine */
};

struct tb_step_node {
	struct tb_machine *machine;    /* NULL: a virtual node */
	struct tb_topology *described; /* what topobind.conf, for a virtual
					  node else slurm.conf says */
	unsigned cores;		       /* Slurm's cores */
	/* OS nodes that are the memory of the step's GPUs; NULL: none. */
	struct tb_bitset *gpu_memory;
};

/* 0, or -1 with a sentence in err; tb_step_node_close() is right after both. */
int tb_step_node_open(struct tb_step_node *node,
		      const struct tb_step_node_input *input,
		      struct tb_error *err);
void tb_step_node_close(struct tb_step_node *node);

bool tb_step_node_is_virtual(const struct tb_step_node *node);
const struct tb_topology *
tb_step_node_topology(const struct tb_step_node *node);

/*
 * The OS CPUs of some threads, and the OS nodes with memory near some, as new sets;
 * NULL when out of memory.  Memory of GPUs is that of the step's, wherever it is.  A
 * virtual node's are numbered like its threads and NUMA nodes, and have main memory.
 */
struct tb_bitset *tb_step_node_os_cpus(const struct tb_step_node *node,
				       const struct tb_bitset *threads);
struct tb_bitset *tb_step_node_os_nodes(const struct tb_step_node *node,
					struct tb_near near);

#endif

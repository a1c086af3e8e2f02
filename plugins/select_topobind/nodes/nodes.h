/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - the topology of each node, as the controller knows it
 *
 * First found wins: topobind.conf, the token m_topology= that the node published in its
 * Extra field, Slurm's own Sockets/Cores/Threads (doc/design.md, "Topology strings").
 * The NUMA distances come from where the string comes from, OS CPU numbers always from
 * the node.  Each distinct topology is parsed once and shared by its nodes.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_NODES_H
#define TB_SELECT_TOPOBIND_NODES_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/conf/conf.h"
#include "compat/select_compat.h"

#include "shape.h"

void tb_nodes_reset(const struct tb_conf *conf);
void tb_nodes_fini(void);

/*
 * The node's shape; NULL only when not even Slurm's own description can be used.
 * Looks at the node's record again when it has changed.
 */
struct tb_shape *tb_node_shape(uint32_t node);

/*
 * The same to place a job; NULL also where OnAnyHost=no excludes the node, where the
 * request names memory of GPUs and the node does not know which that is, and where it asks
 * for isolation and the node says that it cannot.
 */
struct tb_shape *tb_node_shape_for(uint32_t node, const job_record_t *job,
				   const struct tb_request *request);
/* Of a node whose shape was asked for: does it know which memory is that of its GPUs? */
bool tb_node_knows_gpu_memory(uint32_t node);
/* Likewise: does it say that jobs cannot have CPUs for themselves alone (bisolate)? */
bool tb_node_cannot_isolate(uint32_t node);

/*
 * Slurm's cores of which a node, whose shape was asked for, has lost a thread: no bound
 * job starts there now.  NULL: none.  Borrowed, until its shape is asked for again.
 */
const struct tb_bitset *tb_node_lost_cores(uint32_t node);

/*
 * Has a node, whose shape was asked for, more load than MaxLoad= of topobind.conf?  Then
 * no bound job starts there now.
 */
bool tb_node_is_overloaded(uint32_t node);

/*
 * Forget what nodes published before.  Nobody may have a shape in his hands; who keeps
 * one longer keeps its number.
 */
void tb_nodes_drop_unused(void);

/*
 * Drops what is unused.  Between these two calls nobody changes a node's record, as
 * slurmctld's locks are held, so each record is looked at once at most.
 */
void tb_nodes_freeze(void);
void tb_nodes_thaw(void);

/* The name of the job's partition in topobind.conf; NULL for none. */
const char *tb_job_partition(const job_record_t *job);

/*
 * What a filter of topobind.conf masks on a node with this shape: that of the
 * node, or else the one of the partition.  NULL: nothing.
 */
const struct tb_filter *tb_node_filter(uint32_t node,
				       const struct tb_shape *shape,
				       const struct tb_filter *of_partition);
/* That of the node, or else the one of the site. */
const struct tb_filter *tb_node_own_filter(uint32_t node,
					   const struct tb_shape *shape);
/* The filter of the job's partition; NULL for none. */
const struct tb_filter *tb_job_filter(const job_record_t *job);

/*
 * What is known of a node beside Slurm's own Sockets/Cores/Threads; NULL: nothing.
 * Borrowed, until its shape is asked for again.
 */
struct tb_node_stated {
	const char *topology, *distances, *memory, *os_cpus, *gpu_memory,
		*isolates, *speed, *lost;
};
struct tb_node_stated tb_node_stated(uint32_t node);

/*
 * The memory that jobs can have of each NUMA node of the node's shape, in MiB: what
 * is known of it, and together no more than RealMemory less MemSpecLimit.  False: it is
 * not known.
 */
bool tb_node_memory_sizes(uint32_t node, uint64_t *sizes);
/* Is it known, and counted, by Slurm too? */
bool tb_memory_is_counted(uint32_t node);

/*
 * By its request, or the site's: does the job have main memory of the NUMA nodes of its
 * units only?
 */
bool tb_job_is_local(const job_record_t *job, const struct tb_request *request);

/* By SpareDevices= of its partition, or the site's. */
bool tb_job_spares_devices(const job_record_t *job);

/* Whose memory is counted by NUMA node. */
enum tb_count_memory tb_counted_memory(void);

#endif

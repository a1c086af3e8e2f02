/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes.h - the topology of each node, as the controller knows it
 *
 * First found wins: topobind.conf, the token m_topology= that the node
 * published in its Extra field, Slurm's own Sockets/Cores/Threads (DESIGN.md,
 * section 2).  The NUMA distances come from where the string comes from.  What
 * is distinct is parsed once and shared by its nodes.
 */
#ifndef TB_SELECT_NODES_H
#define TB_SELECT_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/conf.h"
#include "compat/select_compat.h"
#include "core/bitset.h"
#include "core/place.h"
#include "core/share.h"
#include "core/topology.h"

#include "ledger.h"

/* T, C, Y, X, N and S, of power and of efficiency cores. */
#define TB_UNIT_KINDS 12

/* What all nodes with the same topology, distances and bits share. */
struct tb_shape {
	char *text;
	char *distances; /* core/distances.h, or NULL */
	struct tb_topology *topology;
	struct tb_placer *placer;
	bool by_thread; /* a Slurm core is a thread of the string */
	/* Scratch for one node at a time. */
	struct tb_bitset *used;    /* threads */
	struct tb_bitset *threads; /* threads */
	struct tb_bitset *cores;   /* Slurm cores of the node */
	struct tb_bitset *placed;  /* likewise; of offers.c */
	struct tb_holding *held;   /* by thread; see sharing.h */
	/* See unit_sizes.h: by kind of unit, and for which of them. */
	uint16_t *sizes[TB_UNIT_KINDS];
	uint16_t sizes_known;
};

void tb_nodes_reset(const struct tb_conf *conf);
void tb_nodes_fini(void);

/*
 * The node's shape; NULL only when even Slurm's own description cannot be
 * used.  Looks at the record again when it changed.
 */
struct tb_shape *tb_node_shape(uint32_t node);

/*
 * Between these two nobody changes a record, as slurmctld's locks are held: it is
 * looked at once at most.
 */
void tb_nodes_hold(void);
void tb_nodes_release(void);

/* The same for placing a job; NULL also where OnAnyHost=no keeps it off. */
struct tb_shape *tb_node_shape_for(uint32_t node, const job_record_t *job);

/* By what name topobind.conf knows the job's partition; NULL for none. */
const char *tb_job_partition(const job_record_t *job);

/* Slurm cores of a node to its threads and back; to is cleared first. */
void tb_shape_threads(const struct tb_shape *shape,
		      const struct tb_bitset *cores, struct tb_bitset *threads);
void tb_shape_cores(const struct tb_shape *shape,
		    const struct tb_bitset *threads, struct tb_bitset *cores);

/*
 * The Slurm cores of the node that a test must not use, into shape->cores: held
 * by jobs of the view (NULL: none are), set aside for the system (core
 * specialization), and held by reservations.  And what a filter of topobind.conf
 * masks for the test's job on the node; NULL: nothing.
 */
void tb_node_taken(uint32_t node, struct tb_shape *shape,
		   const struct tb_view *view, const struct tb_test *test);
const struct tb_filter *tb_node_filter(uint32_t node,
				       const struct tb_shape *shape,
				       const struct tb_filter *of_partition);
/* What topobind.conf says for the job's partition; NULL for none. */
const struct tb_filter *tb_job_filter(const job_record_t *job);

/*
 * Both, as the threads that a test must not use, into shape->used: held by jobs of the
 * view (NULL: none are), set aside for the system (core specialization), masked by a filter of
 * topobind.conf for the test's job, and held by reservations.
 */
void tb_node_used(uint32_t node, struct tb_shape *shape,
		  const struct tb_view *view, const struct tb_test *test);

/*
 * Write m_topology=, m_distances= and m_speed= (where known) and
 * m_topology_inuse= into Extra.
 */
void tb_node_show(uint32_t node);
/* The same where somebody has changed them, or published a topology. */
void tb_node_show_again(uint32_t node);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shape.h - what nodes with the same topology share, and their cores as threads
 *
 * Slurm counts cores; the core library counts the threads of the topology string.
 * Where a node's CPUs are threads to Slurm, its "cores" are the threads.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_SHAPE_H
#define TB_SELECT_TOPOBIND_NODES_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/select_compat.h"
#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/place/local_memory.h"
#include "core/place/place.h"
#include "core/topology/topology.h"

#include "scratch.h"

/* T, C, Y, X, N and S, of power and of efficiency cores. */
#define TB_UNIT_KINDS 12

/* What makes a shape: nodes of which all of it is the same have the same. */
struct tb_shape_text {
	const char *topology;
	const char *distances; /* core/topology/distances.h; NULL: not known */
	const char *os_cpus;   /* core/topology/os_cpus.h; NULL: not known */
};

/* What all nodes with the same such texts and number of cores share. */
struct tb_shape {
	/*
	 * No other shape has or had this number: who remembers a shape that may be gone
	 * remembers its number, as a new one can have its address.  Never 0.
	 */
	uint64_t number;
	bool used; /* of stock.c */
	char *text;
	char *distances; /* or NULL */
	char *os_cpus;	 /* or NULL */
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_numa_nodes *numa; /* in Slurm's cores */
	bool by_thread;		    /* a Slurm core is a thread of the string */
	uint32_t ncores;	    /* Slurm's */
	struct tb_scratch *scratch;
	/* Of unit_sizes.c: by kind of unit, and a bit for each that is known. */
	uint16_t *sizes[TB_UNIT_KINDS];
	uint16_t sizes_known;
};

/*
 * The shape of nodes with these texts, which are copied, and as many cores in
 * Slurm's books.  NULL with a sentence in err.
 */
struct tb_shape *tb_shape_create(const struct tb_shape_text *text,
				 uint32_t cores, struct tb_error *err);
void tb_shape_destroy(struct tb_shape *shape); /* NULL is fine */

/* Slurm's cores of a node as its threads, and back; the result is replaced. */
void tb_shape_threads(const struct tb_shape *shape,
		      const struct tb_bitset *cores, struct tb_bitset *threads);
void tb_shape_cores(const struct tb_shape *shape,
		    const struct tb_bitset *threads, struct tb_bitset *cores);

/* The threads of one of Slurm's cores. */
struct tb_thread_range {
	uint32_t first, count;
};
struct tb_thread_range tb_shape_core_threads(const struct tb_shape *shape,
					     uint32_t core);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h - sets for the work on one node at a time
 *
 * They are as large as the nodes of a shape, which owns them, so that no memory is
 * needed for each node.  Whoever begins the work on a node takes the scratch of its
 * shape and hands it on.  A function changes sets only of a scratch that is one of
 * its arguments, and its header says which sets it reads and which it leaves filled;
 * the others hold nothing afterwards that a caller may use.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_SCRATCH_H
#define TB_SELECT_TOPOBIND_NODES_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/place/share.h"

struct tb_scratch {
	struct tb_bitset *used;	  /* threads that a job cannot have */
	struct tb_bitset *masked; /* threads, if is_masked, of the site */
	bool is_masked;
	struct tb_thread_use *holders; /* by thread, of a test that may share */
	struct tb_bitset *threads;     /* threads */
	struct tb_bitset *cores;       /* Slurm's cores */
	struct tb_bitset *placed;      /* likewise: the last placement's */
	struct tb_bitset *state;   /* words: what tb_sharing_state() returns */
	struct tb_bitset *blocked; /* Slurm's cores: they lack memory */
	struct tb_bitset *tried;   /* likewise: those of a placement */
	uint64_t *memory;	   /* three numbers for each NUMA node */
	uint64_t *available;	   /* one for each: its free memory, in MiB */
};

/* The masked threads; NULL: none. */
static inline const struct tb_bitset *
tb_scratch_masked(const struct tb_scratch *scratch)
{
	return scratch->is_masked ? scratch->masked : NULL;
}

/* For nodes with so many of these.  NULL: out of memory. */
struct tb_scratch *tb_scratch_create(uint32_t threads, uint32_t cores,
				     uint32_t numa_nodes);
void tb_scratch_destroy(struct tb_scratch *scratch); /* NULL is fine */

#endif

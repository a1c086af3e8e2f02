/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.h - the shape of a node as a tree of lettered objects
 *
 * N NUMA node, S socket, X L3 cache, Y L2 cache, C power core, E efficiency
 * core, T hardware thread (DESIGN.md, section 2, has the grammar of the two
 * text forms).  A topology is immutable once made and can be shared.
 *
 * Threads and cores are numbered logically, 0..n-1, in the order of the
 * string; every object covers one contiguous range of threads.  OS CPU numbers
 * do not occur in the core.  Which threads are in use (lower case in a string)
 * is not part of the topology but a set beside it.
 */
#ifndef TB_CORE_TOPOLOGY_H
#define TB_CORE_TOPOLOGY_H

#include <stdbool.h>

#include "bitset.h"
#include "error.h"

/* Longest string that is read, in bytes. */
#define TB_TOPOLOGY_TEXT_MAX 65536

/* Core kinds: what a unit is made of. */
enum tb_core_kind {
	TB_POWER,      /* C cores */
	TB_EFFICIENCY, /* E cores */
};

struct tb_topology;

/*
 * Read either form.  *lower (may be NULL) receives a new set of the threads
 * that were lower case, which the caller destroys.  NULL with a sentence that
 * names the position (1-based column) on error.  Objects may be nested 64 deep.
 */
struct tb_topology *tb_topology_parse(const char *text,
				      struct tb_bitset **lower,
				      struct tb_error *err);
void tb_topology_destroy(struct tb_topology *topology); /* NULL is fine */

/*
 * The compact form when reading it gives back the same tree, else the
 * structured form.  Threads in lower (may be NULL: none) are printed lower
 * case, containers and cores when every thread below them is.  malloc()ed.
 */
char *tb_topology_print(const struct tb_topology *topology,
			const struct tb_bitset *lower);
/*
 * The compact form, even where reading it would give another tree: the shape
 * may be lost, the order of cores and threads never is.  It is what the vectors
 * call granted and inuse_after, and good for people to read.
 */
char *tb_topology_print_compact(const struct tb_topology *topology,
				const struct tb_bitset *lower);
char *tb_topology_print_structured(const struct tb_topology *topology,
				   const struct tb_bitset *lower);

/* The same tree: letters, nesting, order; case and distances do not count. */
bool tb_topology_same_shape(const struct tb_topology *a,
			    const struct tb_topology *b);

unsigned tb_topology_threads(const struct tb_topology *topology);
unsigned tb_topology_cores(const struct tb_topology *topology);

/* How many objects have this capital letter. */
unsigned tb_topology_count(const struct tb_topology *topology, char letter);

/* The i-th object of a letter in string order: its range of threads. */
void tb_topology_object(const struct tb_topology *topology, char letter,
			unsigned index, unsigned *first_thread,
			unsigned *threads);

/* One core, by its logical number. */
unsigned tb_core_first_thread(const struct tb_topology *topology,
			      unsigned core);
unsigned tb_core_threads(const struct tb_topology *topology, unsigned core);
enum tb_core_kind tb_core_kind(const struct tb_topology *topology,
			       unsigned core);

/*
 * Give the NUMA distances: count x count numbers, row by row, NUMA nodes in
 * string order; the smaller the nearer.  Copied.  -1 when count is not the
 * number of N objects or memory is short.
 */
int tb_topology_set_distances(struct tb_topology *topology,
			      const unsigned *distances, unsigned count,
			      struct tb_error *err);

/* Sets of cores to sets of threads and back; to is cleared first. */
void tb_threads_of_cores(const struct tb_topology *topology,
			 const struct tb_bitset *cores,
			 struct tb_bitset *threads);
/* Every core with at least one of the threads. */
void tb_cores_of_threads(const struct tb_topology *topology,
			 const struct tb_bitset *threads,
			 struct tb_bitset *cores);
/* Keep of each core only the first per_core of its threads in the set. */
void tb_limit_threads(const struct tb_topology *topology, unsigned per_core,
		      struct tb_bitset *threads);

#endif

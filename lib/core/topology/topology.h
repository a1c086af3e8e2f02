/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * topology.h - the shape of a node as a tree of lettered objects
 *
 * N NUMA node, S socket, X L3 cache, Y L2 cache, C power core, E efficiency
 * core, T hardware thread.  doc/design.md, "Topology strings", has the grammar of
 * the two text forms.  A topology does not change once it is made; many can use it.
 *
 * Threads and cores are numbered logically, 0..n-1, in the order of the string; every
 * object covers one contiguous range of threads.  What the OS calls them is known of
 * some nodes, and only for lists of OS CPUs.  Which threads are in use (lower case in a
 * string) is not part of the topology but a set beside it.
 */
#ifndef TB_CORE_TOPOLOGY_TOPOLOGY_H
#define TB_CORE_TOPOLOGY_TOPOLOGY_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

/* Longest string that is read, in bytes. */
#define TB_TOPOLOGY_TEXT_MAX 65536

/* Core kinds: what a unit is made of. */
enum tb_core_kind {
	TB_POWER,      /* C cores */
	TB_EFFICIENCY, /* E cores */
};

struct tb_topology;

/*
 * Read either form.  *lower (lower may be NULL) gets a new set of the threads that
 * were lower case; the caller destroys it.  On error NULL with a sentence that
 * names the column, counted from 1.  Objects may be nested 64 deep.
 */
struct tb_topology *tb_topology_parse(const char *text,
				      struct tb_bitset **lower,
				      struct tb_error *err);
void tb_topology_destroy(struct tb_topology *topology); /* NULL is fine */

/*
 * The compact form when reading it gives the same tree, else the structured form.
 * Threads in lower (may be NULL: none) are printed in lower case, and so are
 * containers and cores when all threads below them are in it.  malloc()ed, NULL
 * when out of memory.
 */
char *tb_topology_print(const struct tb_topology *topology,
			const struct tb_bitset *lower);
/*
 * The compact form, even where reading it would give another tree: the order of
 * cores and threads stays, the shape may be lost.  It is good for people to read;
 * test/data/binding_vectors.tsv has it in the columns granted and inuse_after.
 */
char *tb_topology_print_compact(const struct tb_topology *topology,
				const struct tb_bitset *lower);
char *tb_topology_print_structured(const struct tb_topology *topology,
				   const struct tb_bitset *lower);

/*
 * Have both the same letters, nesting and order?  Distances and OS CPU numbers do
 * not count.
 */
bool tb_topology_same_shape(const struct tb_topology *a,
			    const struct tb_topology *b);

unsigned tb_topology_threads(const struct tb_topology *topology);
unsigned tb_topology_cores(const struct tb_topology *topology);

/* How many objects the node has of a capital letter. */
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
 * Set the NUMA distances: count x count numbers, row by row, NUMA nodes in string
 * order; the smaller the nearer.  They are copied.  -1 with a sentence when count
 * is not the number of N objects, or when out of memory.
 */
int tb_topology_set_distances(struct tb_topology *topology,
			      const unsigned *distances, unsigned count,
			      struct tb_error *err);

/*
 * Set the OS CPU number of each thread; they are copied.  -1 with a sentence when
 * out of memory.  They are all different (os_cpus.h).
 */
int tb_topology_set_os_cpus(struct tb_topology *topology,
			    const unsigned *os_cpus, struct tb_error *err);
/* They, by thread; NULL when they are not known.  Owned by the topology. */
const unsigned *tb_topology_os_cpus(const struct tb_topology *topology);

/* All threads of the cores.  What threads had before is cleared. */
void tb_threads_of_cores(const struct tb_topology *topology,
			 const struct tb_bitset *cores,
			 struct tb_bitset *threads);
/* All cores with at least one of the threads, likewise. */
void tb_cores_of_threads(const struct tb_topology *topology,
			 const struct tb_bitset *threads,
			 struct tb_bitset *cores);
/* How many these are. */
unsigned tb_count_cores_with(const struct tb_topology *topology,
			     const struct tb_bitset *threads);
/* Keep only the first per_core threads of each core that the set has. */
void tb_limit_threads(const struct tb_topology *topology, unsigned per_core,
		      struct tb_bitset *threads);

#endif

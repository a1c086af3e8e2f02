/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - what a struct tb_topology is made of
 *
 * Private to lib/core.  The objects of a node, its "tree nodes", lie in one
 * array in the order of the string (pre-order).  Element 0 is a root without a
 * letter; the outermost objects are its children.  Threads are no tree nodes: a
 * core has a range of them.  What placement needs often is in tables, so that it
 * does not walk the tree.
 */
#ifndef TB_CORE_TOPOLOGY_TREE_H
#define TB_CORE_TOPOLOGY_TREE_H

#include <stdint.h>

#include "nesting.h"
#include "topology.h"
#include "unit.h"

/* Real machines have up to seven; the bound makes plain recursion safe. */
#define TB_DEPTH_MAX 64

/* What can be counted and granted: the four containers, cores, threads. */
enum tb_class {
	TB_CLASS_N,
	TB_CLASS_S,
	TB_CLASS_X,
	TB_CLASS_Y, /* as enum tb_outer */
	TB_CLASS_CORE,
	TB_CLASS_THREAD,
	TB_CLASSES
};

struct tb_tree_node {
	/*
	 * How many objects of each class begin before this one.  From here up
	 * to the same number of the node at 'end' are the objects below this
	 * node, the node itself included.
	 */
	uint32_t before[TB_CLASSES];
	uint32_t end; /* index after the last node below this one */
	uint32_t parent;
	uint32_t first_child; /* into children[] */
	uint32_t nchildren;
	uint16_t level; /* of a container: into levels[] */
	uint8_t kinds;	/* bit 1 << enum tb_core_kind for each below */
	char letter;	/* a capital; '\0' for the root */
};

/*
 * Containers of one letter, of one nesting depth of that letter: in
 * N(N(C)(C)) there are two levels.  Outermost first.
 */
struct tb_level {
	char letter;
	uint32_t count;		   /* how many there are */
	uint32_t most[TB_CLASSES]; /* objects of a class in the largest one */
};

struct tb_topology {
	struct tb_tree_node *nodes; /* nnodes, and one more with the totals */
	uint32_t nnodes;
	uint32_t nthreads, ncores;
	uint32_t *children; /* node indexes, by parent, in string order */
	uint32_t most_children;
	uint32_t *objects[TB_CLASS_CORE + 1]; /* node indexes of a class */
	uint32_t *thread_core; /* logical core of a logical thread */
	struct tb_bitset *kind_threads[2]; /* by enum tb_core_kind */
	struct tb_bitset *kind_cores[2];
	struct tb_bitset *core_ends; /* the last thread of each core */
	struct tb_level *levels;
	uint32_t nlevels;
	unsigned *distances;   /* N x N, or NULL when not known */
	unsigned *os_cpus;     /* by thread, or NULL when not known */
	bool distances_differ; /* not all NUMA nodes are as far apart */
	bool compact;	       /* the compact form gives this tree */
};

/* A run of objects of one class. */
struct tb_run {
	uint32_t first, count;
};

/* The objects of a class in the subtree of a node. */
static inline struct tb_run tb_run_below(const struct tb_topology *topology,
					 uint32_t node, enum tb_class class)
{
	const struct tb_tree_node *at = &topology->nodes[node];
	uint32_t first = at->before[class];

	return (struct tb_run){ first, topology->nodes[at->end].before[class] -
					       first };
}

/* TB_CLASSES for anything but a capital letter of the topology. */
enum tb_class tb_class_of_letter(char letter);

/* The objects that are units on this node; unit.h says which. */
enum tb_class tb_class_of_unit(const struct tb_topology *topology,
			       struct tb_unit unit);

/* The threads of the i-th object of a class, of both kinds. */
struct tb_run tb_threads_of_object(const struct tb_topology *topology,
				   enum tb_class class, uint32_t object);

/* Does the i-th object of a class have a thread of the kind? */
bool tb_object_has_kind(const struct tb_topology *topology, enum tb_class class,
			uint32_t object, enum tb_core_kind kind);
/* Does it, and is none of these threads in used?  used may be NULL. */
bool tb_object_is_free(const struct tb_topology *topology, enum tb_class class,
		       uint32_t object, enum tb_core_kind kind,
		       const struct tb_bitset *used);
/* Does it, and is not all of them in masked?  masked may be NULL. */
bool tb_object_runs_tasks(const struct tb_topology *topology,
			  enum tb_class class, uint32_t object,
			  enum tb_core_kind kind,
			  const struct tb_bitset *masked);

/*
 * Of one word of a set of threads the last thread of each core with any of them.  To
 * all but the last thread of each core ones are added: a thread of the set among them
 * carries into the last thread, and no further.  *carry is 0 before the first word; the
 * last word's ones past the end carry nowhere.
 */
static inline uint64_t tb_core_ends_with(uint64_t ends, uint64_t threads,
					 uint64_t *carry)
{
	uint64_t rest = threads & ~ends;
	uint64_t sum = rest + ~ends + *carry;

	*carry = sum < rest || (*carry && sum == rest);
	return ends & (sum | threads);
}

/* The next object of the class that does not lie inside this one. */
uint32_t tb_object_after(const struct tb_topology *topology,
			 enum tb_class class, uint32_t object);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine_private.h - the inside of a machine, for the files that make one: load.c and
 * memory_nodes.c (hwloc), and cache.c (the saved file)
 */
#ifndef TB_HWLOC_MACHINE_PRIVATE_H
#define TB_HWLOC_MACHINE_PRIVATE_H

#include "machine.h"

/* Linux has at most 2^10 NUMA nodes. */
#define TB_MACHINE_NUMA_MAX 1024

/* A NUMA node with memory and the threads that it is local to. */
struct tb_memory_node {
	unsigned os_node;
	enum tb_memory_kind kind;
	struct tb_bitset *threads;
	uint64_t size; /* MiB, or 0: not known; not saved */
	/* Where the GPU is whose memory this is; of other kinds never known. */
	bool has_address;
	struct tb_pci_address address;
};

struct tb_machine {
	struct tb_topology *topology;
	char *string;
	unsigned *os_cpus; /* per thread */
	unsigned os_cpu_limit;
	unsigned numa_nodes;
	unsigned *numa_os_nodes; /* per N in string order */
	unsigned *distances;	 /* numa_nodes squared, or NULL */
	unsigned speed;		 /* MHz, or 0; not saved */
	unsigned memory_nodes;
	struct tb_memory_node *memory;
	unsigned os_node_limit;
};

/*
 * A machine with this topology (either form) and room for the numbers of its
 * threads and N objects, all zero; no distances, no memory.  NULL with a
 * sentence in err.
 */
struct tb_machine *tb_machine_create(const char *topology_text,
				     struct tb_error *err);

/* Add a memory node; a copy of threads is kept.  -1 when out of memory. */
int tb_machine_add_memory(struct tb_machine *machine, unsigned os_node,
			  enum tb_memory_kind kind,
			  const struct tb_bitset *threads,
			  struct tb_error *err);

/*
 * After everything was filled in: check that no number occurs twice or is out
 * of bounds, and hand the distances to the topology.
 */
int tb_machine_finish(struct tb_machine *machine, struct tb_error *err);

/*
 * The machine of a saved file's text, which it cuts up; path is for messages.
 * NULL with a sentence in err.
 */
struct tb_machine *tb_machine_read_text(const char *path, char *text,
					struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * machine.h - a real machine behind a topology string
 *
 * The topology of a node (doc/design.md, "Topology strings") together with
 * what the operating system calls its parts: the OS CPU number of every
 * logical thread, the OS number of every NUMA node, NUMA distances, and which
 * NUMA nodes have memory near which threads.
 *
 * hwloc is slow to load and a task launch must cost next to nothing, so slurmd
 * loads the machine once and saves it; slurmstepd reads the small file.
 *
 * "Thread" is always a logical thread, a position in the string; "OS CPU" and
 * "OS node" are the kernel's numbers.  A machine is immutable once made and
 * can be shared.  The functions that return sets allocate them: the caller
 * destroys, NULL means out of memory.
 */
#ifndef TB_HWLOC_MACHINE_H
#define TB_HWLOC_MACHINE_H

#include "core/base/bitset.h"
#include "core/base/error.h"
#include "core/topology/gpu_memory.h"
#include "core/topology/memory_kind.h"
#include "core/topology/topology.h"

/* OS CPU and OS node numbers are below this. */
#define TB_MACHINE_OS_MAX 65536
/* A saved machine is not larger than this, in bytes. */
#define TB_MACHINE_FILE_MAX (2 * 1024 * 1024)

struct tb_machine;

/*
 * Make a machine from what hwloc says of this machine (live: only the CPUs and
 * memory that this process may use, whole: all of them), of an hwloc XML file, or
 * of an hwloc synthetic description ("pack:2 l3:4 core:8 pu:2").  NULL with a
 * sentence in err when that cannot be loaded.
 */
struct tb_machine *tb_machine_load_live(struct tb_error *err);
struct tb_machine *tb_machine_load_whole(struct tb_error *err);
struct tb_machine *tb_machine_load_xml(const char *path, struct tb_error *err);
struct tb_machine *tb_machine_load_synthetic(const char *text,
					     struct tb_error *err);
void tb_machine_destroy(struct tb_machine *machine); /* NULL is fine */

/*
 * Write the machine to path, or read back what was written.  Saving
 * replaces the file as a whole (files/replace_file.h).  Reading trusts nothing:
 * it follows no link, wants a regular file that belongs to root and that nobody
 * else can write, and checks every number.  The directory must be one that only
 * root can write.  0 or a machine; -1 or NULL with a sentence in err.
 */
int tb_machine_save(const struct tb_machine *machine, const char *path,
		    struct tb_error *err);
struct tb_machine *tb_machine_read(const char *path, struct tb_error *err);

/*
 * The topology, with its OS CPU numbers, and with its NUMA distances set when they are
 * known, and its string in the form that tb_topology_print() chooses.  Owned by the
 * machine.
 */
const struct tb_topology *tb_machine_topology(const struct tb_machine *machine);
const char *tb_machine_string(const struct tb_machine *machine);

/* The OS CPU number of a logical thread. */
unsigned tb_machine_os_cpu(const struct tb_machine *machine, unsigned thread);

/* A set of threads as one of OS CPUs: nbits is the largest of all plus one. */
struct tb_bitset *
tb_machine_os_cpus_of_threads(const struct tb_machine *machine,
			      const struct tb_bitset *threads);

/* How many N objects the string has, and the OS node number of each. */
unsigned tb_machine_numa_nodes(const struct tb_machine *machine);
unsigned tb_machine_numa_os_node(const struct tb_machine *machine,
				 unsigned numa_node);
/*
 * Distances between the N objects, row by row in string order, numa_nodes
 * squared numbers; NULL when the machine does not say.
 */
const unsigned *tb_machine_distances(const struct tb_machine *machine);

/*
 * The clock of its fastest CPUs in MHz: the largest base frequency that hwloc
 * knows of, where it knows none the largest maximum frequency; 0 where it knows
 * neither, and of a machine that was saved and read back.
 */
unsigned tb_machine_speed(const struct tb_machine *machine);

/*
 * Main memory of an N object in MiB: of the NUMA nodes that are local to just its
 * threads.  0 where that is not known, and of a machine that was saved and read back.
 */
uint64_t tb_machine_numa_memory(const struct tb_machine *machine,
				unsigned numa_node);

/*
 * OS nodes that have memory of some kinds (a set): all of them, and those near some
 * threads, which are the ones that hwloc says are local to at least one of the
 * threads.  Main memory that is local to the whole machine is nobody's: it is in
 * the second only where one of the threads has nothing nearer.  A thread without
 * any local main memory has all main memory, and so have threads of which it is
 * one.  Other kinds never stand in for main memory.
 */
struct tb_bitset *tb_machine_memory(const struct tb_machine *machine,
				    unsigned kinds);
struct tb_bitset *tb_machine_memory_of_threads(const struct tb_machine *machine,
					       const struct tb_bitset *threads,
					       unsigned kinds);

/*
 * The OS nodes that are the memory of a GPU that Linux names, in the order of hwloc:
 * how many, and where these GPUs are.  The caller frees; NULL: out of memory.
 */
struct tb_gpu_numa *tb_machine_gpu_memory(const struct tb_machine *machine,
					  unsigned *count);

#endif

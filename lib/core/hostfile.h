/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostfile.h - a job's slots as files that MPI's mpirun reads
 *
 * Nodes are added in the order of the job's tasks, with what they have granted;
 * then the ranks are dealt and printed.  Rank i is task i of the job in Slurm's
 * default layout: one after the other the nodes get a rank each, until none is
 * left or no node has another slot, and then the ranks are numbered node by node.
 * Rank i of a node has slot i, as tb_place_again() has them.  With btype=host
 * all ranks of a node share its units and as many go there as its CPUs take.
 * Tasks for which there is no slot (--overcommit) get no rank.
 *
 * Four formats:
 *   PE        "host slots partition socket:core,..."; Grid Engine's pe_hostfile.
 *             The numbers are those of the whole node.
 *   OPENMPI   "host slots=N"; Open MPI's --hostfile
 *   MPICH     "host:N"; the host file of MPICH and Intel MPI
 *   RANKS     "rank I=host slot=socket:core-core,..."; Open MPI's --rankfile.
 *             The numbers are those that a process in the job sees: sockets and
 *             cores that the job does not have are not counted (seen with Open
 *             MPI 4.1.4, which numbers what hwloc finds in its cpuset).
 */
#ifndef TB_CORE_HOSTFILE_H
#define TB_CORE_HOSTFILE_H

#include <stdbool.h>

#include "error.h"
#include "request.h"
#include "topology.h"

/* Open MPI 4 copies "host slot=list" of a rank into 64 bytes, unchecked. */
#define TB_RANK_TEXT_MAX 63

enum tb_hostfile_format {
	TB_HOSTFILE_PE, TB_HOSTFILE_OPENMPI, TB_HOSTFILE_MPICH,
	TB_HOSTFILE_RANKS
};

struct tb_hostfile_job {
	const struct tb_request *request; /* binds; outlives the file */
	const char *partition;	 /* copied */
	unsigned tasks;		 /* 0: one for each node, or tasks_per_node */
	unsigned tasks_per_node; /* at most; 0: any number */
	unsigned cpus_per_task;	 /* 0: 1 */
};

struct tb_hostfile;

/* NULL when out of memory. */
struct tb_hostfile *tb_hostfile_create(const struct tb_hostfile_job *job);
void tb_hostfile_destroy(struct tb_hostfile *file); /* NULL is fine */

/*
 * The job's next node: its name and its topology with the granted units in
 * lower case.  Equal strings are read once.  -1 with a sentence.
 */
int tb_hostfile_add(struct tb_hostfile *file, const char *name,
		    const char *grant, struct tb_error *err);

/*
 * The text, once all nodes are there.  malloc()ed; NULL with a sentence, also
 * when Open MPI could not read the line of a rank.
 */
char *tb_hostfile_print(struct tb_hostfile *file,
			enum tb_hostfile_format format, struct tb_error *err);

/*
 * The same for who prints it otherwise.  Ranks are dealt once all nodes are
 * there; a node's strings and sets are the file's, valid as long as it is.
 */
struct tb_hostfile_node {
	const char *name, *grant;
	const struct tb_topology *topology;
	const struct tb_bitset *threads; /* granted */
	unsigned ranks;
	unsigned slots; /* 1 with btype=host: all ranks share it */
};
void tb_hostfile_deal(struct tb_hostfile *file);
/* The i-th node; false when there are no more. */
bool tb_hostfile_node(const struct tb_hostfile *file, unsigned i,
		      struct tb_hostfile_node *node);
/* The threads of a slot of the i-th node. */
void tb_hostfile_slot(const struct tb_hostfile *file, unsigned i,
		      unsigned slot, struct tb_bitset *threads);

/*
 * Are there nodes on which the job has other cores, but as many of everything?
 * Open MPI 4 takes the topology of the first for that of the others (it compares
 * counts only), so with a rank file it tries to bind their ranks elsewhere.
 */
bool tb_hostfile_has_lookalikes(const struct tb_hostfile *file);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostfile.h - a job's slots as files that MPI's mpirun reads
 *
 * The caller adds nodes in the order of the job's tasks, with the grant of each;
 * then ranks are dealt and printed.  Rank i is task i of the job in Slurm's default
 * layout: one node after the other gets a rank, again and again, until no rank is
 * left or no node has another slot; then the ranks are numbered node by node.
 * Rank i of a node has slot i, as tb_place_again() gives them.  With btype=host
 * all ranks of a node share its units, and a node gets as many as its CPUs take.
 * Tasks without a slot (--overcommit) get no rank.  No rank runs on masked threads
 * (core/place/place.h).
 *
 * Four formats:
 *   PE        "host slots partition socket:core,..."; Grid Engine's pe_hostfile.
 *             The numbers are those of the whole node.
 *   OPENMPI   "host slots=N"; Open MPI's --hostfile
 *   MPICH     "host:N"; the host file of MPICH and Intel MPI
 *   RANKS     "rank I=host slot=socket:core-core,..."; Open MPI's --rankfile.
 *             The numbers are those that a process in the job sees: sockets and
 *             cores that the job does not have do not count (Open MPI 4.1.4
 *             numbers what hwloc finds in its cpuset).
 */
#ifndef TB_CORE_MPI_HOSTFILE_H
#define TB_CORE_MPI_HOSTFILE_H

#include <stdbool.h>

#include "core/base/error.h"
#include "core/request/filter.h"
#include "core/request/request.h"
#include "core/topology/topology.h"

/* Open MPI 4 copies "host slot=list" of a rank into 64 bytes without a check. */
#define TB_RANK_TEXT_MAX 63

enum tb_hostfile_format {
	TB_HOSTFILE_PE,
	TB_HOSTFILE_OPENMPI,
	TB_HOSTFILE_MPICH,
	TB_HOSTFILE_RANKS
};

struct tb_hostfile_job {
	const struct tb_request *request; /* binds; outlives the file */
	const char *partition;		  /* copied */
	unsigned tasks;		 /* 0: one for each node, or tasks_per_node */
	unsigned tasks_per_node; /* at most; 0: any number */
	unsigned cpus_per_task;	 /* 0: 1 */
};

struct tb_hostfile;

/* NULL when out of memory. */
struct tb_hostfile *tb_hostfile_create(const struct tb_hostfile_job *job);
void tb_hostfile_destroy(struct tb_hostfile *file); /* NULL is fine */

/*
 * Add the job's next node: its name, its topology with the granted units in lower
 * case, and the filter of the site there (NULL: none; it outlives the file).  Equal
 * strings are read once for each filter.  -1 with a sentence on error.
 */
int tb_hostfile_add(struct tb_hostfile *file, const char *name,
		    const char *grant, const struct tb_filter *filter,
		    struct tb_error *err);

/*
 * The text, after all nodes were added.  malloc()ed.  NULL with a sentence on
 * error, also when Open MPI could not read the line of a rank.
 */
char *tb_hostfile_print(struct tb_hostfile *file,
			enum tb_hostfile_format format, struct tb_error *err);

/*
 * The same for callers that print something else.  Ranks are dealt after all nodes
 * were added.  The file owns the strings and sets of its nodes.
 */
struct tb_hostfile_node {
	const char *name, *grant;
	const struct tb_topology *topology;
	const struct tb_bitset *threads; /* granted */
	unsigned ranks;
	unsigned slots; /* 1 with btype=host: all ranks share it */
};
void tb_hostfile_deal(struct tb_hostfile *file);
/* Also to tasks that have no slot for themselves; task i of a node has slot i % slots. */
void tb_hostfile_deal_all(struct tb_hostfile *file);
/* The i-th node; false when there are no more. */
bool tb_hostfile_node(const struct tb_hostfile *file, unsigned i,
		      struct tb_hostfile_node *node);
/* The threads of a slot of the i-th node. */
void tb_hostfile_slot(const struct tb_hostfile *file, unsigned i, unsigned slot,
		      struct tb_bitset *threads);

/*
 * Are there nodes on which the job has different cores, but as many of each kind
 * of object?  Open MPI 4 compares only these numbers and mistakes the topology of
 * the first such node for that of the others; with a rank file it then binds their
 * ranks to wrong cores.
 */
bool tb_hostfile_has_lookalikes(const struct tb_hostfile *file);

#endif

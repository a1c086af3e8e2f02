/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_cores.h - the grant of a job on a node, by Slurm's books
 *
 * For large jobs, whose SystemComment has no room for it: the cores in the job's
 * record, and the shape of the node in m_topology_inuse= of its Extra field.
 */
#ifndef TB_COMMON_JOB_JOB_CORES_H
#define TB_COMMON_JOB_JOB_CORES_H

#include <slurm/slurm.h>

#include "core/base/error.h"
#include "core/topology/topology.h"

struct tb_job_cores;

/*
 * One question to the controller.  info is the record of a job that was asked
 * for with SHOW_DETAIL; it outlives the cores.  NULL with a sentence.
 */
struct tb_job_cores *tb_job_cores_load(const job_info_t *info,
				       struct tb_error *err);
void tb_job_cores_destroy(struct tb_job_cores *cores); /* NULL is fine */

/*
 * The topology string of the node with the job's units in lower case.
 * malloc()ed; NULL with a sentence.
 */
char *tb_job_cores_grant(const struct tb_job_cores *cores, const char *node,
			 struct tb_error *err);

/*
 * The threads of a node that a job has booked, by its record alone (asked for
 * with SHOW_DETAIL), into threads; the topology is the node's.  -1 with a
 * sentence when it has another size, or the job has nothing there.
 */
int tb_job_cores_threads(const job_info_t *info, const node_info_t *node,
			 const struct tb_topology *topology,
			 struct tb_bitset *threads, struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_slurm.h - a map of what Slurm says of its nodes and jobs
 */
#ifndef TB_TOOLS_MAP_MAP_SLURM_H
#define TB_TOOLS_MAP_MAP_SLURM_H

#include "cluster/job_id.h"
#include "map.h"

/*
 * Ask the controller for the nodes (a node list; NULL: all) and the jobs on
 * them.  NULL with a sentence when it does not answer or a node is unknown.
 * What a single node or job says that cannot be understood is reported by
 * warn, with a sentence, and left out.
 */
struct tb_map *tb_map_load_slurm(const char *nodes,
				 void (*warn)(const char *sentence),
				 struct tb_error *err);

/* The same of the nodes of a job, with its tasks (map_tasks.h) and no other jobs. */
struct tb_map *tb_map_load_tasks(const struct tb_job_id *id,
				 void (*warn)(const char *sentence),
				 struct tb_error *err);

#endif

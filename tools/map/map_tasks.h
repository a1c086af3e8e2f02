/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map_tasks.h - the tasks of one job in a map, each as if it were a job
 *
 * They have the job's id, and names such as "task 3".  Of a job without a binding
 * tasks have no threads of their own: it is in the map as a whole.
 */
#ifndef TB_TOOLS_MAP_MAP_TASKS_H
#define TB_TOOLS_MAP_MAP_TASKS_H

#include "jobs/job_view.h"
#include "map.h"

/*
 * The nodes of the jobs (all tasks of an array, all parts of a heterogeneous job) as
 * a list; malloc()ed.  NULL with a sentence: they have none.
 */
char *tb_map_tasks_nodes(const struct tb_job_views *views,
			 struct tb_error *err);

/* Nodes that are not in the map are passed over.  -1 with a sentence. */
int tb_map_add_tasks(struct tb_map *map, const struct tb_job_views *views,
		     struct tb_error *err);

#endif

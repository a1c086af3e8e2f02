/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_counts.h - do nodes have the devices that a job asks for, wherever these are?
 *
 * Devices of one kind, counted.  Which of them units are near, and where they must be,
 * is left to place/device_affinity.h.  slurmctld (try/device_reach.h) and the command
 * (class_search.h) both ask.
 */
#ifndef TB_CORE_PLAN_DEVICE_COUNTS_H
#define TB_CORE_PLAN_DEVICE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "asked.h"
#include "reach.h"

/*
 * One number of devices, for each node, for each task or for all nodes together, in that
 * case perhaps for so many tasks each.
 */
struct tb_devices_asked {
	uint64_t per_node, per_task, per_job;
	uint32_t tasks_each;
	uint64_t megabytes; /* of memory that go with each */
};

/*
 * How many tasks can a node have that holds so many, with so many free devices?  each:
 * as many as it must have, 0: any number.
 */
struct tb_reach_range tb_devices_range(const struct tb_devices_asked *asked,
				       uint32_t each, uint32_t tasks,
				       uint32_t free);

/* Of these those that a node has with so many of the devices for all nodes. */
struct tb_reach_range
tb_devices_range_with(const struct tb_devices_asked *asked,
		      struct tb_reach_range range, uint32_t devices);

/*
 * On more nodes than there are devices for the job each has one all the same: let the
 * nodes be asked for so.  False: the job is on no more nodes.
 */
bool tb_devices_ask_one_each(const struct tb_devices_asked *asked,
			     struct tb_reach_node *nodes, uint32_t count,
			     struct tb_reach_job *job);

/* tb_reach(), and if need be so.  Changes nodes. */
enum tb_reached tb_devices_reach(const struct tb_devices_asked *asked,
				 struct tb_reach_node *nodes, uint32_t count,
				 struct tb_reach_job job);

/*
 * --ntasks-per-gpu: how many tasks each of so many devices for the job has; 0: any
 * number.  With --overcommit they share the slot of their node, whatever is there.
 */
uint32_t tb_devices_tasks_each(uint64_t per_job, uint32_t each, uint32_t tasks,
			       bool overcommit);

/*
 * With --overcommit the tasks of a node share its slot.  Has each of them devices of its
 * own, so that it counts which node has how many tasks?
 */
bool tb_devices_count_tasks(const struct tb_devices_asked *devices,
			    const struct tb_asked *asked);

/*
 * The job for tb_reach().  hosts: tasks share the units of their node.  *each becomes
 * what tb_devices_range() wants.
 */
struct tb_reach_job tb_devices_job(const struct tb_asked *asked, bool hosts,
				   const struct tb_devices_asked *devices,
				   uint32_t min_nodes, uint32_t max_nodes,
				   uint32_t *each);

/*
 * Add the memory that goes with the devices of a node; of those for all nodes, of which
 * the job has so many at most, each has an even share.
 */
void tb_devices_add_memory(const struct tb_devices_asked *asked, uint32_t nodes,
			   uint64_t *per_node, uint64_t *per_slot);

/* A node: the tasks that it holds, and its free devices. */
struct tb_devices_node {
	uint32_t tasks, free;
	bool required;
};

/*
 * Do nodes hold the job and all devices that it asks for on all nodes together?  job and
 * each as tb_devices_job() says.  True where nobody knows.
 */
bool tb_devices_suffice(const struct tb_devices_asked *asked,
			const struct tb_reach_job *job, uint32_t each,
			const struct tb_devices_node *nodes, uint32_t count);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * asked.h - how many slots a job needs, of what it says of tasks and nodes
 *
 * A job needs a slot for each task, and for each of its nodes; one that does not say
 * how many tasks it has has one on each node, or as many as --ntasks-per-node says.
 * With --overcommit the tasks of a node share one slot. slurmctld (request/job_asked.h)
 * and the command (job_spec.h) both ask.
 */
#ifndef TB_CORE_PLAN_ASKED_H
#define TB_CORE_PLAN_ASKED_H

#include <stdbool.h>
#include <stdint.h>

/* As the job's record has it, and 0 for what is not said. */
struct tb_asked {
	uint32_t tasks;		 /* in all */
	uint32_t tasks_per_node; /* --ntasks-per-node */
	uint32_t min_nodes, max_nodes;
	uint32_t required;    /* nodes that it names */
	uint32_t task_cpus;   /* -c */
	uint32_t node_cpus;   /* Slurm's pn_min_cpus */
	bool tasks_are_given; /* -n */
	bool may_be_fewer;    /* of them on a node than --ntasks-per-node */
	bool overcommit;
	bool in_part; /* as tb_job_is_asked_in_part() says */
};

uint32_t tb_asked_slots(const struct tb_asked *asked);

/*
 * On exactly so many nodes, and with exactly so many slots, wherever it starts; 0: that
 * is known when it has started.
 */
uint32_t tb_asked_known_nodes(const struct tb_asked *asked);
uint32_t tb_asked_known_slots(const struct tb_asked *asked);

/* At most so many of them on one node. */
uint32_t tb_asked_slots_of_node(const struct tb_asked *asked);

/* At least so many on each of its nodes, as Slurm wants them; 0: it wants none. */
uint32_t tb_asked_slots_of_each(const struct tb_asked *asked);

/*
 * For hosts: their tasks share units, so that --ntasks-per-node only limits how many of
 * them a node has, whoever said how many there are.
 */
uint32_t tb_asked_exact_tasks(const struct tb_asked *asked);

/* As many as it needs, and no more; 0: its nodes say how many. */
uint32_t tb_asked_exact_slots(const struct tb_asked *asked);

/*
 * CPUs that the job asks for on each node: --mincpus, and what MaxMemPerCPU makes of
 * --mem.  Slurm also puts there those of as many tasks as --ntasks-per-node says:
 * here they are those of the fewest tasks that a node can have.
 */
uint32_t tb_asked_cpus_of_node(const struct tb_asked *asked);

/* So many nodes at least have its tasks, as --ntasks-per-node says; 0: any number. */
uint32_t tb_asked_least_hosts(const struct tb_asked *asked);

/* On how many of so many nodes it can be: each has a slot. */
uint32_t tb_asked_most_nodes(const struct tb_asked *asked, uint32_t nodes);

/*
 * The CPUs that hold all tasks on one node of the most nodes that it may have now;
 * UINT32_MAX: others may hold some.
 */
uint32_t tb_asked_cpus_on_one(const struct tb_asked *asked,
			      uint32_t most_nodes);

#endif

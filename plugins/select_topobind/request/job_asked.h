/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_asked.h - what a job's record says that it asks for beside its units
 *
 * Of tasks, CPUs and nodes what core/plan/asked.h makes of it; and whom its partition lets
 * it share them with.  A scaled job (try/scale.h) asks for something else.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_JOB_ASKED_H
#define TB_SELECT_TOPOBIND_REQUEST_JOB_ASKED_H

#include <stdbool.h>

#include "compat/select_compat.h"
#include "core/plan/asked.h"

/* What the job asks for, and what core/plan/asked.h says of it. */
struct tb_asked tb_job_asked(const job_record_t *job);
uint32_t tb_job_slots(const job_record_t *job);
uint32_t tb_job_slots_per_node(const job_record_t *job);
uint32_t tb_job_least_hosts(const job_record_t *job);
uint32_t tb_job_exact_slots(const job_record_t *job);
uint32_t tb_job_most_nodes(const job_record_t *job, uint32_t nodes);

/*
 * Likewise the tasks, for hosts: these share units, so that --ntasks-per-node only
 * limits how many of them a node has, whoever said how many there are.
 */
uint32_t tb_job_exact_tasks(const job_record_t *job);

/*
 * For --constraint="[a*2&b*1]" Slurm asks for the nodes of each feature by
 * themselves, with all tasks and a CPU for each node, and then for all nodes.
 */
bool tb_job_is_asked_in_part(const job_record_t *job);

/* Says how many tasks there are for each device: --ntasks-per-gpu. */
bool tb_job_has_tasks_of_devices(const job_record_t *job);

/* Asks for GRES for each task. */
bool tb_job_has_task_devices(const job_record_t *job);

/* Asks for --exclusive, or its partition has OverSubscribe=EXCLUSIVE. */
bool tb_wants_whole_nodes(const job_record_t *job);

/* CPUs that the job gets for one core of the node. */
uint32_t tb_cpus_per_core(const job_record_t *job, uint32_t node);

/* How many jobs may have a unit (a node) of this job; 1: only itself. */
uint16_t tb_job_sharing_limit(const job_record_t *job);

/* So many jobs may have a core of the partition; NULL: 1. */
uint16_t tb_partition_rows(const part_record_t *partition);

#endif

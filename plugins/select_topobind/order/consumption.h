/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consumption.h - what running jobs have of each node, for the node allocation
 * policies
 *
 * It is updated when jobs start, change and end, as the ledger is.  An entry says
 * what was added for a job.  All of it can be rebuilt from the job list at any
 * time.
 */
#ifndef TB_SELECT_TOPOBIND_ORDER_CONSUMPTION_H
#define TB_SELECT_TOPOBIND_ORDER_CONSUMPTION_H

#include "compat/select_compat.h"

struct tb_consumption {
	uint32_t jobs;
	uint64_t cpus;
	uint64_t memory; /* MB */
	uint64_t disk;	 /* MB, asked for with --tmp */
};

/* Forget everything; sized for the present node table. */
void tb_consumption_reset(void);
void tb_consumption_fini(void);

/*
 * Update the job's entry from its allocation; remove it.  began: when it started, or
 * was resumed; an entry that there is keeps its own.
 */
void tb_consumption_put(const job_record_t *job, time_t began);
void tb_consumption_remove(const job_record_t *job);

struct tb_consumption tb_consumption_of(uint32_t node);

/* CPUs of jobs that began when the node told of its load, or later. */
uint64_t tb_consumption_since_load(uint32_t node);

#endif

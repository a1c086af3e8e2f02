/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scale.h - a job's request in CPUs, made as large as its units for one call
 *
 * select/cons_tres counts CPUs.  To be given exactly the offered units, a task must
 * ask for as many CPUs as its slot has, or, with btype=host, the job for as many
 * on each node as the host's units have.  This lasts for one call; afterwards the
 * job record has its own numbers again.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_SCALE_H
#define TB_SELECT_TOPOBIND_TRY_SCALE_H

#include "compat/select_compat.h"
#include "core/request/request.h"

/*
 * select/cons_tres puts by as many CPUs for the other nodes as this one's cores
 * have, out of the most that the job may have: out of plenty.
 */
#define TB_PLENTY_OF_CPUS INT32_MAX

struct tb_scale {
	uint64_t flags;
	uint8_t overcommit;
	uint16_t cpus_per_task, ntasks_per_node, ntasks_per_tres, contiguous;
	uint32_t num_tasks;
	uint32_t min_cpus, max_cpus;
	uint32_t pn_min_cpus, orig_pn_min_cpus;
	uint16_t sockets_per_node, cores_per_socket, ntasks_per_core,
		ntasks_per_socket;
	uint16_t *tasks_each; /* of each entry's devices; NULL: not changed */
};

/* Scale to cpus per slot (or host); saved receives what was before. */
void tb_scale_job(job_record_t *job, enum tb_type type, uint32_t cpus,
		  struct tb_scale *saved);
/* TB_HOST: to so many on each node, within the two calls. */
void tb_scale_tasks_of_host(job_record_t *job, uint32_t cpus);
void tb_unscale_job(job_record_t *job, struct tb_scale *saved);

#endif

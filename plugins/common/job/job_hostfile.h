/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_hostfile.h - the host file of a running job, by what the controller says
 *
 * For the topobind command and for slurmstepd, which both ask the controller:
 * the grants of all nodes of a job are in its record only.  Uses nothing but
 * Slurm's public interface.
 */
#ifndef TB_COMMON_JOB_JOB_HOSTFILE_H
#define TB_COMMON_JOB_JOB_HOSTFILE_H

#include <stdint.h>

#include "compat/slurm_types.h"
#include "core/base/error.h"
#include "core/mpi/hostfile.h"

/* What is not a task of an array or a part of a heterogeneous job: NO_VAL. */
struct tb_job_id {
	uint32_t job;
	uint32_t array_task;
	uint32_t het_part;
};

struct tb_conf;
struct tb_job_hostfile;

/*
 * One question to the controller, and for a large job another.  The filters of conf
 * count (NULL: there are none); it outlives the host file.  NULL with a sentence: the
 * controller does not answer, or the job is unknown, not shown to this user, not
 * running or not bound.
 */
struct tb_job_hostfile *tb_job_hostfile_load(const struct tb_job_id *id,
					     const struct tb_conf *conf,
					     struct tb_error *err);
/*
 * Of a job's record, asked for with SHOW_DETAIL, in whatever state: by its
 * SystemComment, and for a large job with a question to the controller.
 */
struct tb_job_hostfile *tb_job_hostfile_of(const job_info_t *info,
					   const struct tb_conf *conf,
					   struct tb_error *err);
void tb_job_hostfile_destroy(struct tb_job_hostfile *job); /* NULL is fine */

/* Owned by the job's. */
struct tb_hostfile *tb_job_hostfile_file(struct tb_job_hostfile *job);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_combinations.h - can a job's options of Slurm be combined with its binding?
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_JOB_COMBINATIONS_H
#define TB_SELECT_TOPOBIND_REQUEST_JOB_COMBINATIONS_H

#include "compat/select_compat.h"
#include "common/conf/conf.h"
#include "core/request/combination.h"

/*
 * Clients check the same (core/request/combination.h); this is for jobs of other
 * clients, and for jobs that were changed since.  0, or -1 with a sentence.
 */
int tb_job_combinations_check(const job_record_t *job,
			      const struct tb_request *request,
			      struct tb_error *err);

/* -1 with a sentence: the request names memory of GPUs, and the job has none. */
int tb_job_gpus_check(const job_record_t *job, const struct tb_request *request,
		      struct tb_error *err);

/*
 * -1 with a sentence: the request asks for isolated CPUs, and the site or the partition
 * has none for the job.  What the site isolates by itself is never refused.
 */
int tb_job_isolation_check(const struct tb_conf *site, const job_record_t *job,
			   const struct tb_request *request,
			   struct tb_error *err);

/* tb_job_options_come_first(): the site's binding of a job that asked for none. */
bool tb_job_comes_first(const job_record_t *job, const struct tb_request *site);

#endif

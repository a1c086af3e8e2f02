/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changed_job.h - a job that waits, were it to ask for something else
 */
#ifndef TB_TOOLS_PLAN_CHANGED_JOB_H
#define TB_TOOLS_PLAN_CHANGED_JOB_H

#include "job_choice.h"

/*
 * Why no node, or all of them together, could ever hold the job with this request,
 * which binds: as tb_job_choice_never() and tb_job_choice_never_together().  cluster is
 * of tb_candidates_load_cluster(), comment what its SystemComment says now.
 */
char *tb_changed_job_never(const struct tb_cluster *cluster,
			   const job_info_t *job,
			   const struct tb_comment *comment,
			   const struct tb_request *request);

#endif

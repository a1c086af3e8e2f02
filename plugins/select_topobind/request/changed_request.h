/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changed_request.h - another binding for a job that waits
 *
 * No message of Slurm's changes the SPANK environment of a job, in which its request
 * is.  So "topobind update" writes the options into a line of the job's Comment
 * (common/job/comment_lines.h): Slurm lets its user, the coordinators of its account
 * and operators write there, and saves it with the job.  The line is taken before
 * Slurm's next question about the job is answered, and within a second where there is
 * none; in its place comes a sentence when the job cannot have that binding.
 */
#ifndef TB_SELECT_TOPOBIND_REQUEST_CHANGED_REQUEST_H
#define TB_SELECT_TOPOBIND_REQUEST_CHANGED_REQUEST_H

#include "common/conf/conf.h"
#include "compat/select_compat.h"

bool tb_changed_request_waits(const job_record_t *job);

/*
 * Take the line, if there is one.  True: the job has another request now.  Slurm's
 * lock on jobs is held for writing.
 */
bool tb_changed_request_take(job_record_t *job, const struct tb_conf *site);

#endif

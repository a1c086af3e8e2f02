/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_id.h - jobs as people name them: 123, 123_4, 123+1
 */
#ifndef TB_TOOLS_CLUSTER_JOB_ID_H
#define TB_TOOLS_CLUSTER_JOB_ID_H

#include <stdbool.h>

#include "compat/slurm_types.h"

#include "common/job/job_hostfile.h"

/* A job in a command's arguments. */
struct tb_job_argument {
	struct tb_job_id id;
	const char *text; /* as it was given, or that variable's; NULL: no job */
};

/*
 * The one that these arguments name; without any that in which the command is called,
 * by SLURM_JOB_ID.  -1 with a sentence.
 */
int tb_job_argument_take(struct tb_job_argument *job, int count, char **words,
			 struct tb_error *err);
/* The same; where there is neither, no job is right, for all that wait of the user. */
int tb_job_argument_take_any(struct tb_job_argument *job, int count,
			     char **words, struct tb_error *err);

/* A failure of a command that has to do with it; an exit code. */
int tb_job_argument_fail(const struct tb_job_argument *job, const char *command,
			 const struct tb_error *err);

/*
 * The records that Slurm has of the number, with those of all tasks of an array
 * and all parts of a heterogeneous job.  what: beside SHOW_ALL, such as
 * SHOW_DETAIL.  NULL with a sentence.
 */
job_info_msg_t *tb_job_id_load(const struct tb_job_id *id, uint16_t what,
			       struct tb_error *err);

/* All jobs of the user who asks; NULL with a sentence. */
job_info_msg_t *tb_job_id_load_own(uint16_t what, struct tb_error *err);
bool tb_job_waits(const job_info_t *job);

/* "12", "12_3", "12+1", and "12_[4-9]" of tasks that wait together; malloc()ed */
char *tb_job_id_print(const job_info_t *job);

/*
 * The record that is meant.  Tasks of an array that wait have one together,
 * which is that of each of them.  NULL: there is none.
 */
const job_info_t *tb_job_id_find(const struct tb_job_id *id,
				 const job_info_msg_t *jobs);

#endif

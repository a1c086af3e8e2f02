/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_id.h - jobs as people name them: 123, 123_4, 123+1
 */
#ifndef TB_TOOLS_JOB_ID_H
#define TB_TOOLS_JOB_ID_H

#include "compat/slurm_types.h"

#include "common/job_hostfile.h"

/*
 * The one job that is named by these arguments of a command: id, and the text
 * as it was given.  NULL: an error was printed.
 */
const char *tb_job_id_argument(const char *command, int count, char **words,
			       struct tb_job_id *id);

/*
 * The record that is meant.  Tasks of an array that wait have one together,
 * which is that of each of them; Slurm's library cuts their list unless the
 * environment had SLURM_BITSTR_LEN=0 when it was read.  NULL: there is none.
 */
const job_info_t *tb_job_id_find(const struct tb_job_id *id,
				 const job_info_msg_t *jobs);

#endif

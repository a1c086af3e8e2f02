/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_id.h - jobs as people name them: 123, 123_4, 123+1
 */
#ifndef TB_TOOLS_JOB_ID_H
#define TB_TOOLS_JOB_ID_H

#include <slurm/slurm.h>

#include "common/job_hostfile.h"

/* 0, or -1 for what Slurm can have as no id. */
int tb_job_id_read(struct tb_job_id *id, const char *text);

/*
 * The record that is meant.  Tasks of an array that wait have one together,
 * which is that of each of them; Slurm's library cuts their list unless the
 * environment had SLURM_BITSTR_LEN=0 when it was read.  NULL: there is none.
 */
const job_info_t *tb_job_id_find(const struct tb_job_id *id,
				 const job_info_msg_t *jobs);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurmctld_resume.h - resume a job as an administrator does, or pause it as the gang
 * scheduler does
 */
#ifndef TB_COMPAT_SLURMCTLD_RESUME_H
#define TB_COMPAT_SLURMCTLD_RESUME_H

#include "select_compat.h"

/*
 * With slurmctld's write locks on jobs and nodes.  Of a heterogeneous job all components
 * are resumed that are suspended.  SLURM_SUCCESS, or Slurm's error.
 */
int tb_slurmctld_resume(const job_record_t *job);

/* It keeps its cores, and the gang scheduler resumes it when it has its turn. */
int tb_slurmctld_pause(const job_record_t *job);

#endif

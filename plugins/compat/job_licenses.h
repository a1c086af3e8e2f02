/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_licenses.h - jobs that wait for licenses
 *
 * Up to Slurm 23.02 no select plugin is asked whether such a job starts.
 */
#ifndef TB_COMPAT_JOB_LICENSES_H
#define TB_COMPAT_JOB_LICENSES_H

#include <stdbool.h>

#include "select_compat.h"

/* Are fewer free now than the job asks for? */
bool tb_job_lacks_licenses(job_record_t *job);
/* Do jobs make way for others that lack licenses, too? */
bool tb_licenses_are_reclaimed(void);
/*
 * What select/cons_tres answers of a job that lacks them.  Those behind it in its
 * partition need not wait.
 */
int tb_licenses_error(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_licenses.h. */
#include "compat/job_licenses.h"

bool tb_job_lacks_licenses(job_record_t *job)
{
	(void)job;
	return false;
}

bool tb_licenses_are_reclaimed(void)
{
	return false;
}

int tb_licenses_error(void)
{
	return SLURM_ERROR;
}

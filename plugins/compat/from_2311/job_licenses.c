/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See job_licenses.h. */
#include "compat/job_licenses.h"

#include <time.h>

#include "src/common/xstring.h"
#include "src/slurmctld/licenses.h"

bool tb_job_lacks_licenses(job_record_t *job)
{
	return license_job_test(job, time(NULL), true) != SLURM_SUCCESS;
}

bool tb_licenses_are_reclaimed(void)
{
	return xstrcasestr(slurm_conf.preempt_params, "reclaim_licenses");
}

int tb_licenses_error(void)
{
	return ESLURM_LICENSES_UNAVAILABLE;
}

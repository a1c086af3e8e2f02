/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waiting_job.h"

#include <time.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "job_record.h"
#include "reasons.h"
#include "select_topobind/request/changed_request.h"

void tb_waiting_job_show(const struct tb_effective_request *effective,
			 job_record_t *job)
{
	char *shown;

	if (!IS_JOB_PENDING(job))
		return;
	shown = tb_effective_request_print(effective);
	tb_job_record_set_request(job, shown);
	xfree(shown);
}

/* Why it waited until now was said of another binding. */
bool tb_waiting_job_take_change(job_record_t *job, const struct tb_conf *site)
{
	bool changed = tb_changed_request_take(job, site);

	if (changed)
		tb_reasons_tell(job, NULL);
	return changed;
}

/* A wrong request is told when Slurm asks about it. */
void tb_waiting_job_look(job_record_t *job, const struct tb_conf *site)
{
	struct tb_effective_request effective;
	bool changed = tb_waiting_job_take_change(job, site);
	char *before;

	if (!job->details)
		return;
	before = xstrdup(job->system_comment);
	if (!tb_effective_request_find(&effective, site, job, NULL) &&
	    (changed || tb_request_binds(&effective.held.request)))
		tb_waiting_job_show(&effective, job);
	if (xstrcmp(before, job->system_comment))
		last_job_update = time(NULL);
	xfree(before);
	tb_effective_request_clear(&effective);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "admin_comment.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "compat/slurm_types.h"

static int write_comment(uint32_t job, char *comment, struct tb_error *err)
{
	job_desc_msg_t update;

	slurm_init_job_desc_msg(&update);
	tb_set_job(&update, job);
	update.admin_comment = comment;
	if (slurm_update_job(&update) == SLURM_SUCCESS ||
	    errno == ESLURM_JOB_FINISHED)
		return 0;
	return tb_fail(err, "the AdminComment of job %u cannot be written: %s",
		       job, slurm_strerror(errno));
}

static int change(uint32_t job, tb_admin_comment_edit *edit, const void *data,
		  struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;
	char *comment = NULL;
	int rc;

	if (tb_load_job(&jobs, job, 0) != SLURM_SUCCESS)
		return tb_fail(err, "the record of job %u cannot be read: %s",
			       job, slurm_strerror(errno));
	if (jobs->record_count > 0)
		comment = edit(jobs->job_array[0].admin_comment, data);
	slurm_free_job_info_msg(jobs);
	rc = comment != NULL ? write_comment(job, comment, err)
			     : tb_fail(err, "out of memory");
	free(comment);
	return rc;
}

int tb_admin_comment_change(struct tb_registry *registry, uint32_t job,
			    tb_admin_comment_edit *edit, const void *data,
			    struct tb_error *err)
{
	int lock = tb_registry_lock_record(registry, job, err);
	int rc = lock < 0 ? -1 : change(job, edit, data, err);

	if (lock >= 0)
		close(lock);
	return rc;
}

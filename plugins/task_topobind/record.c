/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "task_topobind/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define WORD "soft=preferred:"

static const char *find_word(const char *text)
{
	const char *at = text;

	while (at != NULL && (at = strstr(at, WORD)) != NULL) {
		if (at == text || at[-1] == ' ')
			return at;
		at++;
	}
	return NULL;
}

char *tb_record_comment(const char *old, const struct tb_soft_counts *counts)
{
	const char *text = old != NULL ? old : "";
	const char *word = find_word(text);
	size_t before = word != NULL ? (size_t)(word - text) : strlen(text);
	const char *after = word != NULL ? word + strcspn(word, " ") : "";
	bool blank = before > 0 && text[before - 1] != ' ';
	char *comment;

	if (asprintf(&comment, "%.*s%s" WORD "%" PRIu64 ",allowed:%" PRIu64
		     ",smoothed:%" PRIu64 "%s", (int)before, text,
		     blank ? " " : "", counts->preferred, counts->allowed,
		     counts->smoothed, after) < 0)
		return NULL;
	return comment;
}

static int write_comment(uint32_t job, char *comment, struct tb_error *err)
{
	job_desc_msg_t update;

	slurm_init_job_desc_msg(&update);
	update.job_id = job;
	update.admin_comment = comment;
	if (slurm_update_job(&update) == SLURM_SUCCESS)
		return 0;
	return tb_fail(err, "the AdminComment of job %u cannot be written: %s",
		       job, slurm_strerror(errno));
}

int tb_record_counts(uint32_t job, const struct tb_soft_counts *counts,
		     struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;
	char *comment = NULL;
	int rc;

	if (slurm_load_job(&jobs, job, 0) != SLURM_SUCCESS)
		return tb_fail(err, "the record of job %u cannot be read: %s",
			       job, slurm_strerror(errno));
	if (jobs->record_count > 0)
		comment = tb_record_comment(jobs->job_array[0].admin_comment,
					    counts);
	slurm_free_job_info_msg(jobs);
	rc = comment != NULL ? write_comment(job, comment, err) :
			       tb_fail(err, "out of memory");
	free(comment);
	return rc;
}

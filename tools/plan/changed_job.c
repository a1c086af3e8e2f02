/* SPDX-License-Identifier: GPL-2.0-or-later */
/* changed_job.c - see changed_job.h */
#include "changed_job.h"

#include <stdlib.h>

static char *find_never(const struct tb_cluster *cluster, const job_info_t *job,
			const struct tb_comment *comment)
{
	struct tb_job_choice choice = { 0 };
	struct tb_job_spec spec;
	struct tb_error err;
	char *sentence = NULL;

	if (!tb_job_spec_of_job(&spec, job, comment, &err) &&
	    !tb_job_choice_make(&choice, cluster, &spec, &err)) {
		sentence = tb_job_choice_never(&choice);
		if (!sentence)
			sentence = tb_job_choice_never_together(&choice);
	}
	tb_job_choice_clear(&choice);
	tb_job_spec_clear(&spec);
	return sentence;
}

char *tb_changed_job_never(const struct tb_cluster *cluster,
			   const job_info_t *job,
			   const struct tb_comment *comment,
			   const struct tb_request *request)
{
	struct tb_comment changed = *comment;
	char *sentence = NULL;

	changed.request = tb_request_print(request);
	if (changed.request)
		sentence = find_never(cluster, job, &changed);
	free((char *)changed.request);
	return sentence;
}

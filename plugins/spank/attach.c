/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "spank/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>

#define BINDING "binding="
/* What the site decided is in the nodes' topobind.conf. */
#define IMPLICIT "implicit"
/* As much as getopt needs to tell it from --job-name. */
#define JOBID_OPTION "--jobi"

/* SPANK does not tell of srun's own options. */
bool tb_attach_is_asked(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;
	bool asked = false;

	while (file != NULL && !asked && getdelim(&word, &size, '\0', file) > 0)
		asked = strncmp(word, JOBID_OPTION, strlen(JOBID_OPTION)) == 0;
	free(word);
	if (file != NULL)
		fclose(file);
	return asked;
}

/* What follows BINDING at the beginning of a line; NULL for none. */
static char *request_in(const char *comment)
{
	const char *line = comment;

	while (line != NULL && strncmp(line, BINDING, strlen(BINDING)) != 0) {
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	if (line == NULL)
		return NULL;
	line += strlen(BINDING);
	if (strncmp(line, IMPLICIT, strlen(IMPLICIT)) == 0)
		return NULL;
	return strndup(line, strcspn(line, " \n"));
}

char *tb_attach_request(uint32_t job_id)
{
	job_info_msg_t *jobs = NULL;
	char *request = NULL;

	if (slurm_load_job(&jobs, job_id, SHOW_ALL) != SLURM_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < jobs->record_count && request == NULL; i++)
		if (jobs->job_array[i].job_id == job_id)
			request = request_in(jobs->job_array[i].system_comment);
	slurm_free_job_info_msg(jobs);
	return request;
}

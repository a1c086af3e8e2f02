/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/slurm_types.h"

#define BINDING "binding="
/* What the site decided is in the nodes' topobind.conf. */
#define IMPLICIT "implicit"
/* As much as getopt needs to tell it from --job-name. */
#define JOBID_OPTION "--jobi"

/* SPANK does not give plugins srun's own options. */
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

/* What comes after BINDING at the begin of a line; NULL for none. */
static const char *binding_in(const char *comment)
{
	const char *line = comment;

	while (line != NULL && strncmp(line, BINDING, strlen(BINDING)) != 0) {
		line = strchr(line, '\n');
		if (line != NULL)
			line++;
	}
	return line != NULL ? line + strlen(BINDING) : NULL;
}

/* That request of a job, malloc()ed; NULL for none. */
static char *load_binding(uint32_t job_id)
{
	job_info_msg_t *jobs = NULL;
	const char *found = NULL;
	char *binding = NULL;

	if (tb_load_job(&jobs, job_id, SHOW_ALL) != SLURM_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < jobs->record_count && found == NULL; i++)
		if (jobs->job_array[i].job_id == job_id)
			found = binding_in(jobs->job_array[i].system_comment);
	if (found != NULL)
		binding = strndup(found, strcspn(found, " \n"));
	slurm_free_job_info_msg(jobs);
	return binding;
}

static bool is_implicit(const char *binding)
{
	return strncmp(binding, IMPLICIT, strlen(IMPLICIT)) == 0;
}

char *tb_attach_request(uint32_t job_id)
{
	char *binding = load_binding(job_id);

	if (binding != NULL && is_implicit(binding)) {
		free(binding);
		return NULL;
	}
	return binding;
}

bool tb_attach_is_implicit(uint32_t job_id)
{
	char *binding = load_binding(job_id);
	bool implicit = binding != NULL && is_implicit(binding);

	free(binding);
	return implicit;
}

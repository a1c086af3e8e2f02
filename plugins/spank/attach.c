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

/* That of a job, malloc()ed; NULL for none. */
static char *copy_binding(const slurm_job_info_t *job)
{
	const char *found = binding_in(job->system_comment);

	return found != NULL ? strndup(found, strcspn(found, " \n")) : NULL;
}

static char *load_binding(uint32_t job_id)
{
	job_info_msg_t *jobs = NULL;
	char *binding = NULL;

	if (tb_load_job(&jobs, job_id, SHOW_ALL) != SLURM_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < jobs->record_count && binding == NULL; i++)
		if (jobs->job_array[i].job_id == job_id)
			binding = copy_binding(&jobs->job_array[i]);
	slurm_free_job_info_msg(jobs);
	return binding;
}

static bool is_implicit(const char *binding)
{
	return strncmp(binding, IMPLICIT, strlen(IMPLICIT)) == 0;
}

/* The nodes know what the site binds. */
static char *drop_implicit(char *binding)
{
	if (binding == NULL || !is_implicit(binding))
		return binding;
	free(binding);
	return NULL;
}

char *tb_attach_request(uint32_t job_id)
{
	return drop_implicit(load_binding(job_id));
}

int tb_attach_parts(uint32_t job_id,
		    int (*send)(void *arg, uint32_t part, const char *request),
		    void *arg)
{
	job_info_msg_t *jobs = NULL;
	int rc = 0;

	if (tb_load_job(&jobs, job_id, SHOW_ALL) != SLURM_SUCCESS)
		return 0;
	for (uint32_t i = 0; i < jobs->record_count && rc == 0; i++) {
		char *request = drop_implicit(
			copy_binding(&jobs->job_array[i]));

		rc = send(arg, jobs->job_array[i].job_id,
			  request != NULL ? request : "");
		free(request);
	}
	slurm_free_job_info_msg(jobs);
	return rc;
}

bool tb_attach_is_implicit(uint32_t job_id)
{
	char *binding = load_binding(job_id);
	bool implicit = binding != NULL && is_implicit(binding);

	free(binding);
	return implicit;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* batch_request.c - the request of a script that slurmd starts; see hooks.h */
#define _GNU_SOURCE
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/env.h"

#include "common/job/request_env.h"
#include "core/request/alternatives.h"

/*
 * The line for a batch script's environment, from what Slurm has kept with the
 * job, of its alternatives the one that it was given; NULL for none.  A wrong
 * request is passed on: slurmstepd reports it.
 */
static char *print_batch_line(char *const *spank_env, uint32_t spank_count)
{
	const char *implicit = tb_implicit_from_env(spank_env, spank_count);
	struct tb_request request, site, plain;
	struct tb_env_texts texts;
	char *line = NULL;
	int rc;

	tb_request_init(&site);
	tb_env_texts_find(&texts, spank_env, spank_count);
	rc = tb_request_from_texts(&request, &texts, NULL);
	if (rc == 0 && tb_request_is_open(&request) && implicit != NULL) {
		rc = tb_request_parse(&site, implicit, NULL);
		if (rc == 0)
			rc = tb_request_bind_implicitly(&request, &site, NULL);
	}
	plain = tb_request_plain(&request,
				 tb_alternative_of_texts(&request, &texts));
	if (rc < 0)
		line = strdup("invalid");
	else if (tb_request_is_given(&request))
		line = tb_request_print(&plain);
	tb_request_clear(&request);
	tb_request_clear(&site);
	return line;
}

/* For the steps that the script starts in the parts of its heterogeneous job. */
static void add_parts(char ***env, char *const *spank_env, uint32_t spank_count)
{
	for (uint32_t i = 0; i < spank_count; i++) {
		const char *part = tb_env_find_part(spank_env[i]);
		const char *value = part != NULL ? strchr(part, '=') : NULL;
		char *name = NULL;

		if (value == NULL || asprintf(&name, TB_JOB_ENV_PREFIX "%.*s",
					      (int)(value - part), part) < 0)
			continue;
		env_array_overwrite(env, name, value + 1);
		free(name);
	}
}

void tb_task_batch_request(char ***env, uint32_t *env_count,
			   char *const *spank_env, uint32_t spank_count)
{
	const char *name = TB_JOB_ENV_PREFIX TB_REQUEST_VARIABLE;
	const char *implicit_name = TB_JOB_ENV_PREFIX TB_IMPLICIT_VARIABLE;
	const char *chosen_name = TB_JOB_ENV_PREFIX TB_ALTERNATIVE_VARIABLE;
	const char *implicit = tb_implicit_from_env(spank_env, spank_count);
	char *line;

	if (*env == NULL)
		return;
	/* They may be there from a job in which this one was submitted. */
	unsetenvp(*env, name);
	unsetenvp(*env, implicit_name);
	unsetenvp(*env, chosen_name);
	line = print_batch_line(spank_env, spank_count);
	if (line != NULL)
		env_array_overwrite(env, name, line);
	if (implicit != NULL)
		env_array_overwrite(env, implicit_name, implicit);
	add_parts(env, spank_env, spank_count);
	*env_count = envcount(*env);
	free(line);
}

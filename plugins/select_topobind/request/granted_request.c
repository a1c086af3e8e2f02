/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "granted_request.h"

#include <stdlib.h>
#include <string.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/job/request_env.h"

/* ---- the notes ---- */

static const char *find_site_request(const job_record_t *job)
{
	return tb_implicit_from_env(job->spank_job_env,
				    job->spank_job_env_size);
}

static bool is_note(char *entry)
{
	return tb_implicit_from_env(&entry, 1) ||
	       tb_is_unbound_in_env(&entry, 1);
}

static void drop_notes(job_record_t *job)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		char **entry = &job->spank_job_env[i];

		if (is_note(*entry))
			xfree(*entry);
		else
			job->spank_job_env[kept++] = *entry;
	}
	job->spank_job_env_size = kept;
}

static void add_note(job_record_t *job, const char *variable, const char *value)
{
	xrecalloc(job->spank_job_env, job->spank_job_env_size + 2,
		  sizeof(*job->spank_job_env));
	job->spank_job_env[job->spank_job_env_size++] = xstrdup_printf("%s=%s",
								       variable,
								       value);
}

/* ---- what they say ---- */

/* The job's own request, or the site's in its place. */
static int read_request(const job_record_t *job, struct tb_request *request)
{
	const char *line = find_site_request(job);
	struct tb_request site;
	int rc = -1;

	if (tb_request_from_env(request, job->spank_job_env,
				job->spank_job_env_size, NULL))
		return -1;
	if (tb_request_has_binding(request) || !line)
		return 0;
	tb_request_init(&site);
	if (!tb_request_parse(&site, line, NULL))
		rc = tb_request_bind_implicitly(request, &site, NULL);
	tb_request_clear(&site);
	return rc;
}

/* As if the job were started. */
static bool find_request(const job_record_t *job, struct tb_request *request)
{
	if (tb_is_unbound_in_env(job->spank_job_env, job->spank_job_env_size)) {
		tb_request_init(request);
		return false;
	}
	return !read_request(job, request) && tb_request_binds(request);
}

bool tb_granted_find(const job_record_t *job, struct tb_request *request)
{
	if (!IS_JOB_PENDING(job))
		return find_request(job, request);
	tb_request_init(request);
	return false;
}

bool tb_granted_is_bound(const job_record_t *job)
{
	struct tb_request request;
	bool bound = tb_granted_find(job, &request);

	tb_request_clear(&request);
	return bound;
}

void tb_granted_record(job_record_t *job, const char *shown)
{
	size_t implicit = strlen(TB_GRANTED_IMPLICIT);
	struct tb_request request;

	drop_notes(job);
	if (shown && !strncmp(shown, TB_GRANTED_IMPLICIT, implicit)) {
		add_note(job, TB_IMPLICIT_VARIABLE, shown + implicit);
		return;
	}
	if (!shown && find_request(job, &request))
		add_note(job, TB_UNBOUND_VARIABLE, "1");
	if (!shown)
		tb_request_clear(&request);
}

/* ---- as it is shown ---- */

static char *print_request(const job_record_t *job,
			   const struct tb_request *request)
{
	const char *site = find_site_request(job);
	char *line, *shown;

	if (site)
		return xstrdup_printf("%s%s", TB_GRANTED_IMPLICIT, site);
	line = tb_request_print(request);
	shown = xstrdup(line);
	free(line);
	return shown;
}

char *tb_granted_print(const job_record_t *job)
{
	struct tb_request request;
	char *shown = find_request(job, &request) ? print_request(job, &request)
						  : NULL;

	tb_request_clear(&request);
	return shown;
}

bool tb_granted_is(const job_record_t *job, const char *shown)
{
	char *own = tb_granted_print(job);
	bool same = !xstrcmp(own, shown);

	xfree(own);
	return same;
}

bool tb_granted_is_same(const job_record_t *a, const job_record_t *b)
{
	char *shown = tb_granted_print(b);
	bool same = tb_granted_is(a, shown);

	xfree(shown);
	return same;
}

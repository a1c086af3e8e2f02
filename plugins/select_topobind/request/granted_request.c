/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "granted_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/job/request_env.h"
#include "core/request/alternatives.h"

/* ---- the notes ---- */

static const char *find_site_request(const job_record_t *job)
{
	return tb_implicit_from_env(job->spank_job_env,
				    job->spank_job_env_size);
}

static void drop_entries(job_record_t *job, bool (*is_dropped)(const char *))
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < job->spank_job_env_size; i++) {
		char **entry = &job->spank_job_env[i];

		if (is_dropped(*entry))
			xfree(*entry);
		else
			job->spank_job_env[kept++] = *entry;
	}
	job->spank_job_env_size = kept;
}

/* Nobody reads the notes in an environment that is too long. */
static void drop_notes(job_record_t *job)
{
	if (!tb_env_is_long(job->spank_job_env_size))
		drop_entries(job, tb_env_is_note);
}

static void add_note(job_record_t *job, const char *variable, const char *value)
{
	xrecalloc(job->spank_job_env, job->spank_job_env_size + 2,
		  sizeof(*job->spank_job_env));
	job->spank_job_env[job->spank_job_env_size++] = xstrdup_printf("%s=%s",
								       variable,
								       value);
}

void tb_granted_replace(job_record_t *job, const char *line)
{
	drop_entries(job, tb_env_is_of_request);
	add_note(job, TB_REQUEST_VARIABLE, line);
}

/* ---- what they say ---- */

/* The job's own request, or the site's in its place. */
static int read_request(const struct tb_env_texts *texts,
			struct tb_held_request *held)
{
	const char *line = texts->variables[TB_ENV_IMPLICIT];
	struct tb_request site;
	int rc = -1;

	if (tb_held_request_find(held, texts, NULL))
		return -1;
	if (!tb_request_is_open(&held->request) || !line)
		return 0;
	tb_request_init(&site);
	if (!tb_request_parse(&site, line, NULL))
		rc = tb_held_request_bind_implicitly(held, &site, NULL);
	tb_request_clear(&site);
	return rc;
}

/* As if the job were started; one that waits still has all its alternatives. */
static bool find_request(const job_record_t *job, struct tb_held_request *held)
{
	struct tb_env_texts texts;

	tb_held_request_init(held);
	tb_env_texts_find(&texts, job->spank_job_env, job->spank_job_env_size);
	if (texts.variables[TB_ENV_UNBOUND] || read_request(&texts, held) ||
	    !tb_request_binds(&held->request))
		return false;
	if (!IS_JOB_PENDING(job))
		held->request =
			tb_request_plain(&held->request,
					 tb_alternative_of_texts(&held->request,
								 &texts));
	return true;
}

/* ---- alternatives ---- */

void tb_granted_settle(const job_record_t *job, struct tb_request *request)
{
	struct tb_env_texts texts;

	if (!request->nalternatives)
		return;
	tb_env_texts_find(&texts, job->spank_job_env, job->spank_job_env_size);
	*request = tb_request_plain(request,
				    tb_alternative_of_texts(request, &texts));
}

static void note_alternative(job_record_t *job, const struct tb_request *plain)
{
	char *text = tb_request_print_alternative(plain);

	if (text)
		add_note(job, TB_ALTERNATIVE_VARIABLE, text);
	free(text);
}

void tb_granted_choose(job_record_t *job, const struct tb_request *plain)
{
	drop_notes(job);
	note_alternative(job, plain);
}

/* Its own request, if that has alternatives, is the chosen one of these. */
static bool find_chosen(const job_record_t *job, struct tb_held_request *held)
{
	struct tb_env_texts texts;

	tb_env_texts_find(&texts, job->spank_job_env, job->spank_job_env_size);
	if (tb_held_request_find(held, &texts, NULL) ||
	    !held->request.nalternatives)
		return false;
	tb_granted_settle(job, &held->request);
	return true;
}

bool tb_granted_find(const job_record_t *job, struct tb_held_request *held)
{
	if (!IS_JOB_PENDING(job))
		return find_request(job, held);
	tb_held_request_init(held);
	return false;
}

bool tb_granted_is_bound(const job_record_t *job)
{
	struct tb_held_request held;
	bool bound = tb_granted_find(job, &held);

	tb_held_request_release(&held);
	return bound;
}

/* Without a note of a run before, or of a client. */
static void note_unbound(job_record_t *job)
{
	struct tb_held_request held;

	if (find_request(job, &held))
		add_note(job, TB_UNBOUND_VARIABLE, "1");
	tb_held_request_release(&held);
}

void tb_granted_record(job_record_t *job, const char *shown)
{
	size_t implicit = strlen(TB_GRANTED_IMPLICIT);
	struct tb_held_request chosen;
	bool has_chosen = find_chosen(job, &chosen);

	drop_notes(job);
	if (!shown)
		note_unbound(job);
	else if (!strncmp(shown, TB_GRANTED_IMPLICIT, implicit))
		add_note(job, TB_IMPLICIT_VARIABLE, shown + implicit);
	else if (has_chosen)
		note_alternative(job, &chosen.request);
	tb_held_request_release(&chosen);
}

/* ---- parts of a heterogeneous job ---- */

/* In place of what its run before has left there. */
static void drop_part(job_record_t *leader, const char *name)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < leader->spank_job_env_size; i++) {
		char **entry = &leader->spank_job_env[i];
		const char *part = tb_env_find_part(*entry);

		if (part && !strncmp(part, name, strlen(name)) &&
		    part[strlen(name)] == '=')
			xfree(*entry);
		else
			leader->spank_job_env[kept++] = *entry;
	}
	leader->spank_job_env_size = kept;
}

void tb_granted_tell_leader(const job_record_t *job, const char *shown)
{
	job_record_t *leader = job->het_job_id
				       ? find_job_record(job->het_job_id)
				       : NULL;
	char name[sizeof(TB_PART_REQUEST_FORMAT) + 10];
	bool own = shown && strncmp(shown, TB_GRANTED_IMPLICIT,
				    strlen(TB_GRANTED_IMPLICIT));

	if (!leader)
		return;
	snprintf(name, sizeof(name), TB_PART_REQUEST_FORMAT, job->job_id);
	drop_part(leader, name);
	/* More would make the leader's own request a malformed one. */
	if (leader->spank_job_env_size < TB_ENV_MAX)
		add_note(leader, name, own ? shown : "");
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
	struct tb_held_request held;
	char *shown = find_request(job, &held)
			      ? print_request(job, &held.request)
			      : NULL;

	tb_held_request_release(&held);
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

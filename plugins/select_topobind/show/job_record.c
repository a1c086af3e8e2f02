/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "common/job/comment_lines.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/job_asked.h"

#include "grant_text.h"
#include "site_mode.h"

/*
 * How long topobind's line may be: under 4 KiB for a job of any size, and so far
 * below the 64 KiB of the column in accounting's database.
 */
#define SHOWN_MAX 4000
/* The same for the request in it: one with topology strings can be longer. */
#define REQUEST_MAX 3000
/* The end of a request that was cut. */
#define CUT "..."

static const char binding_prefix[] = "binding=";
static const char waiting_prefix[] = "waiting=";
/* Behind a request that leaves it to the site. */
static const char soft_by_site[] = ",bmode=soft";

static bool begins_with(const char *line, const char *prefix)
{
	return !xstrncmp(line, prefix, strlen(prefix));
}

static bool is_ours(const char *line)
{
	return begins_with(line, binding_prefix) ||
	       begins_with(line, waiting_prefix);
}

/* topobind's line in a comment; lines of others may follow. */
static const char *find_line(const char *comment)
{
	return tb_comment_find_line(comment, is_ours);
}

/* The value of binding= or waiting= in topobind's line; xmalloc()ed, or NULL. */
static char *find_value(const char *comment, const char *prefix,
			const char *end)
{
	const char *line = find_line(comment);
	size_t length = line ? strcspn(line, "\n") : 0;
	char *copy = xstrndup(line, length);
	char *at = copy ? strstr(copy, prefix) : NULL;
	char *value = at ? xstrndup(at + strlen(prefix),
				    strcspn(at + strlen(prefix), end))
			 : NULL;

	xfree(copy);
	return value;
}

/* Replace topobind's line; NULL or an empty one removes it. */
static void set_line(job_record_t *job, const char *line)
{
	char *comment = tb_comment_replace_line(job->system_comment, is_ours,
						line);

	xfree(job->system_comment);
	job->system_comment = comment && *comment ? xstrdup(comment) : NULL;
	free(comment);
}

/* "binding=REQUEST", cut when it is too long. */
static void add_request(char **line, const char *request)
{
	if (strlen(request) <= REQUEST_MAX)
		xstrfmtcat(*line, "%s%s", binding_prefix, request);
	else
		xstrfmtcat(*line, "%s%.*s%s", binding_prefix,
			   REQUEST_MAX - (int)strlen(CUT), request, CUT);
}

void tb_job_record_set_grant(job_record_t *job, const char *request,
			     const struct tb_conf *site)
{
	char *line = NULL, *grants;

	if (request) {
		add_request(&line, request);
		if (tb_site_makes_soft(job, request, site))
			xstrcat(line, soft_by_site);
		grants = tb_grant_text_print(job->job_resrcs,
					     SHOWN_MAX - strlen(line));
		xstrcat(line, grants);
		xfree(grants);
	}
	set_line(job, line);
	xfree(line);
}

/* Of a pending job; xmalloc()ed, NULL for none. */
static char *copy_shown_request(const job_record_t *job)
{
	return find_value(job->system_comment, binding_prefix, " ");
}

void tb_job_record_renew_grant(job_record_t *job, const struct tb_conf *site)
{
	char *request = tb_granted_print(job);

	if (request && job->job_resrcs)
		tb_job_record_set_grant(job, request, site);
	xfree(request);
}

/*
 * Has the line a grant behind that request?  Of which topology it is does not matter:
 * a running job shows what it was granted, also when its node's is another now.  Nor
 * does it matter what the site has made of its mode since.
 */
static bool shows_grant(const job_record_t *job, const char *request)
{
	const char *shown = find_line(job->system_comment);
	char *begin = NULL;
	bool same;

	add_request(&begin, request);
	same = begins_with(shown, begin);
	if (same) {
		shown += strlen(begin);
		if (begins_with(shown, soft_by_site))
			shown += strlen(soft_by_site);
		same = begins_with(shown, " grant=") ||
		       begins_with(shown, " more=");
	}
	xfree(begin);
	return same;
}

void tb_job_record_restore_grant(job_record_t *job, const struct tb_conf *site)
{
	char *request = job->job_resrcs ? tb_granted_print(job) : NULL;

	if (request && !shows_grant(job, request)) {
		tb_job_record_set_grant(job, request, site);
		last_job_update = time(NULL);
	}
	xfree(request);
}

/*
 * How many nodes a job asks for that can have more than its least: of these Slurm shows
 * what it guesses.
 */
static void add_nodes(char **line, const job_record_t *job)
{
	const job_details_t *details = job->details;

	if (!details || details->max_nodes == details->min_nodes ||
	    tb_job_slots(job) <= details->min_nodes)
		return;
	xstrfmtcat(*line, " nodes=%u-", details->min_nodes);
	if (details->max_nodes)
		xstrfmtcat(*line, "%u", details->max_nodes);
}

static void show_pending(job_record_t *job, const char *request,
			 const char *why)
{
	char *line = NULL;

	if (request) {
		add_request(&line, request);
		add_nodes(&line, job);
	}
	if (why)
		xstrfmtcat(line, "%s%s%s", line ? " " : "", waiting_prefix,
			   why);
	set_line(job, line);
	xfree(line);
}

void tb_job_record_set_request(job_record_t *job, const char *request)
{
	char *why;

	if (!request && !find_line(job->system_comment))
		return;
	why = tb_job_record_find_waiting(job);
	show_pending(job, request, request ? why : NULL);
	xfree(why);
}

bool tb_job_record_has_request(const job_record_t *job)
{
	const char *line = find_line(job->system_comment);

	return line && begins_with(line, binding_prefix);
}

void tb_job_record_drop_grant(job_record_t *job)
{
	char *request = tb_granted_print(job);

	if (request)
		show_pending(job, request, NULL);
	xfree(request);
}

void tb_job_record_set_waiting(job_record_t *job, const char *why)
{
	char *request = copy_shown_request(job);

	show_pending(job, request, why);
	/* A job behind others waits for these, whatever units are free. */
	if (why && job->state_reason != WAIT_PRIORITY) {
		xfree(job->state_desc);
		job->state_desc = xstrdup(why);
	}
	xfree(request);
}

char *tb_job_record_find_waiting(const job_record_t *job)
{
	return find_value(job->system_comment, waiting_prefix, "");
}

bool tb_job_record_is_waiting(const job_record_t *job)
{
	const char *line = find_line(job->system_comment);
	const char *at = line ? strstr(line, waiting_prefix) : NULL;

	return at && at < line + strcspn(line, "\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - see history.h */
#define _GNU_SOURCE /* strptime, timegm, strsep */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "core/base/array.h"
#include "history.h"

/* Of a job without a limit: a year. */
#define NO_LIMIT 31536000
#define CPUS_MOST 100000000
#define SECONDS_MOST INT64_C(100000000000)

/* Columns of sacct. */
enum {
	JOB_ID,
	SUBMIT,
	START,
	END,
	TIMELIMIT,
	NODES,
	TASKS,
	CPUS,
	COLUMNS,
};
static const struct {
	const char *names[3];
	bool needed;
} columns[COLUMNS] = {
	[JOB_ID] = { { "JobID", "JobIDRaw" }, true },
	[SUBMIT] = { { "Submit" }, true },
	[START] = { { "Start" }, true },
	[END] = { { "End" }, true },
	[TIMELIMIT] = { { "Timelimit" }, true },
	[NODES] = { { "ReqNodes", "NNodes" }, false },
	[TASKS] = { { "NTasks" }, false },
	[CPUS] = { { "ReqCPUS", "NCPUS", "AllocCPUS" }, true },
};

struct reading {
	struct tb_history *history;
	unsigned line;
	int at[COLUMNS]; /* of the column, -1: not there */
	/* Is the last job of the history that of the lines before? */
	bool has_last;
};

static struct tb_past_job *append_job(struct tb_history *history)
{
	struct tb_past_job *jobs = tb_array_make_room(history->jobs,
						      history->njobs,
						      sizeof(*jobs));

	if (!jobs)
		return NULL;
	history->jobs = jobs;
	return &jobs[history->njobs++];
}

static int fail_line(const struct reading *reading, const char *what,
		     const char *seen, struct tb_error *err)
{
	return tb_fail(err, "line %u: \"%.60s\" is no %s", reading->line, seen,
		       what);
}

/* ---- what is in a cell ---- */

static bool read_number(const char *text, int64_t most, int64_t *number)
{
	char *rest;

	errno = 0;
	*number = strtoll(text, &rest, 10);
	return rest != text && !*rest && !errno && *number >= 0 &&
	       *number <= most;
}

/* As sacct prints it, or seconds since 1970. */
static bool read_time(const char *text, int64_t *seconds)
{
	struct tm tm = { 0 };
	const char *rest;

	if (read_number(text, SECONDS_MOST, seconds))
		return true;
	rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	*seconds = timegm(&tm);
	return rest && !*rest;
}

/* [D-]HH:MM:SS */
static bool read_limit(const char *text, int64_t *seconds)
{
	unsigned days = 0, hours, minutes, rest;
	const char *time = strchr(text, '-');
	int end = 0;

	*seconds = NO_LIMIT;
	if (!*text || !strcasecmp(text, "UNLIMITED") ||
	    !strcasecmp(text, "Partition_Limit"))
		return true;
	if (time && sscanf(text, "%5u-", &days) != 1)
		return false;
	time = time ? time + 1 : text;
	if (sscanf(time, "%5u:%2u:%2u%n", &hours, &minutes, &rest, &end) != 3 ||
	    time[end])
		return false;
	*seconds = ((days * INT64_C(24) + hours) * 60 + minutes) * 60 + rest;
	return true;
}

/* ---- sacct ---- */

static int find_columns(struct reading *reading, char *heading,
			struct tb_error *err)
{
	int index = 0;
	char *name;

	for (int i = 0; i < COLUMNS; i++)
		reading->at[i] = -1;
	for (; (name = strsep(&heading, "|")); index++)
		for (int i = 0; i < COLUMNS; i++)
			for (int j = 0; j < 3 && columns[i].names[j]; j++)
				if (!strcasecmp(name, columns[i].names[j]))
					reading->at[i] = index;
	for (int i = 0; i < COLUMNS; i++)
		if (columns[i].needed && reading->at[i] < 0)
			return tb_fail(
				err,
				"line %u has no column %s: sacct -P --format=JobID,Submit,Start,End,Timelimit,NNodes,NTasks,ReqCPUS prints what is needed",
				reading->line, columns[i].names[0]);
	return 0;
}

static int split_row(const struct reading *reading, char *row,
		     const char *cells[COLUMNS], struct tb_error *err)
{
	int index = 0, found = 0, wanted = 0;
	char *cell;

	for (int i = 0; i < COLUMNS; i++) {
		cells[i] = "";
		wanted += reading->at[i] >= 0;
	}
	for (; (cell = strsep(&row, "|")); index++)
		for (int i = 0; i < COLUMNS; i++)
			if (reading->at[i] == index) {
				cells[i] = cell;
				found++;
			}
	return found == wanted
		       ? 0
		       : tb_fail(err,
				 "line %u has %d columns, fewer than the first one",
				 reading->line, index);
}

/* "12", "12_3", "12_[3-5]" or "12+1"; rest is behind the number, or what of it is read. */
static bool read_id(const char *text, struct tb_past_job *job,
		    const char **rest)
{
	char *end;

	job->id = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9')
		return false;
	if ((*end == '_' || *end == '+') && end[1] >= '0' && end[1] <= '9') {
		job->part_sign = *end;
		job->part = (uint32_t)strtoul(end + 1, &end, 10);
	}
	*rest = end;
	return true;
}

void tb_past_job_print(const struct tb_past_job *job, char text[TB_PAST_ID_MAX])
{
	int length = snprintf(text, TB_PAST_ID_MAX, "%" PRIu64, job->id);

	if (job->part_sign)
		snprintf(text + length, TB_PAST_ID_MAX - (size_t)length,
			 "%c%" PRIu32, job->part_sign, job->part);
}

/* Steps say how many tasks there are; sacct does not say it of jobs. */
static void take_step(struct reading *reading, int64_t tasks)
{
	struct tb_history *history = reading->history;
	struct tb_past_job *job;

	if (!reading->has_last)
		return;
	job = &history->jobs[history->njobs - 1];
	if (tasks > job->tasks)
		job->tasks = (uint32_t)tasks;
}

static int take_ended(struct reading *reading, const char *cells[COLUMNS],
		      struct tb_past_job *job, struct tb_error *err)
{
	int64_t start, end, nodes = 0, tasks = 0, cpus;

	if (!read_time(cells[SUBMIT], &job->submit))
		return fail_line(reading, "time of submission", cells[SUBMIT],
				 err);
	if (!read_time(cells[START], &start) || !read_time(cells[END], &end) ||
	    end < start)
		return 1;
	if (!read_limit(cells[TIMELIMIT], &job->limit))
		return fail_line(reading, "time limit", cells[TIMELIMIT], err);
	if (!read_number(cells[CPUS], CPUS_MOST, &cpus))
		return fail_line(reading, "number of CPUs", cells[CPUS], err);
	if (*cells[NODES] && !read_number(cells[NODES], CPUS_MOST, &nodes))
		return fail_line(reading, "number of nodes", cells[NODES], err);
	if (*cells[TASKS] && !read_number(cells[TASKS], CPUS_MOST, &tasks))
		return fail_line(reading, "number of tasks", cells[TASKS], err);
	if (!cpus)
		return 1;
	job->run = end - start;
	job->nodes = (uint32_t)nodes;
	job->tasks = (uint32_t)tasks;
	job->cpus = (uint32_t)cpus;
	return 0;
}

static int take_sacct(struct reading *reading, char *row, struct tb_error *err)
{
	struct tb_past_job job = { 0 }, *at;
	const char *cells[COLUMNS], *rest;
	int64_t tasks = 0;
	int rc;

	if (split_row(reading, row, cells, err))
		return -1;
	if (!read_id(cells[JOB_ID], &job, &rest))
		return fail_line(reading, "job", cells[JOB_ID], err);
	if (strchr(rest, '.')) {
		if (read_number(cells[TASKS], CPUS_MOST, &tasks))
			take_step(reading, tasks);
		return 0;
	}
	rc = take_ended(reading, cells, &job, err);
	reading->has_last = !rc;
	if (rc < 0)
		return -1;
	if (rc) {
		reading->history->left_out++;
		return 0;
	}
	at = append_job(reading->history);
	if (!at)
		return tb_fail(err, "out of memory");
	*at = job;
	return 0;
}

/* ---- Standard Workload Format ---- */

static int take_swf(struct reading *reading, char *row, struct tb_error *err)
{
	/* Job, submission, wait, run, processors; asked: processors, time. */
	long long has[7];
	struct tb_past_job *job;
	long long cpus;

	row += strspn(row, " \t");
	if (!*row || *row == ';')
		return 0;
	if (sscanf(row, "%lld %lld %lld %lld %lld %*s %*s %lld %lld", &has[0],
		   &has[1], &has[2], &has[3], &has[4], &has[5], &has[6]) != 7)
		return fail_line(reading,
				 "line of the Standard Workload Format", row,
				 err);
	cpus = has[5] > 0 ? has[5] : has[4];
	if (has[1] < 0 || has[3] < 0 || cpus <= 0 || cpus > CPUS_MOST ||
	    has[1] > SECONDS_MOST || has[3] > SECONDS_MOST ||
	    has[6] > SECONDS_MOST) {
		reading->history->left_out++;
		return 0;
	}
	job = append_job(reading->history);
	if (!job)
		return tb_fail(err, "out of memory");
	*job = (struct tb_past_job){
		.id = (uint64_t)has[0],
		.submit = has[1],
		.run = has[3],
		.limit = has[6] > 0 ? has[6] : NO_LIMIT,
		.cpus = (uint32_t)cpus,
	};
	return 0;
}

/* ---- all of it ---- */

static int take_line(struct reading *reading, enum tb_history_format *format,
		     char *line, struct tb_error *err)
{
	line[strcspn(line, "\r\n")] = '\0';
	reading->line++;
	if (*format == TB_HISTORY_ANY)
		*format = strchr(line, '|') ? TB_HISTORY_SACCT : TB_HISTORY_SWF;
	if (*format == TB_HISTORY_SWF)
		return take_swf(reading, line, err);
	if (reading->line == 1)
		return find_columns(reading, line, err);
	return *line ? take_sacct(reading, line, err) : 0;
}

static int compare_jobs(const void *a, const void *b)
{
	const struct tb_past_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

int tb_history_read(FILE *in, enum tb_history_format format,
		    struct tb_history *history, struct tb_error *err)
{
	struct reading reading = { .history = history };
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	*history = (struct tb_history){ 0 };
	while (!rc && getline(&line, &size, in) >= 0)
		rc = take_line(&reading, &format, line, err);
	free(line);
	if (rc)
		return -1;
	if (ferror(in))
		return tb_fail(err, "it cannot be read");
	if (!history->njobs)
		return tb_fail(err, "it has no job that has run");
	qsort(history->jobs, history->njobs, sizeof(*history->jobs),
	      compare_jobs);
	return 0;
}

void tb_history_clear(struct tb_history *history)
{
	free(history->jobs);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_id.c - see job_id.h */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <slurm/slurm_errno.h>

#include "cluster.h"
#include "command.h"
#include "job_id.h"

/* A number and where it ends; -1 for what Slurm can have as no id. */
static int read_number(const char *text, const char **end, uint32_t *number)
{
	unsigned long value;
	char *after;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	value = strtoul(text, &after, 10);
	if (errno || value >= NO_VAL)
		return -1;
	*number = (uint32_t)value;
	*end = after;
	return 0;
}

static int read_id(struct tb_job_id *id, const char *text)
{
	uint32_t *second;

	*id = (struct tb_job_id){ NO_VAL, NO_VAL, NO_VAL };
	if (read_number(text, &text, &id->job) || !id->job)
		return -1;
	if (!*text)
		return 0;
	if (*text != '_' && *text != '+')
		return -1;
	second = *text == '_' ? &id->array_task : &id->het_part;
	if (read_number(text + 1, &text, second) || *text)
		return -1;
	return 0;
}

int tb_job_argument_take(struct tb_job_argument *job, int count, char **words,
			 struct tb_error *err)
{
	const char *text = count ? words[0] : getenv("SLURM_JOB_ID");

	if (!text)
		return tb_fail(
			err,
			"no job was given, and this is not inside one; write its id");
	if (count > 1)
		return tb_fail(err, "one job at a time, leave out \"%.60s\"",
			       words[1]);
	if (read_id(&job->id, text))
		return tb_fail(
			err,
			"\"%.60s\" is not a job id; write 123, 123_4 or 123+1",
			text);
	job->text = text;
	return 0;
}

int tb_job_argument_take_any(struct tb_job_argument *job, int count,
			     char **words, struct tb_error *err)
{
	if (count || getenv("SLURM_JOB_ID"))
		return tb_job_argument_take(job, count, words, err);
	job->text = NULL;
	return 0;
}

int tb_job_argument_fail(const struct tb_job_argument *job, const char *command,
			 const struct tb_error *err)
{
	return job->text ? tb_command_fail(command, "job %.60s: %s", job->text,
					   err->text)
			 : tb_command_fail(command, "%s", err->text);
}

job_info_msg_t *tb_job_id_load(const struct tb_job_id *id, uint16_t what,
			       struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;

	/* Else Slurm's library cuts the list of an array's tasks that wait. */
	setenv("SLURM_BITSTR_LEN", "0", 1);
	/* This cluster's: a federation takes a question more. */
	if (!tb_load_job(&jobs, id->job, SHOW_ALL | SHOW_LOCAL | what))
		return jobs;
	if (errno == ESLURM_INVALID_JOB_ID)
		tb_fail(err,
			"Slurm knows no such job, or does not show it to you");
	else
		tb_fail(err, "Slurm's controller gives no answer: %s",
			slurm_strerror(errno));
	return NULL;
}

job_info_msg_t *tb_job_id_load_own(uint16_t what, struct tb_error *err)
{
	job_info_msg_t *jobs = NULL;

	setenv("SLURM_BITSTR_LEN", "0", 1);
	if (!slurm_load_job_user(&jobs, geteuid(),
				 SHOW_ALL | SHOW_LOCAL | what))
		return jobs;
	tb_fail(err, "Slurm's controller gives no answer: %s",
		slurm_strerror(errno));
	return NULL;
}

char *tb_job_id_print(const job_info_t *job)
{
	char *text;

	if (job->array_task_id != NO_VAL || !job->array_task_str ||
	    !job->array_job_id)
		return tb_cluster_job_id(job);
	return asprintf(&text, "%u_[%s]", job->array_job_id,
			job->array_task_str) < 0
		       ? NULL
		       : text;
}

bool tb_job_waits(const job_info_t *job)
{
	return (job->job_state & JOB_STATE_BASE) == JOB_PENDING;
}

/* One of "7", "1-6" and "0-20:2"; where the next begins, NULL at the end. */
static const char *read_range(const char *text, uint32_t task, bool *listed)
{
	uint32_t first, last, step = 1;

	if (read_number(text, &text, &first))
		return NULL;
	last = first;
	if ((*text == '-' && read_number(text + 1, &text, &last)) ||
	    (*text == ':' && (read_number(text + 1, &text, &step) || !step)))
		return NULL;
	*listed = *listed ||
		  (task >= first && task <= last && (task - first) % step == 0);
	return *text == ',' ? text + 1 : NULL;
}

/* Is the task among "1-6,9%2", those of an array that wait? */
static bool is_listed(uint32_t task, const char *list)
{
	bool listed = false;

	while (list)
		list = read_range(list, task, &listed);
	return listed;
}

static bool is_meant(const struct tb_job_id *id, const job_info_t *job)
{
	if (id->array_task != NO_VAL)
		return job->array_job_id == id->job &&
		       (job->array_task_id == id->array_task ||
			(job->array_task_id == NO_VAL &&
			 is_listed(id->array_task, job->array_task_str)));
	if (id->het_part != NO_VAL)
		return job->het_job_id == id->job &&
		       job->het_job_offset == id->het_part;
	return job->job_id == id->job;
}

const job_info_t *tb_job_id_find(const struct tb_job_id *id,
				 const job_info_msg_t *jobs)
{
	for (uint32_t i = 0; i < jobs->record_count; i++)
		if (is_meant(id, &jobs->job_array[i]))
			return &jobs->job_array[i];
	return NULL;
}

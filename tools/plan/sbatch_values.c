/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbatch_values.c - see sbatch_values.h */
#define _GNU_SOURCE /* asprintf */
#include "sbatch_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "terminal/text_stream.h"

static int fail_for_value(const char *option, const char *value,
			  const char *allowed, struct tb_error *err)
{
	return tb_fail(err, "--%s=%.60s is not right, give %s", option, value,
		       allowed);
}

/* A number from 1 to most, up to one of the characters in ends. */
static int read_count(const char **text, const char *ends, uint64_t most,
		      uint64_t *count)
{
	unsigned long long value;
	char *end;

	if (!isdigit((unsigned char)**text))
		return -1;
	errno = 0;
	value = strtoull(*text, &end, 10);
	if (errno || value > most || (*end && !strchr(ends, *end)))
		return -1;
	*count = value;
	*text = end;
	return 0;
}

int tb_sbatch_read_number(const char *option, const char *text, uint64_t least,
			  uint64_t most, uint64_t *number, struct tb_error *err)
{
	const char *at = text;

	if (!read_count(&at, "", most, number) && *number >= least)
		return 0;
	return tb_fail(err,
		       "--%s=%.60s is not right, give a number from %llu to %llu",
		       option, text, (unsigned long long)least,
		       (unsigned long long)most);
}

int tb_sbatch_read_node_info(job_desc_msg_t *job, const char *text,
			     struct tb_error *err)
{
	uint16_t *const fields[] = { &job->sockets_per_node,
				     &job->cores_per_socket,
				     &job->threads_per_core };
	const char *at = text;
	size_t i = 0;

	do {
		uint64_t count;

		if (i == sizeof(fields) / sizeof(fields[0]))
			break;
		if (*at == '*')
			at++;
		else if (!read_count(&at, ":", NO_VAL16 - 1, &count) && count)
			*fields[i] = (uint16_t)count;
		else
			break;
		i++;
		if (!*at)
			return 0;
	} while (*at++ == ':');
	return fail_for_value("extra-node-info", text,
			      "sockets, sockets:cores or sockets:cores:threads",
			      err);
}

int tb_sbatch_read_nodes(job_desc_msg_t *job, const char *text,
			 struct tb_error *err)
{
	const char *at = text;
	uint64_t least = 0, most;
	bool wrong = read_count(&at, "-", TB_SBATCH_COUNT_MAX, &least) ||
		     !least;

	most = least;
	if (!wrong && *at++ == '-')
		wrong = read_count(&at, "", TB_SBATCH_COUNT_MAX, &most) ||
			most < least;
	if (wrong)
		return fail_for_value("nodes", text,
				      "a number, or least and most as in 2-4",
				      err);
	job->min_nodes = (uint32_t)least;
	job->max_nodes = (uint32_t)most;
	return 0;
}

int tb_sbatch_read_memory(const char *option, const char *text,
			  uint64_t *memory, struct tb_error *err)
{
	const char *at = text;

	if (!tb_text_read_megabytes(&at, memory) && !*at)
		return 0;
	return fail_for_value(option, text,
			      "a number of megabytes, or with K, M, G or T after it",
			      err);
}

/*
 * Minutes, rounded up, of "M", "M:S", "H:M:S", "D-H", "D-H:M" and "D-H:M:S".
 */
static int read_minutes(const char *text, uint64_t *minutes)
{
	uint64_t days = 0, part[3] = { 0 };
	unsigned parts = 0;
	const char *at = text;
	bool has_days = strchr(text, '-') != NULL;

	if (has_days && (read_count(&at, "-", 100000, &days) || *at++ != '-'))
		return -1;
	do {
		if (parts == 3 || read_count(&at, ":", 100000000, &part[parts]))
			return -1;
		parts++;
	} while (*at && *at++ == ':');
	if (has_days || parts == 3)
		*minutes = days * 1440 + part[0] * 60 + part[1] + (part[2] > 0);
	else
		*minutes = part[0] + (part[1] > 0);
	return 0;
}

int tb_sbatch_read_time(const char *option, uint32_t *limit, const char *text,
			struct tb_error *err)
{
	uint64_t minutes;

	if (!strcasecmp(text, "UNLIMITED") || !strcasecmp(text, "INFINITE")) {
		*limit = INFINITE;
		return 0;
	}
	if (read_minutes(text, &minutes) || minutes >= NO_VAL)
		return fail_for_value(
			option, text,
			"minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
			err);
	*limit = minutes ? (uint32_t)minutes : INFINITE;
	return 0;
}

int tb_sbatch_read_sharing(job_desc_msg_t *job, const char *text,
			   struct tb_error *err)
{
	if (!text || !strcasecmp(text, "exclusive"))
		job->shared = JOB_SHARED_NONE;
	else if (!strcasecmp(text, "oversubscribe"))
		job->shared = JOB_SHARED_OK;
	else if (!strcasecmp(text, "user"))
		job->shared = JOB_SHARED_USER;
	else if (!strcasecmp(text, "mcs"))
		job->shared = JOB_SHARED_MCS;
	else
		return fail_for_value("exclusive", text,
				      "exclusive, user, mcs or oversubscribe",
				      err);
	return 0;
}

int tb_sbatch_read_gres_flags(job_desc_msg_t *job, const char *text,
			      struct tb_error *err)
{
	const uint64_t both = GRES_DISABLE_BIND | GRES_ENFORCE_BIND;
	const char *at = text;

	job->bitflags &= ~both;
	while (*at) {
		size_t length = strcspn(at, ",");

		if (length == 15 && !strncasecmp(at, "disable-binding", 15))
			job->bitflags |= GRES_DISABLE_BIND;
		else if (length == 15 &&
			 !strncasecmp(at, "enforce-binding", 15))
			job->bitflags |= GRES_ENFORCE_BIND;
		else if (!strstr(at, "per-sharing"))
			break;
		at += length + (at[length] == ',');
	}
	if (*text && !*at && (job->bitflags & both) != both)
		return 0;
	return fail_for_value("gres-flags", text,
			      "disable-binding or enforce-binding", err);
}

/* "gpu:2,foo:1" as Slurm sends it, a prefix before each; malloc()ed. */
static char *add_prefix(const char *list, const char *prefix)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	while (out && *list) {
		size_t length = strcspn(list, ",");

		fprintf(out, "%s:%.*s%s", prefix, (int)length, list,
			list[length] ? "," : "");
		list += length + (list[length] != '\0');
	}
	return out ? tb_text_stream_close(out, &text) : NULL;
}

int tb_sbatch_add_gres(char **to, const char *list, const char *prefix,
		       struct tb_error *err)
{
	char *more = add_prefix(list, prefix), *all = NULL;

	if (more &&
	    asprintf(&all, "%s%s%s", *to ? *to : "", *to ? "," : "", more) < 0)
		all = NULL;
	free(more);
	if (!all)
		return tb_fail(err, "out of memory");
	free(*to);
	*to = all;
	return 0;
}

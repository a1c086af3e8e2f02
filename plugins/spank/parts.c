/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/job/request_env.h"

#define ID_FORMAT "SLURM_JOB_ID_HET_GROUP_%u"

/* Of a variable, with a number. */
struct name {
	char text[sizeof(TB_JOB_ENV_PREFIX TB_PART_REQUEST_FORMAT ID_FORMAT)];
};

static struct name print_name(const char *format, uint32_t number)
{
	struct name name;

	snprintf(name.text, sizeof(name.text), format, number);
	return name;
}

static struct name part_name(uint32_t part)
{
	return print_name(TB_JOB_ENV_PREFIX TB_PART_REQUEST_FORMAT, part);
}

static struct name group_name(uint32_t group)
{
	return print_name(TB_GROUP_REQUEST_FORMAT, group);
}

/* The number of the job's part at a place among them.  false: there are less. */
static bool find_part(uint32_t group, uint32_t *part)
{
	const char *id = getenv(print_name(ID_FORMAT, group).text);

	if (id != NULL)
		*part = (uint32_t)strtoul(id, NULL, 10);
	return id != NULL;
}

/* Of the job that is asked for, so far. */
static uint32_t noted;

void tb_parts_forget(void)
{
	uint32_t part;

	if (noted > 0)
		return;
	for (uint32_t group = 0; find_part(group, &part); group++) {
		unsetenv(part_name(part).text);
		unsetenv(group_name(group).text);
	}
}

/* A job that is not heterogeneous has no more than one, which is in JOB_VARIABLE. */
void tb_parts_note(const char *request)
{
	static char *first;

	if (request == NULL)
		request = "";
	if (noted == 0)
		first = strdup(request);
	if (noted == 1 && first != NULL)
		setenv(group_name(0).text, first, 1);
	if (noted > 0)
		setenv(group_name(noted).text, request, 1);
	noted++;
}

const char *tb_parts_find(uint32_t part)
{
	const char *request = getenv(part_name(part).text);
	uint32_t other = 0;

	for (uint32_t group = 0; request == NULL && find_part(group, &other);
	     group++)
		if (other == part)
			request = getenv(group_name(group).text);
	return request;
}

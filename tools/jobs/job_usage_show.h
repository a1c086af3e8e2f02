/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_usage_show.h - how busy a job's units are, for people and for programs
 */
#ifndef TB_TOOLS_JOBS_JOB_USAGE_SHOW_H
#define TB_TOOLS_JOBS_JOB_USAGE_SHOW_H

#include <jansson.h>

#include "job_usage.h"

/* A table of the units and a sentence, to stdout.  -1 when out of memory. */
int tb_job_usage_print(const struct tb_job_usage *usage, unsigned seconds);

json_t *tb_job_usage_json(const struct tb_job_usage *usage, unsigned seconds);

#endif

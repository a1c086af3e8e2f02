/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostile.c - a client that does not ask the SPANK plugin
 *
 *	hostile NODE NAME=VALUE... - submit a job to a node with these strings,
 *	unchecked, in its SPANK environment
 *
 * Prints the id of the job and exits with 0, or 1 when it was refused.  An
 * argument "@FILE" is the content of a file instead, up to its first NUL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#include "compat/submitted_job.h"

#define FILE_MAX (4 * 1024 * 1024)

static char *read_file(const char *path)
{
	char *text = calloc(1, FILE_MAX + 1);
	FILE *file = fopen(path, "r");

	if (!text || !file || !fread(text, 1, FILE_MAX, file)) {
		perror(path);
		exit(2);
	}
	fclose(file);
	return text;
}

static void set_strings(job_desc_msg_t *job, char **strings, int count)
{
	job->spank_job_env = calloc(count + 1, sizeof(*job->spank_job_env));
	if (!job->spank_job_env)
		exit(2);
	for (int i = 0; i < count; i++)
		job->spank_job_env[i] = strings[i][0] == '@'
						? read_file(strings[i] + 1)
						: strings[i];
	job->spank_job_env_size = count;
}

int main(int argc, char **argv)
{
	static char *env[] = { "PATH=/usr/bin:/bin", NULL };
	submit_response_msg_t *answer = NULL;
	job_desc_msg_t job;

	if (argc < 2) {
		fprintf(stderr, "usage: hostile NODE NAME=VALUE...\n");
		return 2;
	}
	slurm_init(NULL);
	slurm_init_job_desc_msg(&job);
	job.name = "hostile";
	job.script = "#!/bin/sh\nexec sleep 600\n";
	job.work_dir = "/";
	job.std_out = "/dev/null";
	job.std_err = "/dev/null";
	job.environment = env;
	job.env_size = 1;
	job.min_nodes = 1;
	job.num_tasks = 1;
	job.user_id = 0;
	job.group_id = 0;
	job.req_nodes = argv[1];
	set_strings(&job, argv + 2, argc - 2);
	if (slurm_submit_batch_job(&job, &answer)) {
		slurm_perror("refused");
		return 1;
	}
	printf("%u\n", tb_submitted_job(answer));
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * submit_jobs.c - many jobs, fast: a client of libslurm
 *
 *	submit_jobs PARTITION [hold]
 *
 * A line of stdin is a job: "NODES TASKS CPUS [BINDING]", the CPUs of a task; 0 NODES: on
 * any number of them.  BINDING is what --topobind= would say, as the SPANK plugin would
 * send it.  Prints the number of the first and of the last job.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define OPTION "_SLURM_SPANK_OPTION_topobind_topobind="

static char *job_environment[] = { "PATH=/usr/bin:/bin", NULL };

static void init_job(job_desc_msg_t *job, char *partition, bool hold)
{
	slurm_init_job_desc_msg(job);
	job->name = "bench";
	job->script = "#!/bin/sh\n";
	job->work_dir = "/";
	job->std_out = "/dev/null";
	job->std_err = "/dev/null";
	job->environment = job_environment;
	job->env_size = 1;
	job->partition = partition;
	job->user_id = getuid();
	job->group_id = getgid();
	if (hold)
		job->priority = 0;
}

/* The number of the job; 0: there is none. */
static uint32_t submit(job_desc_msg_t *job)
{
	submit_response_msg_t *answer = NULL;
	uint32_t number;

	if (slurm_submit_batch_job(job, &answer)) {
		slurm_perror("submit_jobs");
		return 0;
	}
	number = answer->job_id;
	slurm_free_submit_response_response_msg(answer);
	return number;
}

/* As the line says. */
static uint32_t submit_line(job_desc_msg_t *job, const char *line)
{
	static char binding[sizeof(OPTION) + 512];
	char *request[] = { binding, NULL };
	unsigned nodes, tasks, cpus;
	int words;

	memcpy(binding, OPTION, sizeof(OPTION));
	words = sscanf(line, "%u %u %u %511s", &nodes, &tasks, &cpus,
		       binding + strlen(OPTION));
	if (words < 3) {
		fprintf(stderr,
			"submit_jobs: NODES TASKS CPUS [BINDING], not %s",
			line);
		return 0;
	}
	if (nodes)
		job->min_nodes = job->max_nodes = nodes;
	job->cpus_per_task = (uint16_t)cpus;
	job->num_tasks = tasks;
	job->min_cpus = tasks * cpus;
	job->spank_job_env = words > 3 ? request : NULL;
	job->spank_job_env_size = words > 3;
	return submit(job);
}

int main(int argc, char **argv)
{
	uint32_t first = 0, last = 0;
	job_desc_msg_t job;
	char line[640];

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: submit_jobs PARTITION [hold] <LINES\n");
		return 2;
	}
	slurm_init(NULL);
	init_job(&job, argv[1], argc > 2);
	while (fgets(line, sizeof(line), stdin)) {
		last = submit_line(&job, line);
		if (!last)
			return 1;
		if (!first)
			first = last;
	}
	printf("%u %u\n", first, last);
	slurm_fini();
	return 0;
}

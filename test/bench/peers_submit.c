/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * peers_submit.c - the jobs of test/bench/peers, fast: a client of libslurm
 *
 *	peers_submit PARTITION CORES [bound]
 *
 * A line of stdin is a job: how many tasks it has, of so many cores each, on one node.
 * With "bound" they have --bunit=C --bamount=CORES, as the SPANK plugin would send it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define OPTION "_SLURM_SPANK_OPTION_topobind_"

static char *job_environment[] = { "PATH=/usr/bin:/bin", NULL };

static void init_job(job_desc_msg_t *job, char *partition, uint16_t cores)
{
	slurm_init_job_desc_msg(job);
	job->name = "peers";
	job->script = "#!/bin/sh\n";
	job->work_dir = "/";
	job->std_out = "/dev/null";
	job->std_err = "/dev/null";
	job->environment = job_environment;
	job->env_size = 1;
	job->partition = partition;
	job->min_nodes = 1;
	job->max_nodes = 1;
	job->cpus_per_task = cores;
	job->user_id = getuid();
	job->group_id = getgid();
}

static int submit(job_desc_msg_t *job, uint32_t tasks)
{
	submit_response_msg_t *answer = NULL;

	job->num_tasks = tasks;
	job->min_cpus = tasks * job->cpus_per_task;
	if (slurm_submit_batch_job(job, &answer)) {
		slurm_perror("peers_submit");
		return -1;
	}
	slurm_free_submit_response_response_msg(answer);
	return 0;
}

int main(int argc, char **argv)
{
	char unit[] = OPTION "bunit=C", amount[64];
	char *request[] = { unit, amount, NULL };
	job_desc_msg_t job;
	char line[16];

	if (argc < 3 || argc > 4) {
		fprintf(stderr,
			"usage: peers_submit PARTITION CORES [bound] <TASKS\n");
		return 2;
	}
	slurm_init(NULL);
	init_job(&job, argv[1], (uint16_t)atoi(argv[2]));
	if (argc == 4) {
		snprintf(amount, sizeof(amount), OPTION "bamount=%d",
			 atoi(argv[2]));
		job.spank_job_env = request;
		job.spank_job_env_size = 2;
	}
	while (fgets(line, sizeof(line), stdin))
		if (submit(&job, (uint32_t)atoi(line)))
			return 1;
	slurm_fini();
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flood.c - what a user can send to slurmctld through libslurm, without any client
 *
 *	flood list BYTES	one job with a list of CPUs of so many bytes
 *	flood variables COUNT	one job with so many variables of SPANK
 *	flood bad COUNT		so many jobs with a wrong request
 *	flood random SEED COUNT	so many jobs with random descriptions
 *	flood sockets NODE	one bound job without any task for each socket
 *	flood watch FILE	ask for all jobs until there is such a file; print the
 *				longest time that an answer took, in milliseconds
 *
 * list and variables exit with 0 when the job was refused, 1 when it was accepted;
 * bad and random print how many were accepted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>

#define OPTION "_SLURM_SPANK_OPTION_topobind_"

static char *job_environment[] = { "PATH=/usr/bin:/bin", NULL };

static void init_job(job_desc_msg_t *job)
{
	slurm_init_job_desc_msg(job);
	job->name = "flood";
	job->script = "#!/bin/sh\nexec sleep 600\n";
	job->work_dir = "/";
	job->std_out = "/dev/null";
	job->std_err = "/dev/null";
	job->environment = job_environment;
	job->env_size = 1;
	job->min_nodes = 1;
	job->num_tasks = 1;
	job->time_limit = 10;
	job->user_id = getuid();
	job->group_id = getgid();
}

static bool is_accepted(job_desc_msg_t *job)
{
	submit_response_msg_t *answer = NULL;

	if (slurm_submit_batch_job(job, &answer)) {
		if (errno == SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR ||
		    errno == SLURMCTLD_COMMUNICATIONS_SEND_ERROR ||
		    errno == SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR)
			exit(3);
		return false;
	}
	slurm_free_submit_response_response_msg(answer);
	return true;
}

static void *get_memory(size_t size)
{
	void *memory = calloc(1, size);

	if (!memory)
		exit(2);
	return memory;
}

/* ---- large ones ---- */

/* Each range names nearly all of the CPUs that there can be. */
static int send_list(size_t bytes)
{
	static const char start[] = OPTION "bcpus=0", more[] = ",0-46699";
	char *entry = get_memory(bytes + sizeof(start) + sizeof(more));
	char *end = stpcpy(entry, start);
	job_desc_msg_t job;

	while (end < entry + bytes)
		end = stpcpy(end, more);
	init_job(&job);
	job.spank_job_env = &entry;
	job.spank_job_env_size = 1;
	return is_accepted(&job);
}

static int send_variables(uint32_t count)
{
	job_desc_msg_t job;

	init_job(&job);
	job.spank_job_env = get_memory(count * sizeof(char *));
	for (uint32_t i = 0; i < count; i++)
		job.spank_job_env[i] = "A=b";
	job.spank_job_env_size = count;
	return is_accepted(&job);
}

static int send_bad(unsigned count)
{
	char *entry = OPTION "bunit=Q";
	unsigned accepted = 0;
	job_desc_msg_t job;

	for (unsigned i = 0; i < count; i++) {
		init_job(&job);
		job.spank_job_env = &entry;
		job.spank_job_env_size = 1;
		accepted += is_accepted(&job);
	}
	printf("%u\n", accepted);
	return 0;
}

/* A number by which Slurm divides, for jobs of several CPUs. */
static int send_sockets(char *node)
{
	char *variables[] = { OPTION "bunit=S", OPTION "bamount=1" };
	job_desc_msg_t job;

	init_job(&job);
	job.req_nodes = node;
	job.ntasks_per_socket = 0;
	job.spank_job_env = variables;
	job.spank_job_env_size = 2;
	return is_accepted(&job);
}

/* ---- random ones ---- */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

#define PICK(list) ((list)[draw(sizeof(list) / sizeof((list)[0]))])

static uint32_t draw_number(void)
{
	static const uint32_t numbers[] = {
		0,	1,	  2,	      3,	  7,
		8,	64,	  255,	      256,	  65533,
		65534,	65535,	  65536,      0x7fffffff, 0x80000000,
		NO_VAL, INFINITE, 0xfffffffd, 100000
	};

	return draw(2) ? draw(9) : PICK(numbers);
}

static char *draw_text(void)
{
	static char longer[4096];
	static char *const texts[] = {
		"",	      "x",
		",",	      ",,,,",
		"=",	      ":",
		"1",	      "-1",
		"0",	      "1-2",
		"9-1",	      "%s%n%s",
		"((((",	      "[1-99999",
		"\033[2J",    "a:b:c",
		"gpu",	      "gpu:0",
		"gpu:1",      "gpu:x:1",
		"gres:gpu:2", "gpu:99999999999",
		"cpu:1",      "a&b|c",
		"[a|b]",      "a*2",
		"[a*1&b*1]",  "afterok:1",
		"singleton",  "\n",
		longer,
	};

	memset(longer, 'A', sizeof(longer) - 1);
	return PICK(texts);
}

static char *draw_variable(void)
{
	static char *const variables[] = {
		OPTION "bunit=X",
		OPTION "bunit=S",
		OPTION "bunit=T",
		OPTION "bunit=Q",
		OPTION "bamount=1",
		OPTION "bamount=2",
		OPTION "bamount=65535",
		OPTION "bamount=-1",
		OPTION "btype=host",
		OPTION "bstrategy=scatter",
		OPTION "bsort=xc",
		OPTION "bstart=S",
		OPTION "bstop=c",
		OPTION "bfilter=first_core",
		OPTION "bfilter=(((",
		OPTION "bcpus=0-3",
		OPTION "bcpus=65535",
		OPTION "binstance=env",
		OPTION "bmode=soft",
		OPTION "ballow=S",
		OPTION "bmem=local",
		OPTION "bnodes=BESTFIT",
		OPTION "bnodes=PRIORITY",
		OPTION "bprefer=fast",
		OPTION "btopology=SCC",
		OPTION "topobind=bunit=X,bamount=1",
		OPTION "",
		"TOPOBIND_REQUEST=bunit=X,bamount=1",
		"TOPOBIND_REQUEST=bunit=C,bamount=2,btype=host",
		"TOPOBIND_REQUEST=rubbish",
		"TOPOBIND_UNBOUND=1",
		"TOPOBIND_IMPLICIT=bunit=S",
		"",
		"=",
	};

	return PICK(variables);
}

/* Mostly what can be read; else all jobs would be refused at once. */
static void draw_request(job_desc_msg_t *job, char **variables)
{
	static char *const sound[] = { OPTION "bunit=C", OPTION "bunit=X",
				       OPTION "bunit=S", OPTION "bunit=N" };
	uint32_t count = 0;

	if (draw(4)) {
		variables[count++] = PICK(sound);
		variables[count++] = draw(3) ? OPTION "bamount=1"
					     : OPTION "bamount=3";
	}
	while (draw(3) == 0 && count < 8)
		variables[count++] = draw_variable();
	job->spank_job_env = variables;
	job->spank_job_env_size = count;
}

/* One chance in so many that a field is changed. */
enum { SELDOM = 12 };

#define NUMBER(field) \
	do { \
		if (!draw(SELDOM)) \
			job->field = draw_number(); \
	} while (0)
/*
 * Slurm accepts other values of contiguous, requeue, overcommit and kill_on_node_fail,
 * and then refuses its own saved state: no reconfigure, no restart (22.05, 24.11).
 */
#define FLAG(field) \
	do { \
		if (!draw(SELDOM)) \
			job->field = (uint16_t)draw(2); \
	} while (0)
#define TEXT(field) \
	do { \
		if (!draw(SELDOM)) \
			job->field = draw_text(); \
	} while (0)

static void draw_sizes(job_desc_msg_t *job)
{
	NUMBER(min_nodes);
	NUMBER(max_nodes);
	NUMBER(num_tasks);
	NUMBER(min_cpus);
	NUMBER(max_cpus);
	NUMBER(cpus_per_task);
	NUMBER(ntasks_per_node);
	NUMBER(ntasks_per_socket);
	/* Slurm divides by it, if a plain job has more than one CPU (all releases). */
	if (!job->ntasks_per_socket)
		job->ntasks_per_socket = 1;
	NUMBER(ntasks_per_core);
	NUMBER(ntasks_per_board);
	NUMBER(ntasks_per_tres);
	NUMBER(boards_per_node);
	NUMBER(sockets_per_board);
	NUMBER(sockets_per_node);
	NUMBER(cores_per_socket);
	NUMBER(threads_per_core);
	NUMBER(pn_min_cpus);
	NUMBER(pn_min_memory);
	NUMBER(pn_min_tmp_disk);
	NUMBER(plane_size);
	NUMBER(core_spec);
}

/*
 * Slurm 24.11 accepts tasks where the list of nodes has them without such a list, and
 * then refuses its own saved state, too.
 */
static void draw_distribution(job_desc_msg_t *job)
{
	NUMBER(task_dist);
	if ((job->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY)
		job->task_dist = SLURM_DIST_BLOCK;
}

static void draw_rules(job_desc_msg_t *job)
{
	draw_distribution(job);
	NUMBER(shared);
	FLAG(overcommit);
	FLAG(contiguous);
	NUMBER(cpu_bind_type);
	NUMBER(mem_bind_type);
	NUMBER(nice);
	NUMBER(priority);
	FLAG(requeue);
	FLAG(reboot);
	NUMBER(req_switch);
	NUMBER(wait4switch);
	NUMBER(time_min);
	NUMBER(begin_time);
	NUMBER(deadline);
	NUMBER(delay_boot);
	FLAG(kill_on_node_fail);
	FLAG(wait_all_nodes);
	NUMBER(warn_time);
	NUMBER(warn_signal);
	NUMBER(immediate);
	NUMBER(bitflags);
	NUMBER(x11);
	NUMBER(profile);
}

/*
 * What ends slurmctld without topobind, too, is left out:
 * - extra, of a job that is refused: Slurm 22.05 frees it twice.
 */
static void draw_texts(job_desc_msg_t *job)
{
	TEXT(name);
	TEXT(comment);
	TEXT(features);
	TEXT(batch_features);
	TEXT(prefer);
	TEXT(cluster_features);
	TEXT(dependency);
	TEXT(licenses);
	TEXT(network);
	TEXT(req_nodes);
	TEXT(exc_nodes);
	TEXT(reservation);
	TEXT(partition);
	TEXT(qos);
	TEXT(account);
	TEXT(wckey);
	TEXT(array_inx);
	TEXT(burst_buffer);
	TEXT(cpu_bind);
	TEXT(mem_bind);
	TEXT(cpus_per_tres);
	TEXT(mem_per_tres);
	TEXT(tres_bind);
	TEXT(tres_freq);
	TEXT(tres_per_job);
	TEXT(tres_per_node);
	TEXT(tres_per_socket);
	TEXT(tres_per_task);
	TEXT(mcs_label);
	TEXT(mail_user);
	TEXT(work_dir);
}

static int send_random(uint64_t seed, unsigned count)
{
	unsigned accepted = 0;

	for (unsigned i = 0; i < count; i++) {
		char *variables[8];
		job_desc_msg_t job;

		state = seed * 1000003 + i;
		draw(2);
		init_job(&job);
		draw_request(&job, variables);
		draw_sizes(&job);
		draw_rules(&job);
		draw_texts(&job);
		accepted += is_accepted(&job);
	}
	printf("%u\n", accepted);
	return 0;
}

/* ---- is it there for others? ---- */

static double get_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

static int watch(const char *path)
{
	double longest = 0;

	while (access(path, F_OK)) {
		double begin = get_ms();
		job_info_msg_t *jobs = NULL;

		if (slurm_load_jobs(0, &jobs, SHOW_ALL)) {
			slurm_perror("jobs");
			return 1;
		}
		slurm_free_job_info_msg(jobs);
		if (get_ms() - begin > longest)
			longest = get_ms() - begin;
		usleep(10000);
	}
	printf("%.0f\n", longest);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	slurm_init(NULL);
	if (!strcmp(what, "list"))
		return !!send_list(strtoul(argv[2], NULL, 10));
	if (!strcmp(what, "variables"))
		return !!send_variables(strtoul(argv[2], NULL, 10));
	if (!strcmp(what, "sockets"))
		return send_sockets(argv[2]);
	if (!strcmp(what, "bad"))
		return send_bad(strtoul(argv[2], NULL, 10));
	if (!strcmp(what, "random") && argc > 3)
		return send_random(strtoul(argv[2], NULL, 10),
				   strtoul(argv[3], NULL, 10));
	if (!strcmp(what, "watch"))
		return watch(argv[2]);
	fprintf(stderr, "usage: see the begin of flood.c\n");
	return 2;
}

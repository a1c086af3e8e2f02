/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_usage.c - see job_usage.h */
#define _GNU_SOURCE /* gethostname */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cgroup/usage.h"
#include "hwloc/machine.h"
#include "job_usage.h"

char *tb_job_usage_node(const char *given)
{
	const char *own = getenv("SLURMD_NODENAME");
	char host[256] = "";

	if (given || (own && *own))
		return strdup(given ? given : own);
	if (gethostname(host, sizeof(host) - 1))
		return NULL;
	host[strcspn(host, ".")] = '\0';
	return strdup(host);
}

/* ---- the clock and the counters ---- */

struct look {
	double at;	   /* seconds */
	uint64_t *used_us; /* by OS CPU */
};

static int look(struct look *look, unsigned ncpus, struct tb_error *err)
{
	int file = open("/proc/stat", O_RDONLY | O_CLOEXEC);
	struct timespec now;
	int rc = -1;

	look->used_us = calloc(ncpus, sizeof(*look->used_us));
	clock_gettime(CLOCK_MONOTONIC, &now);
	look->at = (double)now.tv_sec + (double)now.tv_nsec / 1e9;
	if (!look->used_us)
		tb_fail(err, "out of memory");
	else if (file < 0 || tb_usage_of_cpus(file, look->used_us, ncpus))
		tb_fail(err, "/proc/stat cannot be read");
	else
		rc = 0;
	if (file >= 0)
		close(file);
	return rc;
}

static void wait_for(unsigned seconds)
{
	struct timespec left = { .tv_sec = seconds };

	while (nanosleep(&left, &left))
		;
}

/* By thread of the machine. */
static double *divide(const struct tb_machine *machine,
		      const struct look *before, const struct look *after)
{
	unsigned nthreads = tb_topology_threads(tb_machine_topology(machine));
	double *busy = calloc(nthreads + 1, sizeof(*busy));
	double passed = (after->at - before->at) * 1e6;

	for (unsigned i = 0; busy && i < nthreads; i++) {
		unsigned cpu = tb_machine_os_cpu(machine, i);
		double used = (double)(after->used_us[cpu] -
				       before->used_us[cpu]);

		/* The kernel counts in whole ticks. */
		busy[i] = used < passed ? used / passed : 1;
	}
	return busy;
}

static double *measure_threads(const struct tb_machine *machine,
			       unsigned seconds, struct tb_error *err)
{
	struct look before = { 0 }, after = { 0 };
	double *busy = NULL;

	if (!look(&before, TB_MACHINE_OS_MAX, err)) {
		wait_for(seconds);
		if (!look(&after, TB_MACHINE_OS_MAX, err)) {
			busy = divide(machine, &before, &after);
			if (!busy)
				tb_fail(err, "out of memory");
		}
	}
	free(before.used_us);
	free(after.used_us);
	return busy;
}

/* ---- jobs ---- */

static const struct tb_job_node *find_node(const struct tb_job_view *job,
					   const char *name)
{
	for (unsigned i = 0; i < job->nnodes; i++)
		if (!strcmp(job->nodes[i].name, name) && job->nodes[i].threads)
			return &job->nodes[i];
	return NULL;
}

/* On its node there is something to measure. */
static int find_jobs(struct tb_job_usage *usage,
		     const struct tb_job_views *views, const char *node,
		     const struct tb_machine *machine, struct tb_error *err)
{
	unsigned found = 0;

	for (unsigned i = 0; i < views->njobs; i++) {
		usage[i].node = find_node(&views->jobs[i], node);
		found += usage[i].node != NULL;
		if (usage[i].node &&
		    !tb_topology_same_shape(usage[i].node->topology,
					    tb_machine_topology(machine)))
			return tb_fail(
				err,
				"this machine is not node %.100s: it has another topology; call this on the node",
				node);
	}
	return found ? 0
		     : tb_fail(err,
			       "it has no CPUs on node %.100s, which this machine is: call this on a node of the job, or say with --node what this node is called",
			       node);
}

static int measure_jobs(struct tb_job_usage *usage,
			const struct tb_job_views *views, const double *busy,
			struct tb_error *err)
{
	for (unsigned i = 0; i < views->njobs; i++) {
		const struct tb_job_view *job = &views->jobs[i];

		usage[i].unit = (struct tb_unit){ .letter = 'C' };
		if (job->comment.request && !job->request.cpus)
			usage[i].unit = job->request.unit;
		if (usage[i].node &&
		    tb_busy_measure(usage[i].node->topology, usage[i].unit,
				    usage[i].node->threads, busy,
				    &usage[i].busy))
			return tb_fail(err, "out of memory");
	}
	return 0;
}

static int measure_on(struct tb_job_usage *usage,
		      const struct tb_job_views *views, const char *node,
		      unsigned seconds, struct tb_error *err)
{
	struct tb_machine *machine = tb_machine_load_whole(err);
	double *busy = NULL;
	int rc = -1;

	if (machine && !find_jobs(usage, views, node, machine, err))
		busy = measure_threads(machine, seconds, err);
	if (busy)
		rc = measure_jobs(usage, views, busy, err);
	free(busy);
	tb_machine_destroy(machine);
	return rc;
}

struct tb_job_usage *tb_job_usage_measure(const struct tb_job_views *views,
					  const char *node, unsigned seconds,
					  struct tb_error *err)
{
	struct tb_job_usage *usage = calloc(views->njobs + 1, sizeof(*usage));

	if (!usage)
		tb_fail(err, "out of memory");
	else if (!measure_on(usage, views, node, seconds, err))
		return usage;
	tb_job_usage_destroy(usage, views->njobs);
	return NULL;
}

void tb_job_usage_destroy(struct tb_job_usage *usage, unsigned njobs)
{
	for (unsigned i = 0; usage && i < njobs; i++)
		tb_busy_clear(&usage[i].busy);
	free(usage);
}

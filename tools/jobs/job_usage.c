/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_usage.c - see job_usage.h */
#define _GNU_SOURCE /* gethostname */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job_usage.h"
#include "thread_busy.h"

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
		busy = tb_thread_busy_measure(machine, seconds, err);
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

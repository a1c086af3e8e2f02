/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whatif.c - see whatif.h */
#include <stdlib.h>
#include <string.h>

#include "whatif.h"

/* ---- jobs ---- */

static uint32_t divide_up(uint32_t all, uint32_t by)
{
	return (all + by - 1) / by;
}

static uint32_t find_largest_node(const struct tb_replay_cluster *cluster)
{
	uint32_t most = 1;

	for (unsigned i = 0; i < cluster->nnodes; i++) {
		uint32_t cpus = tb_topology_threads(cluster->topologies[i]);

		most = cpus > most ? cpus : most;
	}
	return most;
}

/*
 * Of nodes that nothing is said of: as few as hold its CPUs; of tasks: one on each.
 */
static struct tb_replay_job make_job(const struct tb_past_job *past,
				     const struct tb_under *under,
				     uint32_t largest)
{
	struct tb_replay_job job = {
		.submit = past->submit,
		.run = past->run,
		.limit = past->limit,
		.nodes = past->nodes,
		.tasks = past->tasks,
		.request = under->plain ? NULL : &under->request,
		.implicit = under->implicit,
	};

	if (!job.nodes)
		job.nodes = past->tasks ? 1 : divide_up(past->cpus, largest);
	if (job.tasks < job.nodes)
		job.tasks = job.nodes;
	job.task_cpus = divide_up(past->cpus, job.tasks);
	return job;
}

struct tb_replay_job *tb_whatif_jobs(const struct tb_history *history,
				     const struct tb_under *under)
{
	struct tb_replay_job *jobs = calloc(history->njobs, sizeof(*jobs));
	uint32_t largest = find_largest_node(&under->cluster->cluster);

	for (unsigned i = 0; jobs && i < history->njobs; i++)
		jobs[i] = make_job(&history->jobs[i], under, largest);
	return jobs;
}

/* ---- what comes of it ---- */

static int compare_waits(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The least that so many of 100 do not exceed. */
static int64_t get_share(const int64_t *sorted, unsigned count, unsigned of_100)
{
	uint64_t rank = ((uint64_t)count * of_100 + 99) / 100;

	return rank ? sorted[rank - 1] : 0;
}

static int measure_waits(const struct tb_history *history,
			 struct tb_whatif *whatif)
{
	int64_t *waits = calloc(history->njobs + 1, sizeof(*waits));
	unsigned count = 0;

	if (!waits)
		return -1;
	for (unsigned i = 0; i < history->njobs; i++)
		if (whatif->starts[i].start != TB_REPLAY_NEVER)
			waits[count++] = whatif->starts[i].start -
					 history->jobs[i].submit;
	qsort(waits, count, sizeof(*waits), compare_waits);
	whatif->started = count;
	whatif->never = history->njobs - count;
	whatif->median = get_share(waits, count, 50);
	whatif->most = get_share(waits, count, 95);
	free(waits);
	return 0;
}

static void count_jobs(unsigned njobs, struct tb_whatif *whatif)
{
	double scores = 0;

	for (unsigned i = 0; i < njobs; i++) {
		const struct tb_replay_start *start = &whatif->starts[i];

		if (start->start == TB_REPLAY_NEVER)
			continue;
		whatif->spanning += start->l3.touched > start->l3.fewest;
		scores += tb_locality_score(&start->l3);
	}
	whatif->locality = whatif->started ? scores / whatif->started : 1;
}

static void take_shares(struct tb_whatif *whatif)
{
	const struct tb_replay_totals *totals = &whatif->totals;
	double seconds = (double)(totals->last - totals->first);

	if (seconds <= 0)
		return;
	whatif->utilisation = totals->core_seconds / seconds /
			      (double)totals->cores;
	whatif->broken = totals->broken_seconds / seconds /
			 (double)totals->containers;
}

int tb_whatif_run(const struct tb_history *history,
		  const struct tb_replay_options *options,
		  const struct tb_under *under, struct tb_whatif *whatif)
{
	struct tb_replay_job *jobs = tb_whatif_jobs(history, under);
	int rc = -1;

	*whatif = (struct tb_whatif){ .under = under };
	whatif->starts = calloc(history->njobs, sizeof(*whatif->starts));
	if (jobs && whatif->starts &&
	    !tb_replay(&under->cluster->cluster, jobs, history->njobs, options,
		       whatif->starts, &whatif->totals) &&
	    !measure_waits(history, whatif)) {
		count_jobs(history->njobs, whatif);
		take_shares(whatif);
		rc = 0;
	}
	free(jobs);
	return rc;
}

void tb_whatif_clear(struct tb_whatif *whatif)
{
	free(whatif->starts);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "begun.h"

#include <stddef.h>

void tb_begun_add(struct tb_begun_jobs *jobs, struct tb_begun *job)
{
	struct tb_begun *newer = NULL, *older = jobs->newest;

	while (older && older->at > job->at) {
		newer = older;
		older = older->older;
	}
	job->newer = newer;
	job->older = older;
	if (older)
		older->newer = job;
	if (newer)
		newer->older = job;
	else
		jobs->newest = job;
}

void tb_begun_remove(struct tb_begun_jobs *jobs, struct tb_begun *job)
{
	if (job->newer)
		job->newer->older = job->older;
	else
		jobs->newest = job->older;
	if (job->older)
		job->older->newer = job->newer;
	job->newer = job->older = NULL;
}

uint64_t tb_begun_since(const struct tb_begun_jobs *jobs, int64_t since)
{
	uint64_t cpus = 0;

	for (const struct tb_begun *job = jobs->newest; job && job->at >= since;
	     job = job->older)
		cpus += job->cpus;
	return cpus;
}

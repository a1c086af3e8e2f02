/* SPDX-License-Identifier: GPL-2.0-or-later */
/* starts.c - see starts.h */
#include <inttypes.h>
#include <stdlib.h>

#include "starts.h"

void tb_starts_print_head(FILE *out)
{
	fputs("Under|JobID|Submit|Start|End|Node|Cores\n", out);
}

/* NULL: no memory. */
static char *print_cores(const struct tb_topology *topology,
			 const struct tb_bitset *threads)
{
	struct tb_bitset *cores = tb_bitset_create(tb_topology_cores(topology));
	char *text = NULL;

	if (cores) {
		tb_cores_of_threads(topology, threads, cores);
		text = tb_bitset_print_list(cores);
	}
	tb_bitset_destroy(cores);
	return text;
}

void tb_starts_print(const struct tb_starts *starts, unsigned index,
		     unsigned node, const struct tb_bitset *threads,
		     int64_t now)
{
	const struct tb_past_job *job = &starts->history->jobs[index];
	char *cores = print_cores(starts->nodes->topologies[node], threads);
	char id[TB_PAST_ID_MAX];

	tb_past_job_print(job, id);
	fprintf(starts->out,
		"%s|%s|%" PRId64 "|%" PRId64 "|%" PRId64 "|%s|%s\n",
		starts->under, id, job->submit, now, now + job->run,
		starts->nodes->names[node], cores ? cores : "");
	free(cores);
}

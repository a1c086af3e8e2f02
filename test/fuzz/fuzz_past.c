/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the past of topobind whatif: a clear error, or jobs in their order, which
 * are replayed.
 */
#define _GNU_SOURCE /* fmemopen */
#include "fuzz.h"

#include "core/replay/replay.h"
#include "whatif/history.h"

#define JOBS_MOST 64

static void replay(const struct tb_history *history)
{
	struct tb_topology *topology = tb_topology_parse("NSXCCXCC", NULL,
							 NULL);
	const struct tb_topology *nodes[] = { topology, topology };
	struct tb_replay_cluster cluster = { nodes, 2 };
	struct tb_replay_options options = { .backfill = TB_BACKFILL_SLURM,
					     .depth = JOBS_MOST };
	struct tb_replay_job jobs[JOBS_MOST];
	struct tb_replay_start starts[JOBS_MOST];
	struct tb_replay_totals totals;

	FUZZ_CHECK(topology);
	for (unsigned i = 0; i < history->njobs; i++) {
		const struct tb_past_job *past = &history->jobs[i];

		jobs[i] = (struct tb_replay_job){
			.submit = past->submit,
			.run = past->run,
			.limit = past->limit,
			.nodes = past->nodes ? past->nodes : 1,
			.tasks = past->tasks ? past->tasks : 1,
			.task_cpus = past->cpus,
		};
		if (jobs[i].tasks < jobs[i].nodes)
			jobs[i].tasks = jobs[i].nodes;
	}
	FUZZ_CHECK(!tb_replay(&cluster, jobs, history->njobs, &options, starts,
			      &totals));
	for (unsigned i = 0; i < history->njobs; i++)
		FUZZ_CHECK(starts[i].start == TB_REPLAY_NEVER ||
			   starts[i].start >= jobs[i].submit);
	tb_topology_destroy(topology);
}

static void check(const struct tb_history *history)
{
	char id[TB_PAST_ID_MAX];

	for (unsigned i = 0; i < history->njobs; i++) {
		const struct tb_past_job *job = &history->jobs[i];

		FUZZ_CHECK(job->run >= 0 && job->limit >= 0 && job->cpus);
		FUZZ_CHECK(!i || job[-1].submit <= job->submit);
		tb_past_job_print(job, id);
		FUZZ_CHECK(*id && strlen(id) < sizeof(id) - 1);
	}
	if (history->njobs <= JOBS_MOST)
		replay(history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *in = size ? fmemopen((void *)data, size, "r") : NULL;
	struct tb_history history;
	struct tb_error err = { "" };

	if (!in)
		return 0;
	if (tb_history_read(in, TB_HISTORY_ANY, &history, &err))
		FUZZ_CHECK(*err.text);
	else
		check(&history);
	tb_history_clear(&history);
	fclose(in);
	return 0;
}

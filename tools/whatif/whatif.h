/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * whatif.h - a history under several configurations, and what each makes of it
 */
#ifndef TB_TOOLS_WHATIF_WHATIF_H
#define TB_TOOLS_WHATIF_WHATIF_H

#include <jansson.h>

#include "clusters.h"
#include "core/replay/replay.h"
#include "history.h"

/* How jobs are bound, which nodes they get, and of which cluster. */
struct tb_under {
	const char *text; /* "plain", "implicit=X,bnodes=BESTFIT,on=small" */
	bool plain, implicit;
	struct tb_request request;
	char *on; /* the cluster's name, "": that without one */
	const struct tb_past_cluster *cluster; /* tb_under_find_nodes()'s */
	struct tb_replay_policy policy;
};

/* -1 with a sentence; tb_under_clear() is right then, too. */
int tb_under_parse(struct tb_under *under, const char *text,
		   struct tb_error *err);
/* -1 with a sentence: there is no such cluster, or it lacks what the policy needs. */
int tb_under_find_nodes(struct tb_under *under,
			const struct tb_past_clusters *clusters,
			struct tb_error *err);
void tb_under_clear(struct tb_under *under);

struct tb_whatif {
	const struct tb_under *under;
	struct tb_replay_start *starts;
	struct tb_replay_totals totals;
	unsigned started, never;
	int64_t median, most; /* waits; of 95 jobs in 100 no longer than this */
	double utilisation, broken; /* parts of 1, over time */
	unsigned spanning; /* jobs that touch more L3 caches than they need */
	double locality;   /* the mean of all that start */
};

/* The jobs of the history under it.  The caller frees; NULL: no memory. */
struct tb_replay_job *tb_whatif_jobs(const struct tb_history *history,
				     const struct tb_under *under);

/* -1: no memory; tb_whatif_clear() is right then, too. */
int tb_whatif_run(const struct tb_history *history,
		  const struct tb_replay_options *options,
		  const struct tb_under *under, struct tb_whatif *whatif);
void tb_whatif_clear(struct tb_whatif *whatif);

#endif

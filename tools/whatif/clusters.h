/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clusters.h - the nodes that a history is replayed on: those of the command line, and
 * others that have a name there
 */
#ifndef TB_TOOLS_WHATIF_CLUSTERS_H
#define TB_TOOLS_WHATIF_CLUSTERS_H

#include "core/replay/replay.h"
#include "report/known_topologies.h"

struct tb_given_speed;

struct tb_past_cluster {
	char *name; /* "": that of options without a name */
	struct tb_known_topologies known;
	struct tb_given_speed *given; /* in the order of the command line */
	unsigned ngiven;
	/* What they make, from tb_past_clusters_finish() on; speeds NULL: none. */
	struct tb_named_topologies nodes;
	double *speeds;
	struct tb_replay_cluster cluster;
};

/* All zero is right before the first. */
struct tb_past_clusters {
	struct tb_past_cluster *list;
	unsigned count;
};

/* "[NAME:]NODES=STRING", or FILE; "[NAME:]NODES=MHZ".  -1 with a sentence. */
int tb_past_clusters_add(struct tb_past_clusters *clusters, const char *text,
			 struct tb_error *err);
int tb_past_clusters_add_speed(struct tb_past_clusters *clusters,
			       const char *text, struct tb_error *err);

/* When all options are there.  -1 with a sentence. */
int tb_past_clusters_finish(struct tb_past_clusters *clusters,
			    struct tb_error *err);

/* NULL: there is none of this name. */
const struct tb_past_cluster *
tb_past_clusters_find(const struct tb_past_clusters *clusters,
		      const char *name);

void tb_past_clusters_clear(struct tb_past_clusters *clusters);

#endif

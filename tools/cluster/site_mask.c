/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_mask.c - see site_mask.h */
#include "site_mask.h"

#include <stdlib.h>
#include <string.h>

#include "common/conf/conf.h"
#include "terminal/words.h"

/* The partitions of a node that count, one after the other. */
struct walk {
	const struct tb_cluster *cluster;
	const node_info_t *node;
	const char *left, *wanted; /* lists */
	bool any;		   /* was there one? */
};

static struct walk begin_walk(const struct tb_cluster *cluster,
			      const node_info_t *node, const char *partitions)
{
	return (struct walk){ .cluster = cluster,
			      .node = node,
			      .left = node->partitions,
			      .wanted = partitions };
}

/*
 * The filter for the next partition; NULL for none.  A node in none of them is
 * as one of the site.  False: there are no more.
 */
static bool next_filter(struct walk *walk, const struct tb_filter **filter)
{
	const struct tb_conf *conf = walk->cluster->conf;
	const char *word, *name = walk->node->name;
	char *partition = NULL;
	size_t length;

	while ((word = tb_words_next(&walk->left, &length)))
		if (!walk->wanted || tb_words_have(walk->wanted, word, length))
			break;
	if (!word && walk->any)
		return false;
	if (word)
		partition = strndup(word, length);
	walk->any = true;
	*filter = tb_conf_filter(conf, name, partition);
	free(partition);
	return true;
}

bool tb_site_masks(const struct tb_cluster *cluster, const node_info_t *node,
		   const char *partitions)
{
	struct walk walk = begin_walk(cluster, node, partitions);
	const struct tb_filter *filter;

	if (!cluster->conf)
		return false;
	while (next_filter(&walk, &filter))
		if (!filter)
			return false;
	return true;
}

static void keep_common(struct walk *walk, const struct tb_topology *topology,
			struct tb_bitset *masked, struct tb_bitset *own)
{
	const struct tb_filter *filter;

	tb_bitset_set_range(masked, 0, masked->nbits);
	while (next_filter(walk, &filter)) {
		tb_bitset_clear_all(own);
		/* A filter is for nodes of its shape only. */
		if (filter && tb_filter_matches(filter, topology))
			tb_filter_add(filter, topology, own);
		tb_bitset_and(masked, own);
	}
}

int tb_site_mask_add(const struct tb_cluster *cluster, const node_info_t *node,
		     const char *partitions, const struct tb_topology *topology,
		     struct tb_bitset *threads, struct tb_error *err)
{
	struct walk walk = begin_walk(cluster, node, partitions);
	struct tb_bitset *masked, *own;
	int rc = 0;

	if (!tb_site_masks(cluster, node, partitions))
		return 0;
	masked = tb_bitset_create(threads->nbits);
	own = tb_bitset_create(threads->nbits);
	if (masked && own) {
		keep_common(&walk, topology, masked, own);
		tb_bitset_or(threads, masked);
	} else {
		rc = tb_fail(err, "out of memory");
	}
	tb_bitset_destroy(masked);
	tb_bitset_destroy(own);
	return rc;
}

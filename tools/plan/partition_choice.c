/* SPDX-License-Identifier: GPL-2.0-or-later */
/* partition_choice.c - see partition_choice.h */
#include "partition_choice.h"

#include <stdlib.h>
#include <string.h>

#include "candidates_if.h"
#include "terminal/words.h"

/* The smaller the sooner. */
enum when { NOW, AFTER_ENDS, NEVER };
struct rank {
	enum when when;
	int64_t end;
};

static bool is_sooner(struct rank a, struct rank b)
{
	return a.when != b.when ? a.when < b.when : a.end < b.end;
}

static struct rank rank_candidates(struct tb_candidates *candidates)
{
	struct tb_bitset *ended = tb_bitset_create(candidates->nholders);
	struct rank rank = { NEVER, 0 };

	if (tb_candidates_fits(candidates) &&
	    tb_candidates_have_memory(candidates))
		rank.when = NOW;
	else if (ended && tb_candidates_find(candidates, ended, &rank.end))
		rank.when = AFTER_ENDS;
	tb_bitset_destroy(ended);
	return rank;
}

static int rank_partition(const struct tb_cluster *cluster,
			  const struct tb_job_spec *spec, const char *name,
			  struct rank *rank, struct tb_error *err)
{
	struct tb_job_spec own = *spec; /* borrows what it points to */
	struct tb_candidates *candidates;

	own.partitions = name;
	candidates = tb_candidates_create(cluster, &own, err);
	if (!candidates)
		return -1;
	*rank = rank_candidates(candidates);
	tb_candidates_destroy(candidates);
	return 0;
}

/* The first of those in which it could start first. */
static int find_first(const struct tb_cluster *cluster,
		      const struct tb_job_spec *spec, char **name,
		      struct tb_error *err)
{
	const char *left = spec->partitions, *word;
	struct rank rank = { NEVER, 0 }, best = rank;
	size_t length;
	int rc = 0;

	while (!rc && (word = tb_words_next(&left, &length))) {
		char *own = strndup(word, length);

		rc = own ? rank_partition(cluster, spec, own, &rank, err)
			 : tb_fail(err, "out of memory");
		if (rc || (*name && !is_sooner(rank, best))) {
			free(own);
			continue;
		}
		free(*name);
		*name = own;
		best = rank;
	}
	return rc;
}

int tb_choose_partition(const struct tb_cluster *cluster,
			struct tb_job_spec *spec, char **name,
			struct tb_error *err)
{
	*name = NULL;
	if (!spec->partitions || !strchr(spec->partitions, ','))
		return 0;
	if (find_first(cluster, spec, name, err))
		return -1;
	if (*name)
		spec->partitions = *name;
	return 0;
}

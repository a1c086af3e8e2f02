/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate_parts.c - see candidate_parts.h */
#include "candidate_parts.h"

#include <stdlib.h>
#include <string.h>

#include "core/topology/device_places.h"

#include "candidate_pools.h"

/* Those of which somebody has parts, and nobody all. */
static struct tb_bitset *find_all(const struct tb_candidate_node *node)
{
	struct tb_bitset *all = tb_bitset_create(TB_DEVICES_OF_NAME);
	struct tb_bitset *whole = tb_bitset_create(TB_DEVICES_OF_NAME);

	if (all && whole) {
		tb_devices_add_parts(node->info->gres_used, all);
		tb_devices_add_numbers(node->info->gres_used, "gpu", whole);
		tb_bitset_andnot(all, whole);
		tb_bitset_destroy(whole);
		return all;
	}
	tb_bitset_destroy(all);
	tb_bitset_destroy(whole);
	return NULL;
}

/* Each hold has the GPUs of which it has parts. */
static int find_of_holds(struct tb_candidate_parts *parts,
			 const char *const *lists)
{
	for (unsigned i = 0; i < parts->nholds; i++) {
		parts->gpus[i] = tb_bitset_create(TB_DEVICES_OF_NAME);
		if (!parts->gpus[i])
			return -1;
		tb_devices_add_parts(lists[i], parts->gpus[i]);
	}
	return 0;
}

/* The hold that has parts of the GPU for longest; of nobody's the last one, hidden. */
static unsigned find_last(const struct tb_candidate_parts *parts,
			  const struct tb_candidate_node *node,
			  const int64_t *ends, unsigned gpu)
{
	unsigned last = parts->nholds - 1;
	bool found = false;

	for (unsigned i = 0; i < parts->nholds; i++) {
		if (!tb_bitset_test(parts->gpus[i], gpu))
			continue;
		if (!found || ends[node->holds[i].holder] >
				      ends[node->holds[last].holder])
			last = i;
		found = true;
	}
	return last;
}

/* It is that hold's from now on. */
static int give(struct tb_candidate_parts *parts,
		const struct tb_candidate_node *node, unsigned gpu, unsigned to)
{
	for (unsigned i = 0; i < parts->nholds; i++) {
		struct tb_part *others;

		if (i == to || !tb_bitset_test(parts->gpus[i], gpu))
			continue;
		others = reallocarray(parts->others, parts->nothers + 1,
				      sizeof(*others));
		if (!others)
			return -1;
		parts->others = others;
		others[parts->nothers++] = (struct tb_part){
			node->holds[i].holder, node->holds[to].holder
		};
		tb_bitset_clear(parts->gpus[i], gpu);
	}
	tb_bitset_set(parts->gpus[to], gpu);
	return 0;
}

int tb_candidate_parts_find(struct tb_candidate_parts *parts,
			    const struct tb_candidate_node *node,
			    const char *const *lists, const int64_t *ends,
			    struct tb_error *err)
{
	struct tb_bitset *all = find_all(node);
	int rc = all ? 0 : -1;

	*parts = (struct tb_candidate_parts){ 0 };
	if (!rc && !tb_bitset_is_empty(all)) {
		parts->gpus = calloc(node->nholds, sizeof(*parts->gpus));
		parts->nholds = parts->gpus ? node->nholds : 0;
		rc = parts->gpus ? find_of_holds(parts, lists) : -1;
	}
	for (unsigned gpu = 0; !rc && parts->nholds && gpu < all->nbits; gpu++)
		if (tb_bitset_test(all, gpu))
			rc = give(parts, node, gpu,
				  find_last(parts, node, ends, gpu));
	tb_bitset_destroy(all);
	return rc ? tb_fail(err, "out of memory") : 0;
}

static bool is_of_type(const struct tb_candidate_pools *pools, unsigned kind,
		       unsigned gpu)
{
	for (unsigned i = 0; pools && i < pools->count; i++)
		if (pools->list[i].kind == kind &&
		    tb_bitset_test(pools->left[i], gpu))
			return true;
	return false;
}

/* Of which type it is only nodes tell that show which units are near. */
uint32_t tb_candidate_parts_count(const struct tb_candidate_parts *parts,
				  unsigned hold,
				  const struct tb_candidate_node *node,
				  const char *asked, unsigned kind)
{
	uint32_t count = 0;

	if (hold >= parts->nholds || strncmp(asked, "gpu", 3) != 0)
		return 0;
	if (!asked[3])
		return tb_bitset_count(parts->gpus[hold]);
	TB_BITSET_EACH(gpu, parts->gpus[hold])
		count += asked[3] == ':' && is_of_type(node->pools, kind, gpu);
	return count;
}

void tb_candidate_parts_clear(struct tb_candidate_parts *parts)
{
	for (unsigned i = 0; i < parts->nholds; i++)
		tb_bitset_destroy(parts->gpus[i]);
	free(parts->gpus);
	free(parts->others);
	*parts = (struct tb_candidate_parts){ 0 };
}

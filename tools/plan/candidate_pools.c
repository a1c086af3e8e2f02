/* SPDX-License-Identifier: GPL-2.0-or-later */
/* candidate_pools.c - see candidate_pools.h */
#include "candidate_pools.h"

#include <stdlib.h>
#include <string.h>

#include "common/node/node_extra.h"
#include "core/base/array.h"
#include "core/topology/device_places.h"
#include "core/topology/whole_units.h"

/* ---- what a node shows ---- */

static unsigned count_cores(const struct tb_candidate_node *node)
{
	return node->books.by_thread ? tb_topology_threads(node->topology)
				     : tb_topology_cores(node->topology);
}

/* 0: there are some; 1: the node shows none; -1: it shows something else. */
static int read_places(const struct tb_candidate_node *node,
		       struct tb_device_places *places)
{
	size_t length;
	const char *at = tb_extra_find(node->info->extra, TB_EXTRA_DEVICES,
				       &length);
	char *text = at ? strndup(at, length) : NULL;
	int rc = 1;

	*places = (struct tb_device_places){ 0 };
	if (text)
		rc = tb_device_places_parse(places, text, count_cores(node),
					    NULL);
	free(text);
	return rc;
}

/* "gpu", or with a type "gpu:a100" */
static bool is_asked_for(const struct tb_device_place *place, const char *asked)
{
	size_t length = strlen(place->name);

	if (strncmp(asked, place->name, length) != 0)
		return false;
	return !asked[length] || (asked[length] == ':' && place->type &&
				  !strcmp(asked + length + 1, place->type));
}

static void find_threads(const struct tb_candidate_node *node,
			 const struct tb_bitset *cores, struct tb_bitset *near)
{
	if (!cores)
		tb_bitset_set_range(near, 0, near->nbits);
	else if (node->books.by_thread)
		tb_bitset_assign(near, cores);
	else
		tb_threads_of_cores(node->topology, cores, near);
}

/* Of a kind, near the same threads; pools->count: there is none yet. */
static unsigned find_pool(const struct tb_candidate_pools *pools, unsigned kind,
			  const struct tb_bitset *threads)
{
	unsigned i = 0;

	while (i < pools->count &&
	       (pools->list[i].kind != kind ||
		!tb_bitset_equal(pools->list[i].threads, threads)))
		i++;
	return i;
}

static int add_place(struct tb_candidate_pools *pools, unsigned kind,
		     const struct tb_candidate_node *node,
		     const struct tb_device_place *place)
{
	struct tb_bitset *near = tb_bitset_create(
		tb_topology_threads(node->topology));
	unsigned at;

	if (!near)
		return -1;
	find_threads(node, place->cores, near);
	at = find_pool(pools, kind, near);
	if (at < pools->count) {
		tb_bitset_destroy(near);
	} else {
		pools->list[at] = (struct tb_used_pool){ .kind = kind,
							 .threads = near };
		pools->left[at] = tb_bitset_create(TB_DEVICES_OF_NAME);
		pools->count++;
	}
	if (!pools->left[at])
		return -1;
	tb_bitset_or(pools->left[at], place->devices);
	pools->list[at].devices = tb_bitset_count(pools->left[at]);
	return 0;
}

/* Slurm tells of which sockets devices are near. */
static bool has_near_devices(const struct tb_candidate_node *node,
			     const struct tb_job_devices *asked)
{
	return asked->count && node->info->gres &&
	       strstr(node->info->gres, "(S:");
}

static int fill_pools(struct tb_candidate_pools *pools,
		      const struct tb_candidate_node *node,
		      const struct tb_job_devices *asked,
		      const struct tb_device_places *places)
{
	size_t most = (size_t)places->count * asked->count;

	if (!most)
		return 0;
	pools->list = tb_array_create(most, sizeof(*pools->list));
	pools->left = tb_array_create(most, sizeof(*pools->left));
	pools->now = tb_bitset_create(TB_DEVICES_OF_NAME);
	if (!pools->list || !pools->left || !pools->now)
		return -1;
	for (unsigned kind = 0; kind < asked->count; kind++)
		for (unsigned i = 0; i < places->count; i++)
			if (is_asked_for(&places->list[i],
					 asked->names[kind]) &&
			    add_place(pools, kind, node, &places->list[i]))
				return -1;
	return 0;
}

struct tb_candidate_pools *
tb_candidate_pools_create(const struct tb_candidate_node *node,
			  const struct tb_job_devices *asked,
			  struct tb_error *err)
{
	struct tb_candidate_pools *pools = calloc(1, sizeof(*pools));
	struct tb_device_places places;
	int shown;

	if (!pools) {
		tb_fail(err, "out of memory");
		return NULL;
	}
	shown = read_places(node, &places);
	pools->unknown = shown && has_near_devices(node, asked);
	if (!shown && fill_pools(pools, node, asked, &places)) {
		tb_candidate_pools_destroy(pools);
		pools = NULL;
		tb_fail(err, "out of memory");
	}
	tb_device_places_clear(&places);
	return pools;
}

void tb_candidate_pools_add_near(const struct tb_candidate_node *node,
				 struct tb_bitset *threads)
{
	struct tb_bitset *near = tb_bitset_create(threads->nbits);
	struct tb_device_places places;
	int shown = read_places(node, &places);

	for (unsigned i = 0; near && !shown && i < places.count; i++) {
		if (!places.list[i].cores)
			continue;
		find_threads(node, places.list[i].cores, near);
		tb_bitset_or(threads, near);
	}
	tb_device_places_clear(&places);
	tb_bitset_destroy(near);
}

void tb_candidate_pools_destroy(struct tb_candidate_pools *pools)
{
	if (!pools)
		return;
	for (unsigned i = 0; i < pools->count; i++) {
		tb_bitset_destroy((struct tb_bitset *)pools->list[i].threads);
		tb_bitset_destroy(pools->left[i]);
	}
	free(pools->list);
	free(pools->left);
	tb_bitset_destroy(pools->now);
	free(pools);
}

/* ---- who has them ---- */

/* Pools of the kind. */
static unsigned count_pools(const struct tb_candidate_pools *pools,
			    unsigned kind)
{
	unsigned count = 0;

	for (unsigned i = 0; i < pools->count; i++)
		count += pools->list[i].kind == kind;
	return count;
}

/* Of the devices in a list those of the pool that no hold had before. */
static uint32_t take_numbers(const struct tb_candidate_pools *pools,
			     unsigned pool, const char *name, const char *list,
			     const struct tb_bitset *gpus)
{
	struct tb_bitset *numbers = pools->now, *left = pools->left[pool];

	tb_bitset_clear_all(numbers);
	tb_devices_add_numbers(list, name, numbers);
	if (gpus && !strncmp(name, "gpu", 3))
		tb_bitset_or(numbers, gpus);
	tb_bitset_and(numbers, left);
	tb_bitset_andnot(left, numbers);
	return tb_bitset_count(numbers);
}

int tb_candidate_pools_take(const struct tb_candidate_pools *pools,
			    const struct tb_job_devices *asked,
			    struct tb_holder_job *hold, const char *list,
			    const struct tb_bitset *gpus, struct tb_error *err)
{
	uint32_t *of_pools;

	if (!pools || !pools->count || !hold->devices)
		return 0;
	hold->of_pools = of_pools = calloc(pools->count, sizeof(*of_pools));
	if (!of_pools)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < pools->count; i++) {
		unsigned kind = pools->list[i].kind;

		/* Then numbers need not be told. */
		of_pools[i] = count_pools(pools, kind) == 1
				      ? hold->devices[kind]
				      : take_numbers(pools, i,
						     asked->names[kind], list,
						     gpus);
	}
	return 0;
}

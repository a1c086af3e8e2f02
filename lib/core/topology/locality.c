/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "locality.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "tree.h"

#define KINDS 2 /* of cores */

/* A container as one job sees it. */
struct container {
	struct tb_run run;    /* its threads */
	uint32_t mine;	      /* of them the job's */
	uint32_t my[KINDS];   /* the same by kind of core */
	uint32_t room[KINDS]; /* that the job could have on an idle node */
};

struct containers {
	struct container *list;
	uint32_t count;
	uint32_t need[KINDS]; /* threads of the job in all of them */
};

/* ---- the containers ---- */

static void look_at(const struct tb_topology *topology,
		    const struct tb_bitset *kept,
		    const struct tb_bitset *threads,
		    struct container *container)
{
	struct tb_run run = container->run;

	for (uint32_t i = run.first; i < run.first + run.count; i++) {
		int kind = tb_bitset_test(topology->kind_threads[TB_EFFICIENCY],
					  i)
				   ? TB_EFFICIENCY
				   : TB_POWER;
		bool is_mine = tb_bitset_test(threads, i);

		container->my[kind] += is_mine;
		container->room[kind] += is_mine || !kept ||
					 !tb_bitset_test(kept, i);
	}
	container->mine = container->my[TB_POWER] +
			  container->my[TB_EFFICIENCY];
}

static int collect_containers(const struct tb_topology *topology, char letter,
			      const struct tb_bitset *kept,
			      const struct tb_bitset *threads,
			      struct containers *containers)
{
	enum tb_class class = tb_class_of_unit(topology,
					       (struct tb_unit){ letter,
								 TB_POWER });
	uint32_t objects = tb_run_below(topology, 0, class).count;

	*containers = (struct containers){
		.list = tb_array_create(objects, sizeof(*containers->list)),
	};
	if (!containers->list)
		return -1;
	for (uint32_t i = 0; i < objects;
	     i = tb_object_after(topology, class, i)) {
		struct container *container =
			&containers->list[containers->count++];

		container->run = tb_threads_of_object(topology, class, i);
		look_at(topology, kept, threads, container);
		for (int kind = 0; kind < KINDS; kind++)
			containers->need[kind] += container->my[kind];
	}
	return 0;
}

static uint32_t count_touched(const struct containers *containers)
{
	uint32_t touched = 0;

	for (uint32_t i = 0; i < containers->count; i++)
		touched += containers->list[i].mine > 0;
	return touched;
}

/* ---- the fewest that suffice ---- */

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* How many of the largest numbers, which are sorted, make so much. */
static uint32_t count_largest(uint32_t *numbers, uint32_t count, uint32_t need)
{
	uint32_t taken = 0, sum = 0;

	qsort(numbers, count, sizeof(*numbers), by_number);
	while (sum < need && taken < count)
		sum += numbers[taken++];
	return taken;
}

static int find_fewest_of_kind(const struct containers *containers, int kind,
			       uint32_t *fewest)
{
	uint32_t *rooms = tb_array_create(containers->count, sizeof(*rooms));

	if (!rooms)
		return -1;
	for (uint32_t i = 0; i < containers->count; i++)
		rooms[i] = containers->list[i].room[kind];
	*fewest = count_largest(rooms, containers->count,
				containers->need[kind]);
	free(rooms);
	return 0;
}

/*
 * A container more, for each number of containers and of threads of power cores in
 * them: the most threads of efficiency cores, plus one; 0: there are no such
 * containers.
 */
static void add_container(uint32_t *most, const struct container *container,
			  uint32_t limit, uint32_t need)
{
	uint32_t width = need + 1, power = container->room[TB_POWER];

	for (uint32_t k = limit; k-- > 0;)
		for (uint32_t p = 0; p < width; p++) {
			uint32_t has = most[k * width + p];
			uint32_t sum = p + power < need ? p + power : need;
			uint32_t *then = &most[(k + 1) * width + sum];

			if (has && has + container->room[TB_EFFICIENCY] > *then)
				*then = has + container->room[TB_EFFICIENCY];
		}
}

/* The containers that it touches suffice. */
static int find_fewest_of_both(const struct containers *containers,
			       uint32_t touched, uint32_t *fewest)
{
	uint32_t need = containers->need[TB_POWER], k = 0;
	uint32_t *most = calloc((size_t)(touched + 1) * (need + 1),
				sizeof(*most));

	if (!most)
		return -1;
	most[0] = 1;
	for (uint32_t i = 0; i < containers->count; i++)
		add_container(most, &containers->list[i], touched, need);
	while (k < touched &&
	       most[k * (need + 1) + need] <= containers->need[TB_EFFICIENCY])
		k++;
	*fewest = k;
	free(most);
	return 0;
}

static int find_fewest(const struct containers *containers, uint32_t touched,
		       uint32_t *fewest)
{
	if (!containers->need[TB_EFFICIENCY])
		return find_fewest_of_kind(containers, TB_POWER, fewest);
	if (!containers->need[TB_POWER])
		return find_fewest_of_kind(containers, TB_EFFICIENCY, fewest);
	return find_fewest_of_both(containers, touched, fewest);
}

/* Of its threads, those in so many containers where it has most of them. */
static int count_together(const struct containers *containers, uint32_t fewest,
			  uint32_t *together)
{
	uint32_t *mine = tb_array_create(containers->count, sizeof(*mine));

	if (!mine)
		return -1;
	for (uint32_t i = 0; i < containers->count; i++)
		mine[i] = containers->list[i].mine;
	qsort(mine, containers->count, sizeof(*mine), by_number);
	*together = 0;
	for (uint32_t i = 0; i < fewest; i++)
		*together += mine[i];
	free(mine);
	return 0;
}

/* ---- who else is there ---- */

/* All threads of what it touches. */
static void fill_around(const struct containers *containers,
			struct tb_bitset *around)
{
	for (uint32_t i = 0; i < containers->count; i++) {
		const struct container *at = &containers->list[i];

		if (at->mine)
			tb_bitset_set_range(around, at->run.first,
					    at->run.count);
	}
}

static uint32_t count_shared(const struct containers *containers,
			     const struct tb_bitset *others)
{
	uint32_t shared = 0;

	for (uint32_t i = 0; i < containers->count; i++) {
		const struct container *at = &containers->list[i];

		shared += at->mine &&
			  tb_bitset_any_in_range(others, at->run.first,
						 at->run.count);
	}
	return shared;
}

static int count_strangers(const struct containers *containers,
			   const struct tb_tenant *tenants, unsigned ntenants,
			   unsigned which, struct tb_locality *locality)
{
	unsigned nthreads = tenants[which].threads->nbits;
	struct tb_bitset *around = tb_bitset_create(nthreads);
	struct tb_bitset *others = tb_bitset_create(nthreads);
	int rc = around && others ? 0 : -1;

	if (!rc)
		fill_around(containers, around);
	for (unsigned i = 0; !rc && i < ntenants; i++)
		if (tenants[i].owner != tenants[which].owner &&
		    tb_bitset_intersects(tenants[i].threads, around)) {
			locality->strangers++;
			tb_bitset_or(others, tenants[i].threads);
		}
	if (!rc)
		locality->shared = count_shared(containers, others);
	tb_bitset_destroy(around);
	tb_bitset_destroy(others);
	return rc;
}

/* ---- all of it ---- */

static int measure_in(const struct containers *containers,
		      const struct tb_tenant *tenants, unsigned ntenants,
		      unsigned which, struct tb_locality *locality)
{
	locality->touched = count_touched(containers);
	locality->threads = containers->need[TB_POWER] +
			    containers->need[TB_EFFICIENCY];
	if (find_fewest(containers, locality->touched, &locality->fewest) ||
	    count_together(containers, locality->fewest, &locality->together))
		return -1;
	return count_strangers(containers, tenants, ntenants, which, locality);
}

int tb_locality_measure(const struct tb_topology *topology, char letter,
			const struct tb_bitset *kept,
			const struct tb_tenant *tenants, unsigned ntenants,
			unsigned which, struct tb_locality *locality)
{
	struct containers containers;
	int rc;

	*locality = (struct tb_locality){ 0 };
	if (collect_containers(topology, letter, kept, tenants[which].threads,
			       &containers))
		return -1;
	rc = measure_in(&containers, tenants, ntenants, which, locality);
	free(containers.list);
	return rc;
}

void tb_locality_add(struct tb_locality *sum, const struct tb_locality *more)
{
	sum->touched += more->touched;
	sum->fewest += more->fewest;
	sum->shared += more->shared;
	if (more->strangers > sum->strangers)
		sum->strangers = more->strangers;
	sum->threads += more->threads;
	sum->together += more->together;
}

double tb_locality_score(const struct tb_locality *locality)
{
	return locality->threads
		       ? (double)locality->together / locality->threads
		       : 1;
}

uint32_t tb_locality_containers(const struct tb_topology *topology)
{
	return 1 + tb_topology_count(topology, 'N') +
	       tb_topology_count(topology, 'S') +
	       tb_topology_count(topology, 'X') +
	       tb_topology_count(topology, 'Y');
}

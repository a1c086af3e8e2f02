/* SPDX-License-Identifier: GPL-2.0-or-later */
/* room.c - see room.h */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/plan/implicit.h"
#include "core/topology/fragmentation.h"
#include "plain.h"
#include "room.h"

/* A memo of more states is made anew. */
#define REMEMBERED_MOST 200000

/* ---- shapes and floors ---- */

static int add_shape(struct tb_rooms *rooms, const struct tb_topology *topology)
{
	struct tb_replay_shape *shape = &rooms->shapes[rooms->nshapes++];
	unsigned cores = tb_topology_cores(topology);
	unsigned threads = tb_topology_threads(topology);
	uint32_t per_core = threads / cores;

	if (per_core > rooms->most_per_core)
		rooms->most_per_core = per_core;
	if (threads > rooms->most_cpus)
		rooms->most_cpus = threads;
	shape->topology = topology;
	shape->placer = tb_placer_create(topology);
	shape->cores = tb_bitset_create(cores);
	shape->threads = tb_bitset_create(threads);
	shape->books = (struct tb_books){ .threads_per_core = per_core,
					  .cpus_per_core = per_core };
	shape->after = tb_bitset_create(threads);
	return shape->placer && shape->cores && shape->threads && shape->after
		       ? 0
		       : -1;
}

static int find_shape(struct tb_rooms *rooms, unsigned node)
{
	const struct tb_topology *topology = rooms->cluster->topologies[node];

	for (unsigned i = rooms->nshapes; i-- > 0;)
		if (rooms->shapes[i].topology == topology) {
			rooms->shape[node] = i;
			return 0;
		}
	rooms->shape[node] = rooms->nshapes;
	return add_shape(rooms, topology);
}

int tb_rooms_init(struct tb_rooms *rooms,
		  const struct tb_replay_cluster *cluster)
{
	*rooms = (struct tb_rooms){ .cluster = cluster };
	rooms->shapes = tb_array_create(cluster->nnodes,
					sizeof(*rooms->shapes));
	rooms->shape = tb_array_create(cluster->nnodes, sizeof(*rooms->shape));
	if (!rooms->shapes || !rooms->shape)
		return -1;
	for (unsigned node = 0; node < cluster->nnodes; node++)
		if (find_shape(rooms, node))
			return -1;
	return tb_floor_init(&rooms->now, rooms);
}

void tb_rooms_clear(struct tb_rooms *rooms)
{
	for (unsigned i = 0; i < rooms->nshapes; i++) {
		tb_placer_destroy(rooms->shapes[i].placer);
		tb_bitset_destroy(rooms->shapes[i].cores);
		tb_bitset_destroy(rooms->shapes[i].threads);
		tb_bitset_destroy(rooms->shapes[i].after);
	}
	for (unsigned i = 0; i < rooms->nkinds; i++) {
		free(rooms->kinds[i].room);
		free(rooms->kinds[i].stale);
	}
	free(rooms->shapes);
	free(rooms->shape);
	free(rooms->kinds);
	tb_floor_clear(&rooms->now);
	tb_memo_destroy(rooms->memo);
}

static size_t count_words(const struct tb_topology *topology)
{
	return (tb_topology_threads(topology) + 63) / 64;
}

int tb_floor_init(struct tb_floor *floor, const struct tb_rooms *rooms)
{
	const struct tb_replay_cluster *cluster = rooms->cluster;
	uint64_t *words;

	floor->nwords = 0;
	for (unsigned i = 0; i < cluster->nnodes; i++)
		floor->nwords += count_words(cluster->topologies[i]);
	floor->used = tb_array_create(cluster->nnodes, sizeof(*floor->used));
	floor->cores = tb_array_create(cluster->nnodes, sizeof(*floor->cores));
	words = floor->words = tb_array_create(floor->nwords, sizeof(*words));
	if (!floor->used || !floor->cores || !words)
		return -1;
	for (unsigned i = 0; i < cluster->nnodes; i++) {
		const struct tb_topology *topology = cluster->topologies[i];

		floor->used[i].nbits = tb_topology_threads(topology);
		floor->used[i].words = words;
		floor->cores[i] = tb_topology_cores(topology);
		words += count_words(topology);
	}
	return 0;
}

void tb_floor_clear(struct tb_floor *floor)
{
	free(floor->used);
	free(floor->cores);
	free(floor->words);
}

void tb_floor_assign(struct tb_floor *to, const struct tb_floor *from,
		     unsigned nnodes)
{
	memcpy(to->words, from->words, from->nwords * sizeof(*to->words));
	memcpy(to->cores, from->cores, nnodes * sizeof(*to->cores));
}

static struct tb_replay_shape *get_shape(const struct tb_rooms *rooms,
					 unsigned node)
{
	return &rooms->shapes[rooms->shape[node]];
}

/* ---- how many tasks ---- */

/* Units smaller than the task's CPUs suffice for none. */
static uint32_t place_explicit(struct tb_replay_shape *shape,
			       const struct tb_kind *kind,
			       const struct tb_bitset *used, uint32_t tasks)
{
	int placed = tb_place_together(shape->placer, kind->request, used,
				       tasks);
	struct tb_booking booking = { .task_cpus = kind->task_cpus,
				      .left = UINT32_MAX };
	uint32_t cpus, within;

	if (placed <= 0 || kind->request->type == TB_HOST)
		return placed < 0 ? 0 : (uint32_t)placed;
	tb_placed_group(shape->placer, 0, shape->threads);
	cpus = tb_booked_cpus(&shape->books, kind->request, shape->topology,
			      shape->threads);
	return tb_booked_slots(&booking, (uint32_t)placed, cpus, cpus, &within);
}

/* The placer has what was placed. */
static uint32_t place_bound(struct tb_replay_shape *shape,
			    const struct tb_kind *kind,
			    const struct tb_bitset *used, uint32_t tasks)
{
	uint32_t units;

	if (!kind->implicit)
		return place_explicit(shape, kind, used, tasks);
	return tb_implicit_place(shape->placer, kind->request, &shape->books,
				 used, kind->task_cpus, tasks, &units);
}

/* Of a kind on a node with some threads in use: how many fit, and where they lie. */
struct remembered {
	uint32_t tasks;
	struct tb_bitset threads; /* without words: not known */
	bool has_fit;
	struct tb_fit fit;
};

/* tasks: how many of them are to be taken; 0: as many as fit. */
static struct remembered *remember(struct tb_rooms *rooms,
				   const struct tb_kind *kind,
				   const struct tb_replay_shape *shape,
				   const struct tb_bitset *used, uint32_t tasks,
				   bool *is_new)
{
	struct tb_memo_key key = {
		.shape = (uintptr_t)shape->topology,
		.numbers = { (uint32_t)(kind - rooms->kinds), tasks },
		.cores = used,
	};
	struct remembered *found;

	if (rooms->remembered >= REMEMBERED_MOST) {
		tb_memo_destroy(rooms->memo);
		rooms->memo = NULL;
		rooms->remembered = 0;
	}
	if (!rooms->memo)
		rooms->memo = tb_memo_create(sizeof(*found));
	if (!rooms->memo)
		return NULL;
	found = tb_memo_find(rooms->memo, &key, is_new);
	rooms->remembered += found && *is_new;
	return found;
}

static uint32_t count_bound(struct tb_rooms *rooms, const struct tb_kind *kind,
			    unsigned node, const struct tb_bitset *used)
{
	struct tb_replay_shape *shape = get_shape(rooms, node);
	bool is_new = true;
	struct remembered *found = remember(rooms, kind, shape, used, 0,
					    &is_new);
	uint32_t count;

	if (found && !is_new)
		return found->tasks;
	count = place_bound(shape, kind, used,
			    tb_topology_threads(shape->topology));
	if (found)
		found->tasks = count;
	return count;
}

uint64_t tb_rooms_free_cpus(const struct tb_rooms *rooms,
			    const struct tb_floor *floor, unsigned node)
{
	return (uint64_t)floor->cores[node] *
	       get_shape(rooms, node)->books.cpus_per_core;
}

uint64_t tb_rooms_cpus(const struct tb_rooms *rooms, unsigned node)
{
	return tb_topology_threads(rooms->cluster->topologies[node]);
}

double tb_rooms_part(const struct tb_rooms *rooms, uint64_t cpus)
{
	return (double)cpus / rooms->most_cpus;
}

uint32_t tb_room_on(struct tb_rooms *rooms, const struct tb_floor *floor,
		    const struct tb_kind *kind, unsigned node)
{
	if (!kind->request)
		return (uint32_t)(tb_rooms_free_cpus(rooms, floor, node) /
				  kind->task_cpus);
	if (!floor->cores[node])
		return 0;
	return count_bound(rooms, kind, node, &floor->used[node]);
}

const uint32_t *tb_rooms_now(struct tb_rooms *rooms, struct tb_kind *kind)
{
	for (unsigned node = 0; node < rooms->cluster->nnodes; node++)
		if (kind->stale[node]) {
			kind->room[node] = tb_room_on(rooms, &rooms->now, kind,
						      node);
			kind->stale[node] = false;
		}
	return kind->room;
}

/* ---- kinds ---- */

static int fill_kind(struct tb_rooms *rooms, struct tb_kind *kind)
{
	unsigned nnodes = rooms->cluster->nnodes;
	struct tb_floor empty = { 0 };
	int rc = -1;

	kind->room = tb_array_create(nnodes, sizeof(*kind->room));
	kind->stale = tb_array_create(nnodes, sizeof(*kind->stale));
	if (!kind->room || !kind->stale || tb_floor_init(&empty, rooms))
		goto out;
	for (unsigned node = 0; node < nnodes; node++) {
		uint32_t room = tb_room_on(rooms, &empty, kind, node);

		kind->stale[node] = true;
		kind->empty_tasks += room;
		kind->empty_hosts += room > 0;
	}
	rc = 0;
out:
	tb_floor_clear(&empty);
	return rc;
}

int tb_rooms_kind(struct tb_rooms *rooms, const struct tb_replay_job *job)
{
	struct tb_kind kind = { .request = job->request,
				.implicit = job->implicit,
				.task_cpus = job->task_cpus };
	struct tb_kind *longer;

	for (unsigned i = 0; i < rooms->nkinds; i++) {
		const struct tb_kind *old = &rooms->kinds[i];

		if (old->request == kind.request &&
		    old->implicit == kind.implicit &&
		    old->task_cpus == kind.task_cpus)
			return (int)i;
	}
	longer = realloc(rooms->kinds, (rooms->nkinds + 1) * sizeof(*longer));
	if (!longer)
		return -1;
	rooms->kinds = longer;
	longer[rooms->nkinds] = kind;
	rooms->nkinds++;
	return fill_kind(rooms, &longer[rooms->nkinds - 1])
		       ? -1
		       : (int)rooms->nkinds - 1;
}

/* ---- which cores ---- */

static bool take_cores(const struct tb_rooms *rooms,
		       struct tb_replay_shape *shape,
		       const struct tb_kind *kind, const struct tb_bitset *used,
		       uint32_t tasks, struct tb_bitset *threads)
{
	if (!kind->request) {
		struct tb_plain_tasks plain = { tasks, kind->task_cpus,
						rooms->whole_tasks };

		return tb_plain_cores(shape->topology,
				      shape->books.cpus_per_core, used, &plain,
				      threads);
	}
	if (place_bound(shape, kind, used, tasks) < tasks)
		return false;
	tb_cores_of_threads(shape->topology, tb_placed_threads(shape->placer),
			    shape->cores);
	tb_threads_of_cores(shape->topology, shape->cores, threads);
	return true;
}

static void describe_fit(const struct tb_replay_shape *shape,
			 const struct tb_bitset *used,
			 const struct tb_bitset *threads, struct tb_fit *fit)
{
	tb_bitset_assign(shape->after, used);
	tb_bitset_or(shape->after, threads);
	fit->diameter = tb_diameter(shape->topology, threads);
	fit->broken = tb_broken_more(shape->topology, used, threads);
	fit->left = shape->after->nbits - tb_bitset_count(shape->after);
}

/*
 * Those so many tasks get, remembered: a job that may not start is tried each time that
 * somebody ends, mostly in vain.  NULL: no memory.
 */
static struct remembered *find_cores(struct tb_rooms *rooms,
				     const struct tb_floor *floor,
				     const struct tb_kind *kind, unsigned node,
				     uint32_t tasks)
{
	struct tb_replay_shape *shape = get_shape(rooms, node);
	const struct tb_bitset *used = &floor->used[node];
	bool is_new;
	struct remembered *found = remember(rooms, kind, shape, used, tasks,
					    &is_new);

	if (!found || found->threads.words)
		return found;
	found->threads.nbits = used->nbits;
	if (!tb_memo_make_set(rooms->memo, &found->threads))
		return NULL;
	if (take_cores(rooms, shape, kind, used, tasks, shape->threads)) {
		tb_bitset_assign(&found->threads, shape->threads);
		found->tasks = tasks;
	}
	return found;
}

const struct tb_fit *tb_room_fit(struct tb_rooms *rooms,
				 const struct tb_floor *floor,
				 const struct tb_kind *kind, unsigned node,
				 uint32_t tasks)
{
	struct remembered *found = find_cores(rooms, floor, kind, node, tasks);

	if (!found)
		return NULL;
	if (!found->has_fit)
		describe_fit(get_shape(rooms, node), &floor->used[node],
			     &found->threads, &found->fit);
	found->has_fit = true;
	return &found->fit;
}

int tb_room_take(struct tb_rooms *rooms, const struct tb_floor *floor,
		 const struct tb_kind *kind, unsigned node, uint32_t tasks,
		 struct tb_bitset *threads)
{
	struct remembered *found = find_cores(rooms, floor, kind, node, tasks);

	if (!found)
		return -1;
	tb_bitset_assign(threads, &found->threads);
	return found->tasks > 0;
}

/* ---- changes ---- */

void tb_floor_clear_node(const struct tb_floor *floor, unsigned node)
{
	tb_bitset_clear_all(&floor->used[node]);
}

void tb_floor_add(const struct tb_floor *floor, unsigned node,
		  const struct tb_bitset *threads)
{
	tb_bitset_or(&floor->used[node], threads);
}

void tb_floor_count(const struct tb_rooms *rooms, const struct tb_floor *floor,
		    unsigned node)
{
	const struct tb_topology *topology = get_shape(rooms, node)->topology;

	floor->cores[node] = tb_topology_cores(topology) -
			     tb_count_cores_with(topology, &floor->used[node]);
}

void tb_floor_change(const struct tb_rooms *rooms, struct tb_floor *floor,
		     unsigned node, const struct tb_bitset *threads, bool use)
{
	const struct tb_topology *topology = get_shape(rooms, node)->topology;
	unsigned cores = tb_count_cores_with(topology, threads);

	if (use) {
		tb_bitset_or(&floor->used[node], threads);
		floor->cores[node] -= cores;
	} else {
		tb_bitset_andnot(&floor->used[node], threads);
		floor->cores[node] += cores;
	}
}

void tb_rooms_change(struct tb_rooms *rooms, unsigned node,
		     const struct tb_bitset *threads, bool use)
{
	tb_floor_change(rooms, &rooms->now, node, threads, use);
	for (unsigned i = 0; i < rooms->nkinds; i++)
		rooms->kinds[i].stale[node] = true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.h - which nodes have room for the tasks of a job, and which cores it gets
 *
 * Private to lib/core/replay.  Jobs are of one kind when a node that holds so many tasks
 * of the one holds as many of the other.
 */
#ifndef TB_CORE_REPLAY_ROOM_H
#define TB_CORE_REPLAY_ROOM_H

#include "core/base/memo.h"
#include "core/place/place.h"
#include "core/plan/booked.h"
#include "replay.h"

struct tb_kind {
	const struct tb_request *request;
	bool implicit;
	uint32_t task_cpus;
	/* By node of the cluster as it is; stale where it has changed since. */
	uint32_t *room;
	bool *stale;
	uint64_t empty_tasks; /* that the empty cluster holds */
	uint32_t empty_hosts; /* nodes with room for one */
};

/* What is used of the cluster, now or later. */
struct tb_floor {
	struct tb_bitset *used; /* threads, by node */
	uint32_t *cores;	/* free ones, by node */
	uint64_t *words;	/* of the sets */
	size_t nwords;
};

struct tb_replay_shape {
	const struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_books books;
	struct tb_bitset *cores, *threads, *after; /* to work with */
};

struct tb_rooms {
	const struct tb_replay_cluster *cluster;
	bool whole_tasks, first_node; /* of tb_replay_options */
	struct tb_replay_shape *shapes;
	unsigned nshapes;
	unsigned *shape;	/* by node */
	uint32_t most_per_core; /* CPUs of a core, of any node */
	uint32_t most_cpus;	/* of a node */
	struct tb_kind *kinds;
	unsigned nkinds;
	struct tb_floor now;
	struct tb_memo *memo; /* room of bound kinds; NULL: none yet */
	unsigned remembered;
};

/* -1 when out of memory; tb_rooms_clear() is right then, too. */
int tb_rooms_init(struct tb_rooms *rooms,
		  const struct tb_replay_cluster *cluster);
void tb_rooms_clear(struct tb_rooms *rooms);

int tb_floor_init(struct tb_floor *floor, const struct tb_rooms *rooms);
void tb_floor_clear(struct tb_floor *floor);
void tb_floor_assign(struct tb_floor *to, const struct tb_floor *from,
		     unsigned nnodes);

/* The kind of a job, a new one where the cluster is still empty; -1: no memory. */
int tb_rooms_kind(struct tb_rooms *rooms, const struct tb_replay_job *job);

uint64_t tb_rooms_free_cpus(const struct tb_rooms *rooms,
			    const struct tb_floor *floor, unsigned node);
uint64_t tb_rooms_cpus(const struct tb_rooms *rooms, unsigned node);
/* So many CPUs as a part of the largest node's. */
double tb_rooms_part(const struct tb_rooms *rooms, uint64_t cpus);

/* How many tasks of a kind a node holds on a floor. */
uint32_t tb_room_on(struct tb_rooms *rooms, const struct tb_floor *floor,
		    const struct tb_kind *kind, unsigned node);
/* The same of all nodes as they are now; of the kind, until something changes. */
const uint32_t *tb_rooms_now(struct tb_rooms *rooms, struct tb_kind *kind);

/* What so many tasks, no more than the room, would do to the node; NULL: no memory. */
struct tb_fit {
	uint64_t diameter; /* of what they get */
	int32_t broken;	   /* so many more containers are broken */
	uint32_t left;	   /* threads left free */
};
const struct tb_fit *tb_room_fit(struct tb_rooms *rooms,
				 const struct tb_floor *floor,
				 const struct tb_kind *kind, unsigned node,
				 uint32_t tasks);

/*
 * Whole cores for so many tasks, no more than the room on the floor, into threads.
 * 0: they do not fit; -1: no memory.
 */
int tb_room_take(struct tb_rooms *rooms, const struct tb_floor *floor,
		 const struct tb_kind *kind, unsigned node, uint32_t tasks,
		 struct tb_bitset *threads);

/* Of a node that several may use at different times: nobody; then each; then count. */
void tb_floor_clear_node(const struct tb_floor *floor, unsigned node);
void tb_floor_add(const struct tb_floor *floor, unsigned node,
		  const struct tb_bitset *threads);
void tb_floor_count(const struct tb_rooms *rooms, const struct tb_floor *floor,
		    unsigned node);

/* Use threads that are free, or give them back. */
void tb_floor_change(const struct tb_rooms *rooms, struct tb_floor *floor,
		     unsigned node, const struct tb_bitset *threads, bool use);
void tb_rooms_change(struct tb_rooms *rooms, unsigned node,
		     const struct tb_bitset *threads, bool use);

#endif

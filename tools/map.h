/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - who holds which thread of which node, as plain data
 *
 * Filled from Slurm (map_slurm.c), from the JSON that "topobind map --json"
 * writes (map_json.c), or from a single machine; drawn by map_draw.c.  Nodes
 * are added before the grants of jobs on them.
 */
#ifndef TB_TOOLS_MAP_H
#define TB_TOOLS_MAP_H

#include <jansson.h>

#include "core/topology.h"

/* Holder of a thread: the index of a job, or one of these. */
enum {
	TB_HOLDER_NONE = -1,  /* free */
	TB_HOLDER_PLAIN = -2, /* in use, by jobs without a binding */
	TB_HOLDER_MANY = -3,  /* several bound jobs share it */
};

struct tb_map_node {
	char *name;
	struct tb_topology *topology; /* NULL: none is known */
	struct tb_bitset *inuse;      /* threads; NULL without a topology */
	int *holders;                 /* per thread; NULL without a topology */
};

struct tb_map_grant {
	char *nodes; /* a node list, "n[1-3,5]" */
	char *string; /* topology, the job's units in lower case; or a list
			 of threads, "0-5,8" */
};

struct tb_map_job {
	char *id, *user, *name;
	char *request; /* canonical */
	struct tb_map_grant *grants;
	unsigned ngrants;
};

struct tb_map {
	struct tb_map_node *nodes;
	unsigned nnodes;
	struct tb_map_job *jobs;
	unsigned njobs;
};

/* NULL when out of memory. */
struct tb_map *tb_map_create(void);
void tb_map_destroy(struct tb_map *map); /* NULL is fine */

/*
 * Add a node.  topology may be NULL: none is known.  inuse is the string with
 * used units in lower case, NULL: that of topology.  When a string is bad or
 * they have different shapes: -1, a sentence, and no node was added.
 */
int tb_map_add_node(struct tb_map *map, const char *name, const char *topology,
		    const char *inuse, struct tb_error *err);

/* Add a bound job; its index, or -1. */
int tb_map_add_job(struct tb_map *map, const char *id, const char *user,
		   const char *name, const char *request,
		   struct tb_error *err);

/*
 * Add a grant to a job: its threads on those of the nodes that are in the map.
 * -1 with a sentence when the string is bad or a node has another shape.
 */
int tb_map_add_grant(struct tb_map *map, unsigned job, const char *nodes,
		     const char *string, struct tb_error *err);

/*
 * map_comment.c: add a job by its system_comment (common/job_comment.h).  0 also
 * when there is no binding; -1 with a sentence when a grant makes no sense.
 */
int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err);

/* Do several cores share the index-th L2 cache, and which? */
bool tb_map_shared_cache(const struct tb_topology *topology, unsigned index,
			 unsigned *first_core, unsigned *last_core);

/* map_json.c: both ways; NULL or -1 with a sentence. */
json_t *tb_map_to_json(const struct tb_map *map);
struct tb_map *tb_map_of_json(const json_t *json, struct tb_error *err);

#endif

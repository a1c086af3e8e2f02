/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * map.h - who holds which thread of which node, as plain data
 *
 * Filled from Slurm (map_slurm.c), from the JSON that "topobind map --json"
 * writes (map_json.c), or from a single machine; drawn by map_draw.c (text),
 * map_svg.c (a picture) and map_html.c (a page).  Nodes are added before the
 * grants of jobs on them.
 */
#ifndef TB_TOOLS_MAP_MAP_H
#define TB_TOOLS_MAP_MAP_H

#include <jansson.h>
#include <stdint.h>

#include "cluster/node_memory.h"
#include "core/topology/topology.h"

/* Holder of a thread: the index of a job, or one of these. */
enum {
	TB_HOLDER_NONE = -1,	 /* free */
	TB_HOLDER_PLAIN = -2,	 /* in use, by jobs that are not in the map */
	TB_HOLDER_MANY = -3,	 /* several jobs share it */
	TB_HOLDER_FILTERED = -4, /* free, but not for jobs with a binding */
	TB_HOLDER_RESERVED = -5, /* free, and reserved, now or later */
};

enum tb_map_kind { TB_MAP_BOUND, TB_MAP_SOFT, TB_MAP_PLAIN, TB_MAP_KINDS };

/* What one job has of a node. */
struct tb_map_job_threads {
	unsigned job;
	struct tb_bitset *threads;
};

struct tb_map_node {
	char *name;
	struct tb_topology *topology;	 /* NULL: none is known, and no more */
	struct tb_bitset *inuse;	 /* threads */
	struct tb_bitset *filtered;	 /* threads; NULL: none */
	struct tb_bitset *reserved;	 /* likewise */
	int *holders;			 /* per thread */
	struct tb_map_job_threads *jobs; /* in the order of jobs */
	unsigned njobs;
	struct tb_node_memory memory; /* count 0: it is not counted */
	char *state;		      /* "mixed", "drained"; NULL: not known */
	char *reason; /* what an administrator wrote for it; NULL: nothing */
};

struct tb_map_grant {
	char *nodes;  /* a node list, "n[1-3,5]" */
	char *string; /* topology, the job's units in lower case; or a list
			 of threads, "0-5,8" */
};

struct tb_map_job {
	char *id, *user, *name;
	char *request; /* canonical; "": a plain job, without a binding */
	enum tb_map_kind kind;
	unsigned number; /* how many jobs of its kind come before it */
	long task;	 /* the one that this is of the job; -1: all of it */
	int64_t end;	 /* seconds since 1970, by its time limit; 0: none */
	struct tb_map_grant *grants;
	unsigned ngrants;
};

/* A job that has no nodes yet. */
struct tb_map_waiting {
	char *id, *user, *name;
	char *request; /* canonical; "": without a binding */
	char *why;     /* a sentence of topobind's, or Slurm's reason */
};

struct tb_map {
	struct tb_map_node *nodes;
	unsigned nnodes;
	struct tb_map_job *jobs;
	unsigned njobs;
	struct tb_map_waiting *waiting;
	unsigned nwaiting;
	unsigned of_kind[TB_MAP_KINDS]; /* jobs */
	int64_t time;			/* when all this was so; 0: not known */
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

/*
 * Threads of the node added last that jobs with a binding do not get, as a
 * topology string with these in lower case.  -1 with a sentence.
 */
int tb_map_add_filter(struct tb_map *map, const char *string,
		      struct tb_error *err);

/* The same of threads that reservations have, now or later. */
int tb_map_add_reserved(struct tb_map *map, const char *string,
			struct tb_error *err);

/* The state of the node added last, and its reason or NULL.  -1 with a sentence. */
int tb_map_set_state(struct tb_map *map, const char *state, const char *reason,
		     struct tb_error *err);

/* "drained", "down*": its state, where jobs may not start as usual; else NULL. */
const char *tb_map_node_trouble(const struct tb_map_node *node);

/* Add a job that waits.  -1 with a sentence. */
int tb_map_add_waiting(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *request, const char *why,
		       struct tb_error *err);

/* Add a job; its index, or -1. */
int tb_map_add_job(struct tb_map *map, const char *id, const char *user,
		   const char *name, const char *request, struct tb_error *err);

/*
 * Add a grant to a job: its threads on those of the nodes that are in the map.
 * -1 with a sentence when the string is bad or a node has another shape.
 */
int tb_map_add_grant(struct tb_map *map, unsigned job, const char *nodes,
		     const char *string, struct tb_error *err);

/*
 * Threads that a job has of a node, whatever it was granted: a list, "0-5,8".
 * A node that is not in the map is passed over.  -1 with a sentence.
 */
int tb_map_add_job_threads(struct tb_map *map, unsigned job, const char *node,
			   const char *list, struct tb_error *err);

/* The same of a node that is at hand. */
int tb_map_note_job_threads(struct tb_map_node *node, unsigned job,
			    const struct tb_bitset *threads,
			    struct tb_error *err);

/*
 * map_comment.c: add a job by its system_comment (common/job/job_comment.h).  0 also
 * when there is no binding; -1 with a sentence when a grant makes no sense.
 */
int tb_map_add_comment(struct tb_map *map, const char *id, const char *user,
		       const char *name, const char *system_comment,
		       struct tb_error *err);

/* Seconds until the job must end, at the time of the map; -1: no such time. */
int64_t tb_map_time_left(const struct tb_map *map,
			 const struct tb_map_job *job);

/* "bound", "soft", "plain" */
const char *tb_map_kind_name(enum tb_map_kind kind);

/* map_json.c: both ways; NULL or -1 with a sentence. */
json_t *tb_map_to_json(const struct tb_map *map);
struct tb_map *tb_map_of_json(const json_t *json, struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - offline placements for "topobind place"
 *
 * An offline node is a topology with the threads that are in use, ready to place
 * on.
 * A batch asks for few shapes again and again: a string is parsed once per
 * shape, and after that only its case is looked at.
 */
#ifndef TB_TOOLS_PLACE_PLACE_H
#define TB_TOOLS_PLACE_PLACE_H

#include <stdio.h>

#include "core/place/choose.h"

/* As many slots as a batch row or --slots may ask for. */
#define TB_SLOTS_MAX 1000000

/* The threads that a lower-case letter marks; none for a bracket. */
struct tb_mark {
	unsigned first_thread, threads;
};

struct tb_offline_node {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *used;
	char *shape;	       /* the string in capitals */
	struct tb_mark *marks; /* per character of it */
};

struct tb_offline_nodes;

/* NULL when out of memory. */
struct tb_offline_nodes *tb_offline_nodes_create(void);
void tb_offline_nodes_destroy(struct tb_offline_nodes *nodes); /* NULL is fine */

/*
 * The node of a topology string, its lower-case units in use.  Owned by nodes,
 * valid until the next call.  NULL with a sentence when the string is bad.
 */
const struct tb_offline_node *
tb_offline_nodes_get(struct tb_offline_nodes *nodes, const char *string,
		     struct tb_error *err);

/* What a placement looks like; all strings malloc()ed. */
struct tb_outcome {
	unsigned slots;	    /* placed */
	unsigned chosen;    /* alternative of the request, tb_request_plain() */
	bool mismatch;	    /* the filter has another shape */
	bool other_shape;   /* the request is for another shape */
	char *granted;	    /* NULL when nothing was placed */
	char *inuse_after;  /* NULL when nothing was placed */
	unsigned groups;    /* slots with threads of their own; 1 for a host */
	char **group_lists; /* per group its threads, "0-1,8" */
	unsigned parts;	    /* of bunit=X:1+C:2, in its order; else 0 */
	char *part_names[TB_PARTS_MAX]; /* "X:1" */
	char *part_lists[TB_PARTS_MAX]; /* its threads */
};

/* tb_topology_print() or tb_topology_print_compact() */
typedef char *tb_printer(const struct tb_topology *topology,
			 const struct tb_bitset *lower);

/*
 * Place, and print the result with a printer; of alternatives the one that
 * tb_place_choose() says.  -1 when out of memory.
 */
int tb_outcome_of(const struct tb_offline_node *node,
		  const struct tb_request *request, unsigned nslots,
		  tb_place_function *place, tb_printer *print,
		  struct tb_outcome *outcome, struct tb_error *err);
void tb_outcome_clear(struct tb_outcome *outcome);

/* A number of slots; -1 with a sentence. */
int tb_slots_parse(const char *text, unsigned *nslots, struct tb_error *err);

/*
 * Place every row of a TSV table and print a TSV table; an exit code.  The
 * formats are in topobind-place(1).
 */
int tb_place_batch(const char *command, FILE *in, FILE *out);

#endif

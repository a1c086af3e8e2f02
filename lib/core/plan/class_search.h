/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * class_search.h - which class of what nodes offer suffices for a job
 *
 * Offers go together in classes (classes.h).  A class suffices when its nodes hold all
 * slots, as many nodes as the job wants and all of those that it requires, and have the
 * devices that it wants of all nodes together.
 */
#ifndef TB_CORE_PLAN_CLASS_SEARCH_H
#define TB_CORE_PLAN_CLASS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "held_nodes.h"
#include "suffice.h"

struct tb_near_node; /* what is remembered of a node with devices */

struct tb_class_search {
	struct tb_held_nodes *held; /* borrowed */
	unsigned nrequired;	    /* nodes that the job requires */
	/* Owned, as all that follow.  Those of all nodes, sorted by class. */
	struct tb_offer_list all;
	struct tb_node_slots *slots; /* scratch, in the order of all */
	unsigned nslots;
	struct tb_near_node *near; /* by node */
};

/*
 * held must outlive it.  -1: out of memory.  tb_class_search_clear() is right after
 * both, and for one that is all 0.
 */
int tb_class_search_init(struct tb_class_search *search,
			 struct tb_held_nodes *held);
void tb_class_search_clear(struct tb_class_search *search);

/* A holder of a node has ended or has come back. */
void tb_class_search_forget(struct tb_class_search *search, unsigned node);

/*
 * Of the offers of each node, find the class that suffices: it is [*first, returned) of
 * search->all, until the next search.  0: none does.
 */
unsigned tb_class_search_find(struct tb_class_search *search,
			      const struct tb_offer_list *offers,
			      unsigned *first);

#endif

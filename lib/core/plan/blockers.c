/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offers of a node change only when a holder of its threads ends.  So they are
 * remembered, and found again only for the nodes of that holder.
 */
#include "blockers.h"

#include <stdlib.h>

#include "core/base/array.h"

#include "class_search.h"
#include "ends.h"

struct tb_blockers {
	struct tb_held_nodes held;
	struct tb_class_search search;
	unsigned nholders;
	const int64_t *ends;

	struct tb_offer_list *now, *offers; /* by node */
	struct tb_offer_list found;	    /* scratch */
	unsigned *order;		    /* holders by their ends */
	/* Nodes of holder h: [first_of[h], first_of[h + 1]) of nodes_of. */
	unsigned *first_of, *nodes_of;
};

static bool offers_suffice(struct tb_blockers *blockers,
			   const struct tb_offer_list *offers)
{
	unsigned first;

	return tb_class_search_find(&blockers->search, offers, &first);
}

/* ---- holders ---- */

static bool are_equal(const struct tb_offer_list *a,
		      const struct tb_offer_list *b)
{
	if (a->count != b->count)
		return false;
	for (unsigned i = 0; i < a->count; i++)
		if (a->list[i].slots != b->list[i].slots ||
		    tb_classes_compare(&a->list[i], &b->list[i]))
			return false;
	return true;
}

/* Returns whether they differ from those that it had. */
static bool find_again(struct tb_blockers *blockers, unsigned index)
{
	struct tb_offer_list *own = &blockers->offers[index], before = *own;

	tb_class_search_forget(&blockers->search, index);
	tb_held_find_offers(&blockers->held, index, &blockers->found);
	*own = blockers->found;
	blockers->found = before;
	return !are_equal(own, &before);
}

/* A holder ends or comes back.  Does that change the room of any node? */
static bool set_holder_ended(struct tb_blockers *blockers, unsigned holder,
			     bool has_ended)
{
	bool differs = false;

	blockers->held.has_ended[holder] = has_ended;
	for (unsigned i = blockers->first_of[holder];
	     i < blockers->first_of[holder + 1]; i++)
		differs = find_again(blockers, blockers->nodes_of[i]) ||
			  tb_held_holder_has_more(&blockers->held,
						  blockers->nodes_of[i],
						  holder) ||
			  differs;
	return differs;
}

/* Exactly the first count holders of the order have ended. */
static void set_first_ended(struct tb_blockers *blockers, unsigned *ended,
			    unsigned count)
{
	for (; *ended < count; ++*ended)
		set_holder_ended(blockers, blockers->order[*ended], true);
	for (; *ended > count; --*ended)
		set_holder_ended(blockers, blockers->order[*ended - 1], false);
}

/* How far the search has come: so many first holders of the order have ended. */
struct ended {
	struct tb_blockers *blockers;
	unsigned count;
};

static bool fits_after(void *arg, uint32_t count)
{
	struct ended *ended = arg;

	set_first_ended(ended->blockers, &ended->count, count);
	return offers_suffice(ended->blockers, ended->blockers->offers);
}

/* How many first ends suffice, as few as possible; false: none do. */
static bool find_fewest_ends(struct tb_blockers *blockers, unsigned *count)
{
	struct ended ended = { .blockers = blockers };

	if (!tb_ends_find(blockers->held.need->request, fits_after, &ended,
			  blockers->nholders, count))
		return false;
	set_first_ended(blockers, &ended.count, *count);
	return true;
}

/* Bring back holders who need not end, those with the latest end first. */
static void spare_holders(struct tb_blockers *blockers, unsigned ended)
{
	for (unsigned i = ended; i > 0; i--) {
		unsigned holder = blockers->order[i - 1];

		if (set_holder_ended(blockers, holder, false) &&
		    !offers_suffice(blockers, blockers->offers))
			set_holder_ended(blockers, holder, true);
	}
}

static void copy_offers(struct tb_offer_list *to,
			const struct tb_offer_list *from)
{
	to->count = 0;
	for (unsigned i = 0; i < from->count; i++)
		tb_offer_list_add(to, &from->list[i]);
}

static void restore_holders(struct tb_blockers *blockers)
{
	for (unsigned i = 0; i < blockers->nholders; i++)
		blockers->held.has_ended[i] = false;
	for (unsigned i = 0; i < blockers->held.nnodes; i++) {
		tb_class_search_forget(&blockers->search, i);
		copy_offers(&blockers->offers[i], &blockers->now[i]);
	}
}

bool tb_blockers_find(struct tb_blockers *blockers, struct tb_bitset *ended,
		      int64_t *when)
{
	unsigned count = 0;
	bool found = find_fewest_ends(blockers, &count);

	*when = -1;
	tb_bitset_clear_all(ended);
	if (found && count) {
		*when = blockers->ends[blockers->order[count - 1]];
		spare_holders(blockers, count);
		for (unsigned i = 0; i < blockers->nholders; i++)
			if (blockers->held.has_ended[i])
				tb_bitset_set(ended, i);
	}
	restore_holders(blockers);
	return found;
}

/* ---- while no holder has ended ---- */

bool tb_blockers_fits(struct tb_blockers *blockers)
{
	return offers_suffice(blockers, blockers->now);
}

unsigned tb_blockers_room(const struct tb_blockers *blockers, unsigned node)
{
	return tb_held_limit_by_devices(&blockers->held, node,
					tb_node_offers_most(&blockers->now[node],
							    blockers->held
								    .need));
}

uint32_t tb_blockers_devices(const struct tb_blockers *blockers, unsigned node,
			     unsigned kind)
{
	return tb_held_devices(&blockers->held, node, kind);
}

const struct tb_offer *tb_blockers_choose(struct tb_blockers *blockers,
					  unsigned *count)
{
	unsigned first, end = tb_class_search_find(&blockers->search,
						   blockers->now, &first);

	*count = end ? end - first : 0;
	return end ? &blockers->search.all.list[first] : NULL;
}

unsigned tb_blockers_place(struct tb_blockers *blockers, unsigned node,
			   const struct tb_offer *offer, unsigned slots)
{
	return tb_held_place(&blockers->held, node, offer, slots);
}

/* ---- creating ---- */

struct ending {
	int64_t end;
	unsigned holder;
};

static int by_holder_end(const void *left, const void *right)
{
	const struct ending *a = left, *b = right;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->holder < b->holder ? -1 : 1;
}

static int order_holders(struct tb_blockers *blockers)
{
	struct ending *endings = tb_array_create(blockers->nholders,
						 sizeof(*endings));

	if (!endings)
		return -1;
	for (unsigned i = 0; i < blockers->nholders; i++)
		endings[i] = (struct ending){ blockers->ends[i], i };
	qsort(endings, blockers->nholders, sizeof(*endings), by_holder_end);
	for (unsigned i = 0; i < blockers->nholders; i++)
		blockers->order[i] = endings[i].holder;
	free(endings);
	return 0;
}

static unsigned count_holder_jobs(const struct tb_blockers *blockers)
{
	unsigned count = 0;

	for (unsigned i = 0; i < blockers->held.nnodes; i++)
		count += blockers->held.nodes[i].nholders;
	return count;
}

/* first_of and nodes_of: counted, added up, then filled from the back. */
static void index_holder_jobs(struct tb_blockers *blockers)
{
	unsigned *first_of = blockers->first_of;

	for (unsigned i = 0; i < blockers->held.nnodes; i++)
		for (unsigned j = 0; j < blockers->held.nodes[i].nholders; j++)
			first_of[blockers->held.nodes[i].holders[j].holder]++;
	for (unsigned i = 1; i <= blockers->nholders; i++)
		first_of[i] += first_of[i - 1];
	for (unsigned i = 0; i < blockers->held.nnodes; i++)
		for (unsigned j = 0; j < blockers->held.nodes[i].nholders;
		     j++) {
			unsigned holder =
				blockers->held.nodes[i].holders[j].holder;

			blockers->nodes_of[--first_of[holder]] = i;
		}
}

static int make_blocker_tables(struct tb_blockers *blockers)
{
	size_t nodes = blockers->held.nnodes, holders = blockers->nholders;

	blockers->now = tb_array_create(nodes, sizeof(*blockers->now));
	blockers->offers = tb_array_create(nodes, sizeof(*blockers->offers));
	blockers->order = tb_array_create(holders, sizeof(*blockers->order));
	blockers->first_of = tb_array_create(holders + 1,
					     sizeof(*blockers->first_of));
	blockers->nodes_of = tb_array_create(count_holder_jobs(blockers),
					     sizeof(*blockers->nodes_of));
	return blockers->now && blockers->offers && blockers->order &&
			       blockers->first_of && blockers->nodes_of
		       ? 0
		       : -1;
}

struct tb_blockers *tb_blockers_create(const struct tb_need *need,
				       const struct tb_used_node *nodes,
				       unsigned nnodes, const int64_t *ends,
				       unsigned nholders)
{
	struct tb_blockers *blockers = calloc(1, sizeof(*blockers));

	if (!blockers)
		return NULL;
	blockers->ends = ends;
	blockers->nholders = nholders;
	if (tb_held_nodes_init(&blockers->held, need, nodes, nnodes,
			       nholders) ||
	    tb_class_search_init(&blockers->search, &blockers->held) ||
	    make_blocker_tables(blockers) || order_holders(blockers)) {
		tb_blockers_destroy(blockers);
		return NULL;
	}
	index_holder_jobs(blockers);
	for (unsigned i = 0; i < nnodes; i++) {
		tb_held_find_offers(&blockers->held, i, &blockers->now[i]);
		copy_offers(&blockers->offers[i], &blockers->now[i]);
	}
	return blockers;
}

void tb_blockers_destroy(struct tb_blockers *blockers)
{
	if (!blockers)
		return;
	for (unsigned i = 0; i < blockers->held.nnodes; i++) {
		if (blockers->now)
			tb_offer_list_clear(&blockers->now[i]);
		if (blockers->offers)
			tb_offer_list_clear(&blockers->offers[i]);
	}
	tb_class_search_clear(&blockers->search);
	tb_held_nodes_clear(&blockers->held);
	tb_offer_list_clear(&blockers->found);
	free(blockers->now);
	free(blockers->offers);
	free(blockers->order);
	free(blockers->first_of);
	free(blockers->nodes_of);
	free(blockers);
}

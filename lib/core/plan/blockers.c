/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The room of a node changes only when a holder of its threads ends.  So it is
 * remembered, and found again only for the nodes of that holder.
 */
#include "blockers.h"

#include <stdlib.h>

#include "core/place/masked.h"

#include "ends.h"
#include "implicit.h"
#include "suffice.h"

/* What a node can have: slots (or tasks), and how large each is. */
struct node_room {
	unsigned slots;
	unsigned size; /* threads of a slot; 0 for TB_HOST and TB_UNEQUAL */
	bool required;
};

struct tb_blockers {
	const struct tb_need *need;
	const struct tb_used_node *nodes;
	unsigned nnodes, nholders;
	const int64_t *ends;

	struct tb_bitset **used;      /* scratch, by node */
	struct tb_bitset **group;     /* scratch, by node */
	struct node_room *now, *room; /* by node */
	struct node_room *sorted;     /* scratch */
	struct tb_node_slots *slots;  /* scratch, in that order */
	bool *has_ended;	      /* by holder */
	unsigned *order;	      /* holders by their ends */
	/* Nodes of holder h: [first_of[h], first_of[h + 1]) of nodes_of. */
	unsigned *first_of, *nodes_of;
	unsigned nrequired;
};

/* ---- one node ---- */

static void find_used_threads(struct tb_blockers *blockers, unsigned index)
{
	const struct tb_used_node *node = &blockers->nodes[index];
	struct tb_bitset *used = blockers->used[index];

	tb_bitset_clear_all(used);
	if (node->reserved)
		tb_bitset_or(used, node->reserved);
	for (unsigned i = 0; i < node->nholders; i++)
		if (!blockers->has_ended[node->holders[i].holder])
			tb_bitset_or(used, node->holders[i].threads);
}

static unsigned count_group_threads(struct tb_blockers *blockers,
				    unsigned index, unsigned group)
{
	tb_placed_group(blockers->nodes[index].placer, group,
			blockers->group[index]);
	return tb_bitset_count(blockers->group[index]);
}

/* Has the group that was counted last threads for a task, which are not masked? */
static bool group_holds_task(const struct tb_blockers *blockers, unsigned index)
{
	tb_placed_drop_masked(blockers->nodes[index].placer,
			      blockers->group[index]);
	return tb_bitset_count(blockers->group[index]) >=
	       blockers->need->task_threads;
}

/* All that hold a task, in one class: their sizes may differ. */
static void count_unequal_slots(struct tb_blockers *blockers, unsigned index,
				struct node_room *room)
{
	unsigned groups = tb_placed_groups(blockers->nodes[index].placer);

	for (unsigned i = 0; i < groups; i++)
		room->slots += count_group_threads(blockers, index, i) &&
			       group_holds_task(blockers, index);
}

/*
 * Count the placed slots up to the first that has another size than slot 0: the
 * controller can ask for one size at a time.
 */
static void count_node_slots(struct tb_blockers *blockers, unsigned index,
			     struct node_room *room)
{
	unsigned groups = tb_placed_groups(blockers->nodes[index].placer);

	room->size = count_group_threads(blockers, index, 0);
	if (!group_holds_task(blockers, index))
		return;
	room->slots = 1;
	while (room->slots < groups &&
	       count_group_threads(blockers, index, room->slots) ==
		       room->size &&
	       group_holds_task(blockers, index))
		room->slots++;
}

static void count_node_tasks(struct tb_blockers *blockers, unsigned index,
			     struct node_room *room)
{
	const struct tb_need *need = blockers->need;
	const struct tb_placer *placer = blockers->nodes[index].placer;
	struct tb_bitset *threads = blockers->group[index];

	tb_bitset_assign(threads, tb_placed_threads(placer));
	tb_placed_drop_masked(placer, threads);
	room->slots = tb_bitset_count(threads) / need->task_threads;
	if (room->slots > need->per_node)
		room->slots = need->per_node;
}

static void count_implicit_tasks(struct tb_blockers *blockers, unsigned index,
				 struct node_room *room)
{
	const struct tb_need *need = blockers->need;
	struct tb_placer *placer = blockers->nodes[index].placer;
	struct tb_request there =
		tb_request_masked(need->request, blockers->nodes[index].masked);
	uint32_t units;

	room->slots = tb_implicit_place(placer, &there, blockers->used[index],
					need->task_threads, need->per_node,
					&units);
	if (room->slots)
		room->size = tb_bitset_count(tb_placed_threads(placer)) /
			     room->slots;
}

static bool is_held(const struct tb_blockers *blockers,
		    const struct tb_used_node *node)
{
	for (unsigned i = 0; i < node->nholders; i++)
		if (!blockers->has_ended[node->holders[i].holder])
			return true;
	return false;
}

static struct node_room find_room(struct tb_blockers *blockers, unsigned index)
{
	const struct tb_need *need = blockers->need;
	const struct tb_used_node *node = &blockers->nodes[index];
	struct tb_request there = tb_request_masked(need->request,
						    node->masked);
	struct node_room room = { .required = node->required };

	if (need->whole_nodes && is_held(blockers, node))
		return room;
	find_used_threads(blockers, index);
	if (need->implicit) {
		count_implicit_tasks(blockers, index, &room);
		return room;
	}
	if (tb_place(node->placer, &there, blockers->used[index],
		     need->per_node) <= 0)
		return room;
	if (!tb_masked_hold_tasks(node->placer, &there, need->task_threads,
				  blockers->group[index],
				  blockers->used[index]) &&
	    tb_place(node->placer, &there, blockers->used[index],
		     need->per_node) <= 0)
		return room;
	if (there.type == TB_HOST || there.cpus)
		count_node_tasks(blockers, index, &room);
	else if (there.equal == TB_UNEQUAL)
		count_unequal_slots(blockers, index, &room);
	else
		count_node_slots(blockers, index, &room);
	return room;
}

/* ---- all nodes ---- */

/* Largest slots first. */
static int by_slot_size(const void *left, const void *right)
{
	const struct node_room *a = left, *b = right;

	return a->size < b->size ? 1 : a->size > b->size ? -1 : 0;
}

/* Do the sorted nodes [first, end), which have slots of one size, suffice? */
static bool size_class_suffices(const struct tb_blockers *blockers,
				unsigned first, unsigned end)
{
	const struct tb_need *need = blockers->need;
	unsigned required = 0, count = end - first;

	for (unsigned i = first; i < end; i++) {
		blockers->slots[i] = (struct tb_node_slots){
			.slots = blockers->sorted[i].slots,
			.required = blockers->sorted[i].required,
		};
		required += blockers->sorted[i].required;
	}
	return required == blockers->nrequired && required <= need->max_nodes &&
	       count >= need->min_nodes && need->max_nodes >= need->min_nodes &&
	       tb_most_slots(blockers->slots + first, count, required,
			     need->max_nodes) >= need->slots;
}

static bool rooms_suffice(const struct tb_blockers *blockers,
			  const struct node_room *rooms)
{
	unsigned count = 0, first = 0;

	for (unsigned i = 0; i < blockers->nnodes; i++)
		if (rooms[i].slots)
			blockers->sorted[count++] = rooms[i];
	qsort(blockers->sorted, count, sizeof(*blockers->sorted), by_slot_size);
	for (unsigned i = 1; i <= count; i++) {
		if (i < count &&
		    blockers->sorted[i].size == blockers->sorted[first].size)
			continue;
		if (size_class_suffices(blockers, first, i))
			return true;
		first = i;
	}
	return false;
}

/* ---- holders ---- */

static bool rooms_are_equal(struct node_room a, struct node_room b)
{
	return a.slots == b.slots && a.size == b.size;
}

/* A holder ends or comes back.  Does that change the room of any node? */
static bool set_holder_ended(struct tb_blockers *blockers, unsigned holder,
			     bool has_ended)
{
	bool differs = false;

	blockers->has_ended[holder] = has_ended;
	for (unsigned i = blockers->first_of[holder];
	     i < blockers->first_of[holder + 1]; i++) {
		unsigned index = blockers->nodes_of[i];
		struct node_room room = find_room(blockers, index);

		differs = differs ||
			  !rooms_are_equal(room, blockers->room[index]);
		blockers->room[index] = room;
	}
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
	return rooms_suffice(ended->blockers, ended->blockers->room);
}

/* How many first ends suffice, as few as possible; false: none do. */
static bool find_fewest_ends(struct tb_blockers *blockers, unsigned *count)
{
	struct ended ended = { .blockers = blockers };

	if (!tb_ends_find(blockers->need->request, fits_after, &ended,
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
		    !rooms_suffice(blockers, blockers->room))
			set_holder_ended(blockers, holder, true);
	}
}

static void restore_holders(struct tb_blockers *blockers)
{
	for (unsigned i = 0; i < blockers->nholders; i++)
		blockers->has_ended[i] = false;
	for (unsigned i = 0; i < blockers->nnodes; i++)
		blockers->room[i] = blockers->now[i];
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
			if (blockers->has_ended[i])
				tb_bitset_set(ended, i);
	}
	restore_holders(blockers);
	return found;
}

bool tb_blockers_fits(const struct tb_blockers *blockers)
{
	return rooms_suffice(blockers, blockers->now);
}

unsigned tb_blockers_room(const struct tb_blockers *blockers, unsigned node)
{
	return blockers->now[node].slots;
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
	struct ending *endings = calloc(blockers->nholders + 1,
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

	for (unsigned i = 0; i < blockers->nnodes; i++)
		count += blockers->nodes[i].nholders;
	return count;
}

/* first_of and nodes_of: counted, added up, then filled from the back. */
static void index_holder_jobs(struct tb_blockers *blockers)
{
	unsigned *first_of = blockers->first_of;

	for (unsigned i = 0; i < blockers->nnodes; i++)
		for (unsigned j = 0; j < blockers->nodes[i].nholders; j++)
			first_of[blockers->nodes[i].holders[j].holder]++;
	for (unsigned i = 1; i <= blockers->nholders; i++)
		first_of[i] += first_of[i - 1];
	for (unsigned i = 0; i < blockers->nnodes; i++)
		for (unsigned j = 0; j < blockers->nodes[i].nholders; j++) {
			unsigned holder = blockers->nodes[i].holders[j].holder;

			blockers->nodes_of[--first_of[holder]] = i;
		}
}

static int make_thread_sets(struct tb_blockers *blockers)
{
	for (unsigned i = 0; i < blockers->nnodes; i++) {
		unsigned threads = tb_topology_threads(
			blockers->nodes[i].topology);

		blockers->used[i] = tb_bitset_create(threads);
		blockers->group[i] = tb_bitset_create(threads);
		if (!blockers->used[i] || !blockers->group[i])
			return -1;
	}
	return 0;
}

static int make_blocker_tables(struct tb_blockers *blockers)
{
	size_t nodes = blockers->nnodes + 1, holders = blockers->nholders + 2;

	blockers->used = calloc(nodes, sizeof(*blockers->used));
	blockers->group = calloc(nodes, sizeof(*blockers->group));
	blockers->now = calloc(nodes, sizeof(*blockers->now));
	blockers->room = calloc(nodes, sizeof(*blockers->room));
	blockers->sorted = calloc(nodes, sizeof(*blockers->sorted));
	blockers->slots = calloc(nodes, sizeof(*blockers->slots));
	blockers->has_ended = calloc(holders, sizeof(*blockers->has_ended));
	blockers->order = calloc(holders, sizeof(*blockers->order));
	blockers->first_of = calloc(holders, sizeof(*blockers->first_of));
	blockers->nodes_of = calloc(count_holder_jobs(blockers) + 1,
				    sizeof(*blockers->nodes_of));
	if (!blockers->used || !blockers->group || !blockers->now ||
	    !blockers->room || !blockers->sorted || !blockers->slots ||
	    !blockers->has_ended || !blockers->order || !blockers->first_of ||
	    !blockers->nodes_of)
		return -1;
	return make_thread_sets(blockers);
}

struct tb_blockers *tb_blockers_create(const struct tb_need *need,
				       const struct tb_used_node *nodes,
				       unsigned nnodes, const int64_t *ends,
				       unsigned nholders)
{
	struct tb_blockers *blockers = calloc(1, sizeof(*blockers));

	if (!blockers)
		return NULL;
	blockers->need = need;
	blockers->nodes = nodes;
	blockers->nnodes = nnodes;
	blockers->ends = ends;
	blockers->nholders = nholders;
	if (make_blocker_tables(blockers) || order_holders(blockers)) {
		tb_blockers_destroy(blockers);
		return NULL;
	}
	index_holder_jobs(blockers);
	for (unsigned i = 0; i < nnodes; i++) {
		blockers->nrequired += nodes[i].required;
		blockers->now[i] = find_room(blockers, i);
		blockers->room[i] = blockers->now[i];
	}
	return blockers;
}

void tb_blockers_destroy(struct tb_blockers *blockers)
{
	if (!blockers)
		return;
	for (unsigned i = 0; i < blockers->nnodes; i++) {
		if (blockers->used)
			tb_bitset_destroy(blockers->used[i]);
		if (blockers->group)
			tb_bitset_destroy(blockers->group[i]);
	}
	free(blockers->used);
	free(blockers->group);
	free(blockers->now);
	free(blockers->room);
	free(blockers->sorted);
	free(blockers->slots);
	free(blockers->has_ended);
	free(blockers->order);
	free(blockers->first_of);
	free(blockers->nodes_of);
	free(blockers);
}

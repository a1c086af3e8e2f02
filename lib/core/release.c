/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * release.c - see release.h
 *
 * The room of a node changes only when one who holds something of it ends, so
 * it is kept, and looked at again for these nodes only.
 */
#include "release.h"

#include <stdlib.h>

/* What a node can have: slots (or tasks), and how large each is. */
struct room {
	unsigned slots;
	unsigned size; /* threads of a slot; 0 for TB_HOST */
	bool required;
};

struct tb_release {
	const struct tb_need *need;
	const struct tb_held_node *nodes;
	unsigned nnodes, nholders;
	const int64_t *ends;

	struct tb_bitset **used;  /* scratch, by node */
	struct tb_bitset **group; /* scratch, by node */
	struct room *now, *room;  /* by node */
	struct room *sorted;      /* scratch */
	bool *gone;               /* by holder */
	unsigned *order;          /* holders by their ends */
	/* Nodes of holder h: [first_of[h], first_of[h + 1]) of nodes_of. */
	unsigned *first_of, *nodes_of;
	unsigned nrequired;
};

/* ---- one node ---- */

static void find_used(struct tb_release *release, unsigned index)
{
	const struct tb_held_node *node = &release->nodes[index];
	struct tb_bitset *used = release->used[index];

	tb_bitset_clear_all(used);
	if (node->kept)
		tb_bitset_or(used, node->kept);
	for (unsigned i = 0; i < node->nholds; i++)
		if (!release->gone[node->holds[i].holder])
			tb_bitset_or(used, node->holds[i].threads);
}

static unsigned group_size(struct tb_release *release, unsigned index,
			   unsigned group)
{
	tb_placed_group(release->nodes[index].placer, group,
			release->group[index]);
	return tb_bitset_count(release->group[index]);
}

/*
 * Of the placed slots those from the first on that are as large as it is: the
 * controller can ask for one size at a time.
 */
static void count_slots(struct tb_release *release, unsigned index,
			struct room *room)
{
	unsigned groups = tb_placed_groups(release->nodes[index].placer);

	room->size = group_size(release, index, 0);
	if (room->size < release->need->task_threads)
		return;
	room->slots = 1;
	while (room->slots < groups &&
	       group_size(release, index, room->slots) == room->size)
		room->slots++;
}

static void count_tasks(struct tb_release *release, unsigned index,
			struct room *room)
{
	const struct tb_need *need = release->need;
	unsigned threads = tb_bitset_count(
		tb_placed_threads(release->nodes[index].placer));

	room->slots = threads / need->task_threads;
	if (room->slots > need->per_node)
		room->slots = need->per_node;
}

static struct room look_at(struct tb_release *release, unsigned index)
{
	const struct tb_need *need = release->need;
	const struct tb_held_node *node = &release->nodes[index];
	struct room room = { .required = node->required };

	find_used(release, index);
	if (need->whole_nodes && !tb_bitset_is_empty(release->used[index]))
		return room;
	if (tb_place(node->placer, need->request, release->used[index],
		     need->per_node) <= 0)
		return room;
	if (need->request->type == TB_HOST || need->request->cpus)
		count_tasks(release, index, &room);
	else
		count_slots(release, index, &room);
	return room;
}

/* ---- all nodes ---- */

/* Largest slots first, of these the required nodes, then those with most. */
static int by_size(const void *left, const void *right)
{
	const struct room *a = left, *b = right;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	if (a->required != b->required)
		return a->required ? -1 : 1;
	return a->slots < b->slots ? 1 : a->slots > b->slots ? -1 : 0;
}

/* Nodes [first, end) of the sorted ones have slots of one size. */
static bool class_fits(const struct tb_release *release, unsigned first,
		       unsigned end)
{
	const struct tb_need *need = release->need;
	unsigned required = 0, count = 0;
	unsigned long long sum = 0;

	for (unsigned i = first; i < end && count < need->max_nodes; i++) {
		required += release->sorted[i].required;
		sum += release->sorted[i].slots;
		count++;
	}
	return required == release->nrequired && count >= need->min_nodes &&
	       sum >= need->slots;
}

static bool all_fits(const struct tb_release *release,
		     const struct room *rooms)
{
	unsigned count = 0, first = 0;

	for (unsigned i = 0; i < release->nnodes; i++)
		if (rooms[i].slots)
			release->sorted[count++] = rooms[i];
	qsort(release->sorted, count, sizeof(*release->sorted), by_size);
	for (unsigned i = 1; i <= count; i++) {
		if (i < count &&
		    release->sorted[i].size == release->sorted[first].size)
			continue;
		if (class_fits(release, first, i))
			return true;
		first = i;
	}
	return false;
}

/* ---- holders ---- */

static bool same_room(struct room a, struct room b)
{
	return a.slots == b.slots && a.size == b.size;
}

/* A holder ends or is there again.  Does that make a difference? */
static bool set_gone(struct tb_release *release, unsigned holder, bool gone)
{
	bool differs = false;

	release->gone[holder] = gone;
	for (unsigned i = release->first_of[holder];
	     i < release->first_of[holder + 1]; i++) {
		unsigned index = release->nodes_of[i];
		struct room room = look_at(release, index);

		differs = differs || !same_room(room, release->room[index]);
		release->room[index] = room;
	}
	return differs;
}

/* The first count of those that end, and no others, are gone. */
static void end_first(struct tb_release *release, unsigned *ended,
		      unsigned count)
{
	for (; *ended < count; ++*ended)
		set_gone(release, release->order[*ended], true);
	for (; *ended > count; --*ended)
		set_gone(release, release->order[*ended - 1], false);
}

/* The fewest of the first ends after which it fits; false: never. */
static bool find_least(struct tb_release *release, unsigned *ended)
{
	unsigned first = 0, last = release->nholders;

	end_first(release, ended, last);
	if (!all_fits(release, release->room))
		return false;
	while (first < last) {
		unsigned half = first + (last - first) / 2;

		end_first(release, ended, half);
		if (all_fits(release, release->room))
			last = half;
		else
			first = half + 1;
	}
	end_first(release, ended, last);
	return true;
}

/* Those that end late are spared first. */
static void spare(struct tb_release *release, unsigned ended)
{
	for (unsigned i = ended; i > 0; i--) {
		unsigned holder = release->order[i - 1];

		if (set_gone(release, holder, false) &&
		    !all_fits(release, release->room))
			set_gone(release, holder, true);
	}
}

static void restore_all(struct tb_release *release)
{
	for (unsigned i = 0; i < release->nholders; i++)
		release->gone[i] = false;
	for (unsigned i = 0; i < release->nnodes; i++)
		release->room[i] = release->now[i];
}

bool tb_release_find(struct tb_release *release, struct tb_bitset *ended,
		     int64_t *when)
{
	unsigned count = 0;
	bool found = find_least(release, &count);

	*when = -1;
	tb_bitset_clear_all(ended);
	if (found && count) {
		*when = release->ends[release->order[count - 1]];
		spare(release, count);
		for (unsigned i = 0; i < release->nholders; i++)
			if (release->gone[i])
				tb_bitset_set(ended, i);
	}
	restore_all(release);
	return found;
}

bool tb_release_fits(const struct tb_release *release)
{
	return all_fits(release, release->now);
}

unsigned tb_release_room(const struct tb_release *release, unsigned node)
{
	return release->now[node].slots;
}

/* ---- making it ---- */

struct ending {
	int64_t end;
	unsigned holder;
};

static int by_end(const void *left, const void *right)
{
	const struct ending *a = left, *b = right;

	if (a->end != b->end)
		return a->end < b->end ? -1 : 1;
	return a->holder < b->holder ? -1 : 1;
}

static int order_holders(struct tb_release *release)
{
	struct ending *endings = calloc(release->nholders + 1,
					sizeof(*endings));

	if (!endings)
		return -1;
	for (unsigned i = 0; i < release->nholders; i++)
		endings[i] = (struct ending){ release->ends[i], i };
	qsort(endings, release->nholders, sizeof(*endings), by_end);
	for (unsigned i = 0; i < release->nholders; i++)
		release->order[i] = endings[i].holder;
	free(endings);
	return 0;
}

static unsigned count_holds(const struct tb_release *release)
{
	unsigned count = 0;

	for (unsigned i = 0; i < release->nnodes; i++)
		count += release->nodes[i].nholds;
	return count;
}

/* first_of and nodes_of: counted, added up, then filled from the back. */
static void index_holds(struct tb_release *release)
{
	unsigned *first_of = release->first_of;

	for (unsigned i = 0; i < release->nnodes; i++)
		for (unsigned j = 0; j < release->nodes[i].nholds; j++)
			first_of[release->nodes[i].holds[j].holder]++;
	for (unsigned i = 1; i <= release->nholders; i++)
		first_of[i] += first_of[i - 1];
	for (unsigned i = 0; i < release->nnodes; i++)
		for (unsigned j = 0; j < release->nodes[i].nholds; j++) {
			unsigned holder = release->nodes[i].holds[j].holder;

			release->nodes_of[--first_of[holder]] = i;
		}
}

static int make_scratch(struct tb_release *release)
{
	for (unsigned i = 0; i < release->nnodes; i++) {
		unsigned threads =
			tb_topology_threads(release->nodes[i].topology);

		release->used[i] = tb_bitset_create(threads);
		release->group[i] = tb_bitset_create(threads);
		if (!release->used[i] || !release->group[i])
			return -1;
	}
	return 0;
}

static int make_tables(struct tb_release *release)
{
	size_t nodes = release->nnodes + 1, holders = release->nholders + 2;

	release->used = calloc(nodes, sizeof(*release->used));
	release->group = calloc(nodes, sizeof(*release->group));
	release->now = calloc(nodes, sizeof(*release->now));
	release->room = calloc(nodes, sizeof(*release->room));
	release->sorted = calloc(nodes, sizeof(*release->sorted));
	release->gone = calloc(holders, sizeof(*release->gone));
	release->order = calloc(holders, sizeof(*release->order));
	release->first_of = calloc(holders, sizeof(*release->first_of));
	release->nodes_of = calloc(count_holds(release) + 1,
				   sizeof(*release->nodes_of));
	if (!release->used || !release->group || !release->now ||
	    !release->room || !release->sorted || !release->gone ||
	    !release->order || !release->first_of || !release->nodes_of)
		return -1;
	return make_scratch(release);
}

struct tb_release *tb_release_create(const struct tb_need *need,
				     const struct tb_held_node *nodes,
				     unsigned nnodes, const int64_t *ends,
				     unsigned nholders)
{
	struct tb_release *release = calloc(1, sizeof(*release));

	if (!release)
		return NULL;
	release->need = need;
	release->nodes = nodes;
	release->nnodes = nnodes;
	release->ends = ends;
	release->nholders = nholders;
	if (make_tables(release) || order_holders(release)) {
		tb_release_destroy(release);
		return NULL;
	}
	index_holds(release);
	for (unsigned i = 0; i < nnodes; i++) {
		release->nrequired += nodes[i].required;
		release->now[i] = look_at(release, i);
		release->room[i] = release->now[i];
	}
	return release;
}

void tb_release_destroy(struct tb_release *release)
{
	if (!release)
		return;
	for (unsigned i = 0; i < release->nnodes; i++) {
		if (release->used)
			tb_bitset_destroy(release->used[i]);
		if (release->group)
			tb_bitset_destroy(release->group[i]);
	}
	free(release->used);
	free(release->group);
	free(release->now);
	free(release->room);
	free(release->sorted);
	free(release->gone);
	free(release->order);
	free(release->first_of);
	free(release->nodes_of);
	free(release);
}

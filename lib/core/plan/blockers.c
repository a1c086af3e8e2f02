/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offers of a node change only when a holder of its threads ends.  So they are
 * remembered, and found again only for the nodes of that holder.
 */
#include "blockers.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "ends.h"
#include "near_devices.h"
#include "suffice.h"

/* Near so many devices for all nodes those of one are placed. */
#define NEAR_MOST 64

/* Slots of a node that are near devices, until a holder there ends or comes back. */
struct near_node {
	bool is_known;
	struct tb_offer offer; /* of these slots */
	struct tb_reach_node node;
	struct tb_reach_range *with; /* owned, NEAR_MOST + 1 */
};

struct tb_blockers {
	const struct tb_need *need;
	const struct tb_used_node *nodes;
	unsigned nnodes, nholders;
	const int64_t *ends;

	struct tb_bitset **used;	    /* scratch, by node */
	struct tb_offer_list *now, *offers; /* by node */
	struct tb_thread_use *use, *own; /* scratch, where units are shared */
	struct tb_offer_list found, all; /* scratch */
	struct tb_node_slots *slots;	 /* scratch, in the order of all */
	unsigned nslots;
	bool *has_ended; /* by holder */
	unsigned *order; /* holders by their ends */
	/* Nodes of holder h: [first_of[h], first_of[h + 1]) of nodes_of. */
	unsigned *first_of, *nodes_of;
	unsigned nrequired;
	struct near_node *near; /* by node */
	uint32_t *pools; /* scratch: devices that are free in each of a node */
	uint64_t *numa_free; /* scratch: memory of each NUMA node */
};

/* ---- one node ---- */

/* A job that wants all of a node has it with whoever has it, or not at all. */
static bool takes_all(const struct tb_blockers *blockers)
{
	return blockers->use && blockers->need->whole_nodes;
}

static void find_used_threads(struct tb_blockers *blockers, unsigned index)
{
	const struct tb_used_node *node = &blockers->nodes[index];
	struct tb_bitset *used = blockers->used[index];

	tb_bitset_clear_all(used);
	if (node->reserved)
		tb_bitset_or(used, node->reserved);
	for (unsigned i = 0; !takes_all(blockers) && i < node->nholders; i++)
		if (!blockers->has_ended[node->holders[i].holder])
			tb_bitset_or(used, node->holders[i].threads);
}

/* Who has the threads of the node, into blockers->use. */
static void count_use(struct tb_blockers *blockers,
		      const struct tb_used_node *node)
{
	unsigned threads = tb_topology_threads(node->topology);

	memset(blockers->use, 0, threads * sizeof(*blockers->use));
	for (unsigned i = 0; i < node->nholders; i++)
		if (!blockers->has_ended[node->holders[i].holder])
			tb_shared_use_add(node->topology,
					  node->holders[i].threads,
					  node->holders[i].share, blockers->use,
					  blockers->own);
}

static void find_use(struct tb_blockers *blockers, unsigned index)
{
	const struct tb_used_node *node = &blockers->nodes[index];
	struct tb_unit unit = tb_booked_unit(blockers->need->request,
					     node->books.by_thread);

	count_use(blockers, node);
	if (node->reserved)
		tb_shared_use_bar(node->reserved, blockers->use);
	tb_share_only_units(node->topology, unit, blockers->use);
	tb_share_used(blockers->use, blockers->need->share,
		      blockers->used[index]);
}

/* Has it too many jobs, for one that wants all of it? */
static bool has_too_many(struct tb_blockers *blockers,
			 const struct tb_used_node *node)
{
	const struct tb_need *need = blockers->need;

	count_use(blockers, node);
	return tb_share_whole(blockers->use,
			      tb_topology_threads(node->topology),
			      need->turns) >= need->share;
}

/* For jobs with nodes of their own anybody bars a node who does not share it. */
static bool is_barred(struct tb_blockers *blockers,
		      const struct tb_used_node *node)
{
	bool own = blockers->need->whole_nodes && !takes_all(blockers);

	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if ((job->bars || own) && !blockers->has_ended[job->holder])
			return true;
	}
	return takes_all(blockers) && has_too_many(blockers, node);
}

/* What MaxCPUsPerNode leaves. */
static uint32_t count_left(const struct tb_blockers *blockers,
			   const struct tb_used_node *node)
{
	uint32_t used = 0;

	if (node->most_cpus == UINT32_MAX)
		return UINT32_MAX;
	for (unsigned i = 0; i < node->nholders; i++)
		if (!blockers->has_ended[node->holders[i].holder])
			used += node->holders[i].cpus;
	return tb_booked_left(node->most_cpus, used);
}

/* The free devices of its pools, into blockers->pools. */
static void count_free_of_pools(struct tb_blockers *blockers,
				const struct tb_used_node *node)
{
	for (unsigned i = 0; i < node->npools; i++)
		blockers->pools[i] = node->pools[i].devices;
	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if (!job->of_pools || blockers->has_ended[job->holder])
			continue;
		for (unsigned j = 0; j < node->npools; j++)
			blockers->pools[j] -= job->of_pools[j] <
							      blockers->pools[j]
						      ? job->of_pools[j]
						      : blockers->pools[j];
	}
}

/* The free memory of its NUMA nodes, into blockers->numa_free. */
static void count_free_of_numa(struct tb_blockers *blockers,
			       const struct tb_used_node *node)
{
	uint64_t *free = blockers->numa_free;

	if (!node->numa)
		return;
	memcpy(free, node->numa_free, node->numa->count * sizeof(*free));
	for (unsigned i = 0; i < node->nholders; i++) {
		const struct tb_holder_job *job = &node->holders[i];

		if (!job->of_numa || !blockers->has_ended[job->holder])
			continue;
		for (unsigned j = 0; j < node->numa->count; j++)
			free[j] += job->of_numa[j] <
						   node->numa_sizes[j] - free[j]
					   ? job->of_numa[j]
					   : node->numa_sizes[j] - free[j];
	}
}

/* The node as it is now: what it has used is in blockers->used. */
static struct tb_offering_node look_at(struct tb_blockers *blockers,
				       unsigned index)
{
	const struct tb_used_node *node = &blockers->nodes[index];
	bool shares = blockers->use && !takes_all(blockers);

	if (shares)
		find_use(blockers, index);
	else
		find_used_threads(blockers, index);
	count_free_of_pools(blockers, node);
	count_free_of_numa(blockers, node);
	return (struct tb_offering_node){
		.topology = node->topology,
		.placer = node->placer,
		.books = node->books,
		.masked = node->masked,
		.use = shares ? blockers->use : NULL,
		.left = blockers->use ? UINT32_MAX : count_left(blockers, node),
		.pools = node->pools,
		.npools = node->npools,
		.free = blockers->pools,
		.numa = node->numa,
		.numa_free = blockers->numa_free,
	};
}

/* ---- its memory ---- */

static uint64_t count_memory(const struct tb_blockers *blockers, unsigned node)
{
	const struct tb_used_node *of = &blockers->nodes[node];
	uint64_t free = of->memory;

	if (!blockers->need->memory_is_held)
		return free;
	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];
		uint64_t held = blockers->has_ended[job->holder] ? 0
								 : job->memory;

		free -= held < free ? held : free;
	}
	return free;
}

/* ---- its devices ---- */

uint32_t tb_blockers_devices(const struct tb_blockers *blockers, unsigned node,
			     unsigned kind)
{
	const struct tb_used_node *of = &blockers->nodes[node];
	uint64_t megabytes = blockers->need->devices[kind].megabytes;
	uint64_t with_memory = megabytes ? count_memory(blockers, node) /
						   megabytes
					 : UINT32_MAX;
	uint32_t free = of->devices ? of->devices[kind] : 0;

	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];
		uint32_t held = job->devices && !blockers->has_ended[job->holder]
					? job->devices[kind]
					: 0;

		free -= held < free ? held : free;
	}
	return with_memory < free ? (uint32_t)with_memory : free;
}

/* Of so many tasks those for which there are devices, too. */
static uint32_t limit_by_devices(const struct tb_blockers *blockers,
				 unsigned node, uint32_t tasks)
{
	for (unsigned i = 0; i < blockers->need->ndevices; i++) {
		struct tb_reach_range range =
			tb_devices_range(&blockers->need->devices[i], 0, tasks,
					 tb_blockers_devices(blockers, node,
							     i));

		tasks = range.most;
	}
	return tasks;
}

static bool lacks_memory(const struct tb_blockers *blockers, unsigned node)
{
	return blockers->need->memory_is_held &&
	       count_memory(blockers, node) <
		       blockers->nodes[node].least_memory;
}

/* Tasks, or slots. */
static uint32_t count_tasks(const struct tb_blockers *blockers,
			    const struct tb_offer *offer)
{
	const struct tb_need *need = blockers->need;
	enum tb_type type = need->request->type;
	uint32_t tasks = tb_offer_tasks(offer, type, &need->asked);

	if (need->cpu_memory)
		tasks = tb_offer_tasks_in_memory(offer, type, tasks,
						 need->cpu_memory,
						 count_memory(blockers,
							      offer->node));
	return limit_by_devices(blockers, offer->node, tasks);
}

/* Has it more than threads there that count? */
static bool holder_has_more(const struct tb_blockers *blockers, unsigned node,
			    unsigned holder)
{
	const struct tb_used_node *of = &blockers->nodes[node];
	const struct tb_need *need = blockers->need;

	for (unsigned i = 0; i < of->nholders; i++) {
		const struct tb_holder_job *job = &of->holders[i];

		if (job->holder == holder)
			return (job->devices && need->ndevices) ||
			       (job->memory && need->memory_is_held);
	}
	return false;
}

/* ---- its offers ---- */

static void find_offers(struct tb_blockers *blockers, unsigned index,
			struct tb_offer_list *offers)
{
	struct tb_offering_node node;

	offers->count = 0;
	if (is_barred(blockers, &blockers->nodes[index]))
		return;
	node = look_at(blockers, index);
	tb_node_offers_find(offers, blockers->need, &node, index,
			    blockers->used[index]);
}

unsigned tb_blockers_place(struct tb_blockers *blockers, unsigned node,
			   const struct tb_offer *offer, unsigned slots)
{
	struct tb_offering_node from = look_at(blockers, node);

	return tb_node_offers_place(blockers->need, &from, offer, slots,
				    blockers->used[node]);
}

/* ---- all nodes ---- */

static uint32_t get_most_nodes(const struct tb_need *need)
{
	return need->asked.max_nodes ? need->asked.max_nodes : UINT32_MAX;
}

static uint32_t count_least_nodes(const struct tb_need *need)
{
	uint32_t least = need->asked.min_nodes, hosts = 0;

	if (need->request->type == TB_HOST && !need->implicit)
		hosts = tb_asked_least_hosts(&need->asked);
	return hosts > least ? hosts : least;
}

/*
 * So many slots each node of the job must have.  Where devices are asked for topobind
 * deals the slots out, as reach.h says.
 */
static uint32_t count_slots_of_each(const struct tb_need *need)
{
	uint32_t each;

	if (need->ndevices != 1 || need->implicit)
		return tb_asked_slots_of_each(&need->asked);
	tb_devices_job(&need->asked, false, &need->devices[0], 1, 1, &each);
	return each;
}

/* Has the node the slots that each node of the job must have? */
static bool holds_enough(const struct tb_blockers *blockers, unsigned node,
			 uint32_t tasks)
{
	const struct tb_need *need = blockers->need;

	return !lacks_memory(blockers, node) &&
	       (tasks || (!need->ndevices && !need->cpu_memory)) &&
	       (need->request->type == TB_HOST ||
		tasks >= count_slots_of_each(need));
}

/* Must units be near devices, of which one number is asked for? */
static bool must_reach_near(const struct tb_need *need)
{
	return need->near == TB_NEAR_ALWAYS && need->ndevices == 1 &&
	       !need->implicit &&
	       !(need->devices[0].per_task &&
		 (need->request->type == TB_HOST || need->asked.overcommit));
}

/* Slots of an offer that are near so many of the devices for all nodes. */
struct near_slots {
	struct tb_blockers *blockers;
	struct tb_offer offer;
};

static uint32_t place_near(void *arg, uint32_t slots)
{
	const struct near_slots *near = arg;
	uint32_t placed = tb_blockers_place(near->blockers, near->offer.node,
					    &near->offer, slots);

	return placed < slots ? placed : slots;
}

/* tasks: that it holds at most */
static struct tb_reach_range find_near_range(struct tb_blockers *blockers,
					     const struct tb_offer *offer,
					     uint32_t each, uint32_t tasks,
					     uint32_t devices)
{
	const struct tb_need *need = blockers->need;
	struct near_slots near = { blockers, *offer };
	struct tb_reach_range range;

	near.offer.devices = devices;
	range = need->request->type == TB_HOST
			? tb_near_tasks_of_host(place_near, &near, each, tasks)
			: tb_near_slots(place_near, &near, each, offer->slots);
	if (range.most > tasks)
		range.most = tasks >= range.least ? tasks : 0;
	return tb_devices_range_with(&need->devices[0], range, devices);
}

static struct tb_reach_node find_near_node(struct tb_blockers *blockers,
					   const struct tb_offer *offer,
					   uint32_t each,
					   struct tb_reach_range *with)
{
	const struct tb_devices_asked *asked = &blockers->need->devices[0];
	uint32_t tasks = count_tasks(blockers, offer);
	uint32_t free = tb_blockers_devices(blockers, offer->node, 0);
	struct tb_reach_node node = {
		.required = blockers->nodes[offer->node].required,
		.with = with,
	};

	if (!holds_enough(blockers, offer->node, tasks))
		return node;
	if (!asked->per_job) {
		with[0] = find_near_range(blockers, offer, each, tasks, 0);
		return node;
	}
	for (uint32_t i = 1; i <= free && i <= asked->per_job && i <= NEAR_MOST;
	     i++)
		with[node.devices = i] = find_near_range(blockers, offer, each,
							 tasks, i);
	return node;
}

static bool is_same_offer(const struct tb_offer *a, const struct tb_offer *b)
{
	return a->slots == b->slots && !tb_classes_compare(a, b) &&
	       a->unit_size == b->unit_size && a->whole == b->whole;
}

/* What is known of the node already, or is found now.  False: out of memory. */
static bool know_near_node(struct tb_blockers *blockers,
			   const struct tb_offer *offer, uint32_t each,
			   struct tb_reach_node *node)
{
	struct near_node *near = &blockers->near[offer->node];

	if (!near->with)
		near->with = tb_array_create(NEAR_MOST + 1,
					     sizeof(*near->with));
	if (!near->with)
		return false;
	if (!near->is_known || !is_same_offer(&near->offer, offer)) {
		memset(near->with, 0, (NEAR_MOST + 1) * sizeof(*near->with));
		near->offer = *offer;
		near->node = find_near_node(blockers, offer, each, near->with);
		near->is_known = true;
	}
	*node = near->node;
	return true;
}

static bool reaches_near(struct tb_blockers *blockers, unsigned first,
			 unsigned end)
{
	const struct tb_need *need = blockers->need;
	struct tb_reach_node *nodes = tb_array_create(end - first,
						      sizeof(*nodes));
	enum tb_reached reached = TB_REACH_UNKNOWN;
	struct tb_reach_job job;
	bool known = nodes;
	uint32_t each;

	job = tb_devices_job(&need->asked, need->request->type == TB_HOST,
			     &need->devices[0], count_least_nodes(need),
			     get_most_nodes(need), &each);
	for (unsigned i = first; known && i < end; i++)
		known = know_near_node(blockers, &blockers->all.list[i], each,
				       &nodes[i - first]);
	if (known)
		reached = tb_devices_reach(&need->devices[0], nodes,
					   end - first, job);
	free(nodes);
	return reached != TB_NOT_REACHED;
}

/* Are the devices for all nodes there, too? */
static bool devices_suffice(const struct tb_blockers *blockers, unsigned kind,
			    unsigned first, unsigned end)
{
	const struct tb_need *need = blockers->need;
	const struct tb_devices_asked *asked = &need->devices[kind];
	struct tb_devices_node *nodes;
	struct tb_reach_job job;
	bool shared = tb_devices_count_tasks(asked, &need->asked), suffice;
	uint32_t count = 0, each;

	nodes = tb_array_create(end - first, sizeof(*nodes));
	if (!nodes)
		return true;
	for (unsigned i = first; i < end; i++) {
		const struct tb_offer *offer = &blockers->all.list[i];
		uint32_t tasks = count_tasks(blockers, offer);

		if (holds_enough(blockers, offer->node, tasks))
			nodes[count++] = (struct tb_devices_node){
				shared ? need->asked.tasks : tasks,
				tb_blockers_devices(blockers, offer->node,
						    kind),
				blockers->nodes[offer->node].required,
			};
	}
	job = tb_devices_job(&need->asked, need->request->type == TB_HOST,
			     asked, count_least_nodes(need),
			     get_most_nodes(need), &each);
	suffice = tb_devices_suffice(asked, &job, each, nodes, count);
	free(nodes);
	return suffice;
}

static bool all_devices_suffice(struct tb_blockers *blockers, unsigned first,
				unsigned end)
{
	const struct tb_need *need = blockers->need;

	if (must_reach_near(need))
		return reaches_near(blockers, first, end);
	for (unsigned i = 0; i < need->ndevices; i++)
		if ((need->devices[i].per_job ||
		     tb_devices_count_tasks(&need->devices[i], &need->asked)) &&
		    !devices_suffice(blockers, i, first, end))
			return false;
	return true;
}

/* Have the offers [first, end) of a class the slots? */
static bool slots_suffice(const struct tb_blockers *blockers, unsigned first,
			  unsigned end)
{
	const struct tb_need *need = blockers->need;
	uint32_t most_nodes = get_most_nodes(need);
	uint32_t least_nodes = count_least_nodes(need), required = 0, count = 0;

	for (unsigned i = first; i < end; i++) {
		const struct tb_offer *offer = &blockers->all.list[i];
		bool is_required = blockers->nodes[offer->node].required;
		uint32_t tasks = count_tasks(blockers, offer);

		if (!holds_enough(blockers, offer->node, tasks))
			continue;
		blockers->slots[count++] = (struct tb_node_slots){
			.slots = tasks,
			.required = is_required,
		};
		required += is_required;
	}
	return required == blockers->nrequired && required <= most_nodes &&
	       count >= least_nodes && most_nodes >= least_nodes &&
	       tb_most_slots(blockers->slots, count, required, most_nodes) >=
		       tb_asked_slots(&need->asked);
}

static bool has_room_for_all(struct tb_blockers *blockers)
{
	struct tb_node_slots *slots;

	if (blockers->all.count <= blockers->nslots)
		return true;
	slots = realloc(blockers->slots, blockers->all.count * sizeof(*slots));
	if (!slots)
		return false;
	blockers->slots = slots;
	blockers->nslots = blockers->all.count;
	return true;
}

/* The class of blockers->all that suffices is [*first, returned); 0: none does. */
static unsigned find_class(struct tb_blockers *blockers,
			   const struct tb_offer_list *offers, unsigned *first)
{
	enum tb_type type = blockers->need->request->type;
	struct tb_offer_list *all = &blockers->all;
	unsigned end;

	all->count = 0;
	for (unsigned i = 0; i < blockers->nnodes; i++)
		for (unsigned j = 0; j < offers[i].count; j++)
			tb_offer_list_add(all, &offers[i].list[j]);
	if (!has_room_for_all(blockers))
		return 0;
	tb_classes_sort(type, all->list, all->count);
	for (*first = 0;
	     (end = tb_class_end(type, all->list, all->count, *first));
	     *first = end)
		if (slots_suffice(blockers, *first, end) &&
		    all_devices_suffice(blockers, *first, end))
			return end;
	return 0;
}

static bool offers_suffice(struct tb_blockers *blockers,
			   const struct tb_offer_list *offers)
{
	unsigned first;

	return find_class(blockers, offers, &first);
}

const struct tb_offer *tb_blockers_choose(struct tb_blockers *blockers,
					  unsigned *count)
{
	unsigned first, end = find_class(blockers, blockers->now, &first);

	*count = end ? end - first : 0;
	return end ? &blockers->all.list[first] : NULL;
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

	blockers->near[index].is_known = false;
	find_offers(blockers, index, &blockers->found);
	*own = blockers->found;
	blockers->found = before;
	return !are_equal(own, &before);
}

/* A holder ends or comes back.  Does that change the room of any node? */
static bool set_holder_ended(struct tb_blockers *blockers, unsigned holder,
			     bool has_ended)
{
	bool differs = false;

	blockers->has_ended[holder] = has_ended;
	for (unsigned i = blockers->first_of[holder];
	     i < blockers->first_of[holder + 1]; i++)
		differs = find_again(blockers, blockers->nodes_of[i]) ||
			  holder_has_more(blockers, blockers->nodes_of[i],
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
		blockers->has_ended[i] = false;
	for (unsigned i = 0; i < blockers->nnodes; i++) {
		blockers->near[i].is_known = false;
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
			if (blockers->has_ended[i])
				tb_bitset_set(ended, i);
	}
	restore_holders(blockers);
	return found;
}

bool tb_blockers_fits(struct tb_blockers *blockers)
{
	return offers_suffice(blockers, blockers->now);
}

unsigned tb_blockers_room(const struct tb_blockers *blockers, unsigned node)
{
	return limit_by_devices(blockers, node,
				tb_node_offers_most(&blockers->now[node],
						    blockers->need));
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

static int make_use(struct tb_blockers *blockers)
{
	unsigned most = 1;

	if (blockers->need->share < 2)
		return 0;
	for (unsigned i = 0; i < blockers->nnodes; i++) {
		unsigned threads = tb_topology_threads(
			blockers->nodes[i].topology);

		most = threads > most ? threads : most;
	}
	blockers->use = calloc(most, sizeof(*blockers->use));
	blockers->own = calloc(most, sizeof(*blockers->own));
	return blockers->use && blockers->own ? 0 : -1;
}

static int make_pools(struct tb_blockers *blockers)
{
	unsigned most = 1;

	for (unsigned i = 0; i < blockers->nnodes; i++)
		if (blockers->nodes[i].npools > most)
			most = blockers->nodes[i].npools;
	blockers->pools = calloc(most, sizeof(*blockers->pools));
	return blockers->pools ? 0 : -1;
}

static int make_numa(struct tb_blockers *blockers)
{
	unsigned most = 1;

	for (unsigned i = 0; i < blockers->nnodes; i++) {
		const struct tb_numa_nodes *numa = blockers->nodes[i].numa;

		if (numa && numa->count > most)
			most = numa->count;
	}
	blockers->numa_free = calloc(most, sizeof(*blockers->numa_free));
	return blockers->numa_free ? 0 : -1;
}

static int make_thread_sets(struct tb_blockers *blockers)
{
	for (unsigned i = 0; i < blockers->nnodes; i++) {
		unsigned threads = tb_topology_threads(
			blockers->nodes[i].topology);

		blockers->used[i] = tb_bitset_create(threads);
		if (!blockers->used[i])
			return -1;
	}
	return 0;
}

static int make_blocker_tables(struct tb_blockers *blockers)
{
	size_t nodes = blockers->nnodes, holders = blockers->nholders;

	blockers->used = tb_array_create(nodes, sizeof(*blockers->used));
	blockers->near = tb_array_create(nodes, sizeof(*blockers->near));
	blockers->now = tb_array_create(nodes, sizeof(*blockers->now));
	blockers->offers = tb_array_create(nodes, sizeof(*blockers->offers));
	blockers->slots = tb_array_create(nodes, sizeof(*blockers->slots));
	blockers->nslots = blockers->nnodes;
	blockers->has_ended = tb_array_create(holders,
					      sizeof(*blockers->has_ended));
	blockers->order = tb_array_create(holders, sizeof(*blockers->order));
	blockers->first_of = tb_array_create(holders + 1,
					     sizeof(*blockers->first_of));
	blockers->nodes_of = tb_array_create(count_holder_jobs(blockers),
					     sizeof(*blockers->nodes_of));
	if (!blockers->used || !blockers->near || !blockers->now ||
	    !blockers->offers || !blockers->slots || !blockers->has_ended ||
	    !blockers->order || !blockers->first_of || !blockers->nodes_of)
		return -1;
	return make_use(blockers) || make_pools(blockers) || make_numa(blockers)
		       ? -1
		       : make_thread_sets(blockers);
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
		find_offers(blockers, i, &blockers->now[i]);
		copy_offers(&blockers->offers[i], &blockers->now[i]);
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
		if (blockers->now)
			tb_offer_list_clear(&blockers->now[i]);
		if (blockers->offers)
			tb_offer_list_clear(&blockers->offers[i]);
		if (blockers->near)
			free(blockers->near[i].with);
	}
	free(blockers->near);
	tb_offer_list_clear(&blockers->found);
	tb_offer_list_clear(&blockers->all);
	free(blockers->use);
	free(blockers->own);
	free(blockers->pools);
	free(blockers->numa_free);
	free(blockers->used);
	free(blockers->now);
	free(blockers->offers);
	free(blockers->slots);
	free(blockers->has_ended);
	free(blockers->order);
	free(blockers->first_of);
	free(blockers->nodes_of);
	free(blockers);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "class_search.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

#include "near_devices.h"
#include "reach.h"

/* Near so many devices for all nodes those of one are placed. */
#define NEAR_MOST 64

/* Slots of a node that are near devices, until a holder there ends or comes back. */
struct tb_near_node {
	bool is_known;
	struct tb_offer offer; /* of these slots */
	struct tb_reach_node node;
	struct tb_reach_range *with; /* owned, NEAR_MOST + 1 */
};

/* ---- what each node must have ---- */

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
static bool holds_enough(const struct tb_class_search *search, unsigned node,
			 uint32_t tasks)
{
	const struct tb_need *need = search->held->need;

	return !tb_held_lacks_memory(search->held, node) &&
	       (tasks || (!need->ndevices && !need->cpu_memory)) &&
	       (need->request->type == TB_HOST ||
		tasks >= count_slots_of_each(need));
}

/* ---- units near devices ---- */

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
	struct tb_held_nodes *held;
	struct tb_offer offer;
};

static uint32_t place_near(void *arg, uint32_t slots)
{
	const struct near_slots *near = arg;
	uint32_t placed = tb_held_place(near->held, near->offer.node,
					&near->offer, slots);

	return placed < slots ? placed : slots;
}

/* tasks: that it holds at most */
static struct tb_reach_range find_near_range(struct tb_class_search *search,
					     const struct tb_offer *offer,
					     uint32_t each, uint32_t tasks,
					     uint32_t devices)
{
	const struct tb_need *need = search->held->need;
	struct near_slots near = { search->held, *offer };
	struct tb_reach_range range;

	near.offer.devices = devices;
	range = need->request->type == TB_HOST
			? tb_near_tasks_of_host(place_near, &near, each, tasks)
			: tb_near_slots(place_near, &near, each, offer->slots);
	if (range.most > tasks)
		range.most = tasks >= range.least ? tasks : 0;
	return tb_devices_range_with(&need->devices[0], range, devices);
}

static struct tb_reach_node find_near_node(struct tb_class_search *search,
					   const struct tb_offer *offer,
					   uint32_t each,
					   struct tb_reach_range *with)
{
	const struct tb_devices_asked *asked = &search->held->need->devices[0];
	uint32_t tasks = tb_held_tasks(search->held, offer);
	uint32_t free = tb_held_devices(search->held, offer->node, 0);
	struct tb_reach_node node = {
		.required = search->held->nodes[offer->node].required,
		.with = with,
	};

	if (!holds_enough(search, offer->node, tasks))
		return node;
	if (!asked->per_job) {
		with[0] = find_near_range(search, offer, each, tasks, 0);
		return node;
	}
	for (uint32_t i = 1; i <= free && i <= asked->per_job && i <= NEAR_MOST;
	     i++)
		with[node.devices = i] = find_near_range(search, offer, each,
							 tasks, i);
	return node;
}

static bool is_same_offer(const struct tb_offer *a, const struct tb_offer *b)
{
	return a->slots == b->slots && !tb_classes_compare(a, b) &&
	       a->unit_size == b->unit_size && a->whole == b->whole;
}

/* What is known of the node already, or is found now.  False: out of memory. */
static bool know_near_node(struct tb_class_search *search,
			   const struct tb_offer *offer, uint32_t each,
			   struct tb_reach_node *node)
{
	struct tb_near_node *near = &search->near[offer->node];

	if (!near->with)
		near->with = tb_array_create(NEAR_MOST + 1,
					     sizeof(*near->with));
	if (!near->with)
		return false;
	if (!near->is_known || !is_same_offer(&near->offer, offer)) {
		memset(near->with, 0, (NEAR_MOST + 1) * sizeof(*near->with));
		near->offer = *offer;
		near->node = find_near_node(search, offer, each, near->with);
		near->is_known = true;
	}
	*node = near->node;
	return true;
}

static bool reaches_near(struct tb_class_search *search, unsigned first,
			 unsigned end)
{
	const struct tb_need *need = search->held->need;
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
		known = know_near_node(search, &search->all.list[i], each,
				       &nodes[i - first]);
	if (known)
		reached = tb_devices_reach(&need->devices[0], nodes,
					   end - first, job);
	free(nodes);
	return reached != TB_NOT_REACHED;
}

/* ---- devices for all nodes ---- */

/* Are the devices for all nodes there, too? */
static bool devices_suffice(const struct tb_class_search *search, unsigned kind,
			    unsigned first, unsigned end)
{
	const struct tb_need *need = search->held->need;
	const struct tb_devices_asked *asked = &need->devices[kind];
	struct tb_devices_node *nodes;
	struct tb_reach_job job;
	bool shared = tb_devices_count_tasks(asked, &need->asked), suffice;
	uint32_t count = 0, each;

	nodes = tb_array_create(end - first, sizeof(*nodes));
	if (!nodes)
		return true;
	for (unsigned i = first; i < end; i++) {
		const struct tb_offer *offer = &search->all.list[i];
		uint32_t tasks = tb_held_tasks(search->held, offer);

		if (holds_enough(search, offer->node, tasks))
			nodes[count++] = (struct tb_devices_node){
				shared ? need->asked.tasks : tasks,
				tb_held_devices(search->held, offer->node,
						kind),
				search->held->nodes[offer->node].required,
			};
	}
	job = tb_devices_job(&need->asked, need->request->type == TB_HOST,
			     asked, count_least_nodes(need),
			     get_most_nodes(need), &each);
	suffice = tb_devices_suffice(asked, &job, each, nodes, count);
	free(nodes);
	return suffice;
}

static bool all_devices_suffice(struct tb_class_search *search, unsigned first,
				unsigned end)
{
	const struct tb_need *need = search->held->need;

	if (must_reach_near(need))
		return reaches_near(search, first, end);
	for (unsigned i = 0; i < need->ndevices; i++)
		if ((need->devices[i].per_job ||
		     tb_devices_count_tasks(&need->devices[i], &need->asked)) &&
		    !devices_suffice(search, i, first, end))
			return false;
	return true;
}

/* ---- slots ---- */

/* Have the offers [first, end) of a class the slots? */
static bool slots_suffice(const struct tb_class_search *search, unsigned first,
			  unsigned end)
{
	const struct tb_need *need = search->held->need;
	uint32_t most_nodes = get_most_nodes(need);
	uint32_t least_nodes = count_least_nodes(need), required = 0, count = 0;

	for (unsigned i = first; i < end; i++) {
		const struct tb_offer *offer = &search->all.list[i];
		bool is_required = search->held->nodes[offer->node].required;
		uint32_t tasks = tb_held_tasks(search->held, offer);

		if (!holds_enough(search, offer->node, tasks))
			continue;
		search->slots[count++] = (struct tb_node_slots){
			.slots = tasks,
			.required = is_required,
		};
		required += is_required;
	}
	return required == search->nrequired && required <= most_nodes &&
	       count >= least_nodes && most_nodes >= least_nodes &&
	       tb_most_slots(search->slots, count, required, most_nodes) >=
		       tb_asked_slots(&need->asked);
}

static bool has_room_for_all(struct tb_class_search *search)
{
	struct tb_node_slots *slots;

	if (search->all.count <= search->nslots)
		return true;
	slots = realloc(search->slots, search->all.count * sizeof(*slots));
	if (!slots)
		return false;
	search->slots = slots;
	search->nslots = search->all.count;
	return true;
}

/* ---- classes ---- */

unsigned tb_class_search_find(struct tb_class_search *search,
			      const struct tb_offer_list *offers,
			      unsigned *first)
{
	enum tb_type type = search->held->need->request->type;
	struct tb_offer_list *all = &search->all;
	unsigned end;

	all->count = 0;
	for (unsigned i = 0; i < search->held->nnodes; i++)
		for (unsigned j = 0; j < offers[i].count; j++)
			tb_offer_list_add(all, &offers[i].list[j]);
	if (!has_room_for_all(search))
		return 0;
	tb_classes_sort(type, all->list, all->count);
	for (*first = 0;
	     (end = tb_class_end(type, all->list, all->count, *first));
	     *first = end)
		if (slots_suffice(search, *first, end) &&
		    all_devices_suffice(search, *first, end))
			return end;
	return 0;
}

void tb_class_search_forget(struct tb_class_search *search, unsigned node)
{
	search->near[node].is_known = false;
}

int tb_class_search_init(struct tb_class_search *search,
			 struct tb_held_nodes *held)
{
	*search = (struct tb_class_search){
		.held = held,
		.slots = tb_array_create(held->nnodes, sizeof(*search->slots)),
		.nslots = held->nnodes,
		.near = tb_array_create(held->nnodes, sizeof(*search->near)),
	};
	if (!search->slots || !search->near)
		return -1;
	for (unsigned i = 0; i < held->nnodes; i++)
		search->nrequired += held->nodes[i].required;
	return 0;
}

void tb_class_search_clear(struct tb_class_search *search)
{
	for (unsigned i = 0; search->near && i < search->held->nnodes; i++)
		free(search->near[i].with);
	free(search->near);
	free(search->slots);
	tb_offer_list_clear(&search->all);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_reach.c - what each kind of node can have is found by placing; nodes that
 * share a remembered placement are of one kind
 */
#include "device_reach.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/device_counts.h"
#include "core/plan/near_devices.h"
#include "core/plan/reach_groups.h"

#include "network_groups.h"
#include "offer_placement.h"
#include "offer_sets.h"
#include "scale.h"

/* So many kinds are looked at; each takes some placements. */
#define KINDS_MAX 16
/* Of one kind so many nodes, and devices of a node. */
#define ALIKE_MAX 1024
#define DEVICES_MAX 64
/* So many rows of nodes of a contiguous job. */
#define WINDOWS_MAX 1024

struct kind {
	const struct tb_placed *placed; /* NULL: of one node */
	uint32_t tasks;			/* that it can have, at most */
	uint32_t free;			/* devices */
	uint32_t taken;			/* nodes of this kind */
	uint32_t group, taken_there; /* of the last one; and those before it */
	uint32_t devices;
	struct tb_reach_range with[DEVICES_MAX + 1];
};

struct reach {
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_devices_asked asked;
	uint32_t each;	 /* slots that a node must have; 0: any number */
	uint32_t shared; /* tasks, of which one slot holds any number; or 0 */
	bool memory;	 /* counts */
	bool in_use;	 /* and so does what jobs have of it now */
	struct tb_reach_job job;
	struct kind *kinds;
	uint32_t nkinds;
	struct tb_reach_node *nodes;
	uint32_t *offer_of; /* each of these nodes */
	uint32_t count;
	uint32_t most_groups; /* of nodes that lie together; 0: any number */
	struct tb_network_groups groups;
	bool complete; /* all nodes were looked at */
	uint32_t found_first,
		found_count; /* the nodes that were found are here */
};

/* --- one node ------------------------------------------------------------------ */

struct probe {
	const struct reach *reach;
	struct tb_offer offer;
};

/* How many of the slots can it have?  TB_HOST: is it a host, 1 or 0? */
static uint32_t place(void *arg, uint32_t slots)
{
	const struct probe *probe = arg;
	const struct reach *reach = probe->reach;

	return MIN(slots,
		   tb_offers_place(reach->offers, reach->test, &probe->offer,
				   tb_node_shape(probe->offer.node), slots)
			   ->slots);
}

static struct tb_reach_range find_range(const struct reach *reach,
					const struct tb_offer *offer,
					uint32_t devices)
{
	struct probe probe = { reach, *offer };

	probe.offer.devices = devices;
	if (reach->offers->request->type == TB_SLOT)
		return tb_near_slots(place, &probe, reach->each, offer->slots);
	return tb_near_tasks_of_host(place, &probe, reach->each,
				     tb_offer_holds(reach->offers, reach->test,
						    &probe.offer));
}

static struct tb_reach_range find_range_with(const struct reach *reach,
					     const struct tb_offer *offer,
					     const struct kind *kind,
					     uint32_t devices)
{
	bool near = tb_devices_must_be_near(reach->offers->devices);
	struct tb_reach_range range = near ? find_range(reach, offer, devices)
					   : tb_devices_range(&reach->asked,
							      reach->each,
							      kind->tasks,
							      kind->free);

	range.most = MIN(range.most, kind->tasks);
	if (range.most < range.least)
		range.most = 0;
	return tb_devices_range_with(&reach->asked, range, devices);
}

/* Of a node.  UINT64_MAX: it is not counted. */
static uint64_t count_memory(const struct reach *reach, uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];
	uint64_t memory = record->real_memory -
			  MIN(record->real_memory, record->mem_spec_limit);

	if (!reach->memory)
		return UINT64_MAX;
	if (reach->in_use)
		memory -= MIN(memory, tb_node_memory_in_use(node));
	return memory;
}

/* On a node; those that it has memory for, where some goes with each. */
static uint32_t count_devices(const struct reach *reach, uint32_t node,
			      uint64_t memory)
{
	uint32_t free = tb_devices_count(reach->offers->devices, node,
					 reach->offers->view);

	return reach->asked.megabytes
		       ? MIN(free, memory / reach->asked.megabytes)
		       : free;
}

/* Tasks that find their CPUs and memory there, and that the job lets be there. */
static uint32_t count_tasks(const struct reach *reach,
			    const struct tb_offer *offer, uint64_t memory)
{
	const job_details_t *details = reach->test->job->details;
	uint64_t wanted = details->pn_min_memory & ~MEM_PER_CPU;
	uint32_t tasks = tb_offer_holds(reach->offers, reach->test, offer);

	if (reach->shared && tasks)
		return reach->shared;
	if (details->ntasks_per_node && !details->overcommit)
		tasks = MIN(tasks, details->ntasks_per_node);
	if (reach->asked.megabytes || memory == UINT64_MAX)
		return tasks;
	if (!(details->pn_min_memory & MEM_PER_CPU))
		return wanted > memory ? 0 : tasks;
	return tb_offer_tasks_in_memory(offer, reach->offers->request->type,
					tasks, wanted, memory);
}

static void look_at_node(struct reach *reach, const struct tb_offer *offer,
			 struct kind *kind)
{
	/* Nothing is known of those that Slurm only counts. */
	if (!tb_gres_places(reach->test->job, 0, offer->node))
		reach->complete = false;
	if (!reach->asked.per_job) {
		if (kind->free >= reach->asked.per_node + reach->asked.per_task)
			kind->with[0] = find_range_with(reach, offer, kind, 0);
		return;
	}
	kind->devices = MIN(kind->free, reach->asked.per_job);
	if (kind->devices > DEVICES_MAX) {
		kind->devices = DEVICES_MAX;
		reach->complete = false;
	}
	for (uint32_t i = 1; i <= kind->devices; i++)
		kind->with[i] = find_range_with(reach, offer, kind, i);
}

/* --- all nodes ----------------------------------------------------------------- */

static struct kind *find_kind(struct reach *reach, const struct tb_offer *offer)
{
	uint64_t memory = count_memory(reach, offer->node);
	uint32_t free = count_devices(reach, offer->node, memory);
	uint32_t tasks = count_tasks(reach, offer, memory);
	struct kind *kind = reach->kinds;

	while (offer->placed && kind < reach->kinds + reach->nkinds) {
		if (kind->placed == offer->placed && kind->free == free &&
		    kind->tasks == tasks)
			return kind;
		kind++;
	}
	if (reach->nkinds == KINDS_MAX)
		return NULL;
	kind = &reach->kinds[reach->nkinds++];
	kind->placed = offer->placed;
	kind->free = free;
	kind->tasks = tasks;
	look_at_node(reach, offer, kind);
	return kind;
}

static bool is_contiguous(const struct reach *reach)
{
	return reach->test->job->details->contiguous;
}

static bool is_required(const struct reach *reach, uint32_t node)
{
	bitstr_t *required = reach->test->job->details->req_node_bitmap;

	return required && bit_test(required, node);
}

/* The node of one of those that were added. */
static uint32_t node_of(const struct reach *reach, uint32_t index)
{
	return reach->offers->list[reach->offer_of[index]].node;
}

/* Offers of a class lie in the order of their nodes. */
static bool has_node(const struct reach *reach, uint32_t node)
{
	return reach->count && node_of(reach, reach->count - 1) == node;
}

static uint32_t find_group(struct reach *reach, uint32_t node)
{
	return reach->most_groups ? tb_network_group(&reach->groups, node) : 0;
}

/* More nodes of a kind than the job can have, all in one group, are not needed. */
static bool has_enough(const struct reach *reach, struct kind *kind,
		       uint32_t group)
{
	if (kind->group != group) {
		kind->group = group;
		kind->taken_there = 0;
	}
	return !is_contiguous(reach) &&
	       kind->taken_there >= reach->job.max_nodes;
}

static void add_node(struct reach *reach, uint32_t index)
{
	const struct tb_offer *offer = &reach->offers->list[index];
	bool required = is_required(reach, offer->node);
	struct kind *kind;
	uint32_t group;

	if (!tb_gres_node_has_all(reach->test->job, offer->node))
		return;
	/* Of a node with offers of several sizes of units one is looked at. */
	kind = has_node(reach, offer->node) ? NULL : find_kind(reach, offer);
	if (!kind) {
		reach->complete = false;
		return;
	}
	group = find_group(reach, offer->node);
	if (has_enough(reach, kind, group) && !required)
		return;
	if (kind->taken >= ALIKE_MAX) {
		reach->complete = false;
		return;
	}
	kind->taken++;
	kind->taken_there++;
	reach->offer_of[reach->count] = index;
	reach->nodes[reach->count++] = (struct tb_reach_node){
		.required = required,
		.devices = kind->devices,
		.with = kind->with,
		.group = group,
	};
}

static bool memory_is_consumed(const job_record_t *job)
{
	uint16_t consumed = job->part_ptr && job->part_ptr->cr_type
				    ? job->part_ptr->cr_type
				    : slurm_conf.select_type_param;

	return consumed & SELECT_MEMORY;
}

/* The job's part: how many slots, on how many nodes. */
static void set_job(struct reach *reach)
{
	const struct tb_test *test = reach->test;
	struct tb_asked asked = tb_job_asked(test->job);

	reach->job = tb_devices_job(&asked,
				    reach->offers->request->type == TB_HOST,
				    &reach->asked, test->min_nodes,
				    test->max_nodes, &reach->each);
	if (tb_devices_count_tasks(&reach->asked, &asked))
		reach->shared = asked.tasks;
}

/*
 * Of a job that the site binds select/cons_tres deals out the tasks.  But for a later start
 * it takes a GPU for free that another job has a part of: those that are are counted.
 */
static bool is_counted(const struct tb_test *test,
		       const struct tb_devices *devices)
{
	return !test->implicit_cpus || (tb_test_mode(test) == TB_WILL_RUN &&
					!tb_devices_must_be_near(devices));
}

/* Tasks that share units: which are near the devices of each nobody knows. */
static bool can_search(struct reach *reach)
{
	return is_counted(reach->test, reach->offers->devices) &&
	       !tb_job_is_asked_in_part(reach->test->job) &&
	       tb_devices_asked_one(reach->offers->devices, &reach->asked) &&
	       !(reach->asked.per_task &&
		 (reach->offers->request->type == TB_HOST ||
		  reach->test->job->details->overcommit) &&
		 tb_devices_must_be_near(reach->offers->devices));
}

static bool begin(struct reach *reach, struct tb_offers *offers,
		  const struct tb_test *test, uint32_t nodes, bool now)
{
	*reach = (struct reach){ .offers = offers,
				 .test = test,
				 .memory = memory_is_consumed(test->job),
				 .complete = true };
	reach->in_use = now && reach->memory;
	if (!can_search(reach))
		return false;
	set_job(reach);
	reach->most_groups = tb_job_most_groups(test->job);
	if (reach->in_use)
		tb_nodes_look_at_memory();
	reach->kinds = xcalloc(MIN(nodes, KINDS_MAX) + 1,
			       sizeof(*reach->kinds));
	reach->nodes = xcalloc(nodes + 1, sizeof(*reach->nodes));
	reach->offer_of = xcalloc(nodes + 1, sizeof(*reach->offer_of));
	return true;
}

static void end(struct reach *reach)
{
	xfree(reach->kinds);
	xfree(reach->nodes);
	xfree(reach->offer_of);
	tb_network_groups_clear(&reach->groups);
}

/*
 * If need be on nodes of more groups: some time the job may have these.  Some nodes
 * that were not looked at could do what the others cannot.
 */
static enum tb_reached find(struct reach *reach)
{
	enum tb_reached reached = TB_NOT_REACHED;

	reach->found_count = reach->count;
	if (reach->most_groups)
		reached = tb_reach_in_groups(reach->nodes, reach->count,
					     &reach->job, reach->groups.count,
					     reach->most_groups);
	if (reached != TB_REACHED)
		reached = tb_reach(reach->nodes, reach->count, &reach->job);
	return reached == TB_NOT_REACHED && !reach->complete ? TB_REACH_UNKNOWN
							     : reached;
}

/* Are all of them the job's?  Nodes that it requires are among them. */
static bool find_on_all(struct reach *reach, uint32_t first, uint32_t count)
{
	struct tb_reach_job job = reach->job;
	bitstr_t *all = reach->test->job->details->req_node_bitmap;
	uint32_t required = all ? bit_set_count(all) : 0;
	enum tb_reached reached;

	for (uint32_t i = first; i < first + count; i++)
		required -= reach->nodes[i].required;
	if (required)
		return false;
	job.min_nodes = job.max_nodes = count;
	for (uint32_t i = first; i < first + count; i++)
		reach->nodes[i].required = true;
	reached = tb_reach(reach->nodes + first, count, &job);
	for (uint32_t i = first; i < first + count; i++)
		reach->nodes[i].required = is_required(reach,
						       node_of(reach, i));
	return reached == TB_REACHED;
}

/* Does this node lie behind the one before it? */
static bool follows(const struct reach *reach, uint32_t index)
{
	return node_of(reach, index) == node_of(reach, index - 1) + 1;
}

/*
 * Some release takes others between nodes for none: that no such nodes are found says
 * nothing, but where units must be near devices, which it does not know of.
 */
static enum tb_reached find_contiguous(struct reach *reach)
{
	bool near = tb_devices_must_be_near(reach->offers->devices);
	uint32_t tries = WINDOWS_MAX;

	for (uint32_t first = 0; first < reach->count; first++)
		for (uint32_t count = 1;
		     first + count <= reach->count &&
		     count <= reach->job.max_nodes &&
		     (count == 1 || follows(reach, first + count - 1));
		     count++) {
			if (count < reach->job.min_nodes)
				continue;
			if (!tries--)
				return TB_REACH_UNKNOWN;
			if (!find_on_all(reach, first, count))
				continue;
			reach->found_first = first;
			reach->found_count = count;
			return TB_REACHED;
		}
	return near && reach->complete ? TB_NOT_REACHED : TB_REACH_UNKNOWN;
}

/* Those without devices were not added. */
static bool lacks_required_nodes(const struct reach *reach)
{
	const job_record_t *job = reach->test->job;
	bitstr_t *required = job->details->req_node_bitmap;

	if (!required)
		return false;
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(required, node) &&
		    !tb_gres_node_has_all(job, node))
			return true;
	return false;
}

static enum tb_reached find_nodes(struct reach *reach)
{
	if (lacks_required_nodes(reach))
		return TB_NOT_REACHED;
	return is_contiguous(reach) ? find_contiguous(reach) : find(reach);
}

static enum tb_reached find_one_each(struct reach *reach)
{
	return tb_devices_ask_one_each(&reach->asked, reach->nodes,
				       reach->count, &reach->job)
		       ? find_nodes(reach)
		       : TB_NOT_REACHED;
}

static uint32_t count_found(const struct reach *reach,
			    const struct tb_reach_node *found)
{
	if (reach->asked.per_job)
		return MAX(found->has, 1);
	return reach->asked.per_task ? reach->asked.per_task * found->slots
				     : reach->asked.per_node;
}

static struct tb_slot_deal *deal_as_found(const struct reach *reach)
{
	struct tb_slot_deal *deal = tb_slot_deal_create(reach->found_count);
	bool shared = reach->shared || reach->offers->request->type == TB_HOST;

	for (uint32_t i = 0; i < reach->found_count; i++) {
		uint32_t at = reach->found_first + i;
		const struct tb_reach_node *found = &reach->nodes[at];
		const struct tb_offer *offer =
			&reach->offers->list[reach->offer_of[at]];

		if (!found->slots)
			continue;
		tb_slot_deal_add(deal, offer, shared ? 1 : found->slots,
				 count_found(reach, found));
	}
	return deal;
}

enum tb_reached tb_device_reach(struct tb_offers *offers,
				const struct tb_test *test, uint32_t first,
				uint32_t end_of_class,
				struct tb_slot_deal **deal)
{
	enum tb_reached reached;
	struct reach reach;

	if (deal)
		*deal = NULL;
	/* Who only asks whether there are nodes may mean those of jobs that end. */
	if (!begin(&reach, offers, test, end_of_class - first,
		   deal && tb_test_mode(test) == TB_RUN_NOW))
		return TB_REACH_UNKNOWN;
	tb_devices_forget_selected(offers->devices);
	for (uint32_t i = first; i < end_of_class; i++)
		add_node(&reach, i);
	reached = find_nodes(&reach);
	if (reached == TB_NOT_REACHED)
		reached = find_one_each(&reach);
	if (reached == TB_REACHED && deal && !test->implicit_cpus)
		*deal = deal_as_found(&reach);
	end(&reach);
	return reached;
}

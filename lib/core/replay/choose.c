/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choose.c - see choose.h */
#include <stdlib.h>
#include <string.h>

#include "choose.h"

static enum tb_allocation get_policy(const struct tb_replay *replay)
{
	const struct tb_replay_policy *policy = replay->options->policy;

	return policy ? policy->nodes : TB_ALLOCATE_DEFAULT;
}

/* Does it leave plain jobs to select/cons_tres? */
static bool is_slurms(enum tb_allocation policy)
{
	return policy == TB_ALLOCATE_DEFAULT || policy == TB_ALLOCATE_SLURM;
}

/* ---- how many tasks each gets ---- */

/* One task on each of the nodes; the others on the first that may have more. */
static void deal_plain(struct tb_grant *choice, const struct tb_replay_job *job)
{
	uint32_t left = job->tasks - choice->nparts;

	for (unsigned i = 0; i < choice->nparts; i++) {
		uint32_t more = choice->parts[i].tasks - 1;

		if (more > left)
			more = left;
		choice->parts[i].tasks = 1 + more;
		left -= more;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct tb_part *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

/* One after the other. */
static void deal_slots(struct tb_replay *replay,
		       const struct tb_replay_job *job)
{
	struct tb_grant *choice = &replay->choice;
	struct tb_dealt *dealt = replay->dealt;

	for (unsigned i = 0; i < choice->nparts; i++)
		dealt[i] = (struct tb_dealt){ .most = choice->parts[i].tasks };
	tb_deal(dealt, choice->nparts, job->tasks);
	for (unsigned i = 0; i < choice->nparts; i++)
		choice->parts[i].tasks = dealt[i].slots;
}

/* As few of the first nodes as hold all, then in their own order. */
static void keep_first(struct tb_grant *choice, const struct tb_replay_job *job)
{
	uint64_t room = 0;
	unsigned nparts = 0;

	while (room < job->tasks || nparts < job->nodes)
		room += choice->parts[nparts++].tasks;
	choice->nparts = nparts;
	qsort(choice->parts, nparts, sizeof(*choice->parts), compare_parts);
}

/* ---- nodes with room ---- */

/* Those with room into choice. */
static void find_nodes(struct tb_replay *replay, const uint32_t *room)
{
	struct tb_grant *choice = &replay->choice;

	choice->nparts = 0;
	for (unsigned node = 0; node < replay->nnodes; node++)
		if (room[node])
			choice->parts[choice->nparts++] = (struct tb_part){
				node, room[node], NULL
			};
}

static bool choose_as_slurm(struct tb_replay *replay,
			    const struct tb_replay_job *job,
			    const uint32_t *room)
{
	struct tb_grant *choice = &replay->choice;

	choice->nparts = tb_plain_nodes(&replay->rooms, room, job, replay->sets,
					replay->nodes);
	for (unsigned i = 0; i < choice->nparts; i++) {
		const struct tb_plain_node *node = &replay->nodes[i];

		choice->parts[i] = (struct tb_part){
			node->node,
			job->request ? room[node->node] : node->tasks, NULL
		};
	}
	return choice->nparts;
}

bool tb_replay_choose_as_slurm(struct tb_replay *replay, unsigned index,
			       const uint32_t *room)
{
	return choose_as_slurm(replay, &replay->jobs[index], room);
}

static bool have_room(const struct tb_grant *choice,
		      const struct tb_replay_job *job)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < choice->nparts; i++)
		all += choice->parts[i].tasks;
	return all >= job->tasks && choice->nparts >= job->nodes;
}

/* A job of one node needs no other than those with room for all, if there are any. */
static void drop_small(struct tb_grant *choice, const struct tb_replay_job *job)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < choice->nparts; i++)
		if (choice->parts[i].tasks >= job->tasks)
			choice->parts[kept++] = choice->parts[i];
	if (kept)
		choice->nparts = kept;
}

/* ---- what a policy is told of them ---- */

/* Each of its other nodes has a slot, so what is offered of one has no more than this. */
static uint32_t get_offer(const struct tb_part *part,
			  const struct tb_replay_job *job)
{
	uint32_t most = job->tasks - (job->nodes - 1);

	return job->request && part->tasks > most ? most : part->tasks;
}

/* So many slots are placed to see what becomes of the node. */
static uint32_t count_placed(const struct tb_replay *replay, uint32_t offered,
			     const struct tb_node_need *need)
{
	uint64_t share = tb_node_need_share(need);

	return get_policy(replay) == TB_ALLOCATE_DEFAULT && share < offered
		       ? (uint32_t)share
		       : offered;
}

static int describe_fit(struct tb_replay *replay, unsigned index,
			const struct tb_floor *floor, unsigned node,
			uint32_t tasks, struct tb_candidate *candidate)
{
	const struct tb_fit *fit = tb_room_fit(&replay->rooms, floor,
					       tb_replay_kind(replay, index),
					       node, tasks);

	if (!fit)
		return -1;
	candidate->diameter = fit->diameter;
	candidate->broken = fit->broken;
	candidate->left = fit->left;
	return 0;
}

/* Of plain jobs CPUs count, which is all that slurmctld looks at. */
static void describe_cpus(const struct tb_replay *replay,
			  const struct tb_replay_job *job,
			  const struct tb_floor *floor,
			  const struct tb_node_need *need,
			  struct tb_candidate *candidate)
{
	uint64_t cpus = tb_rooms_free_cpus(&replay->rooms, floor,
					   candidate->node);

	candidate->holds *= job->task_cpus;
	candidate->left = (uint32_t)(candidate->holds < need->amount
					     ? cpus - candidate->holds
				     : need->amount < cpus ? cpus - need->amount
							   : 0);
}

static int describe_node(struct tb_replay *replay, unsigned index,
			 const struct tb_floor *floor,
			 const struct tb_node_need *need,
			 const struct tb_part *part,
			 struct tb_candidate *candidate)
{
	const struct tb_replay_policy *policy = replay->options->policy;
	const struct tb_replay_job *job = &replay->jobs[index];
	uint32_t offered = get_offer(part, job);

	*candidate = (struct tb_candidate){
		.node = part->node,
		.holds = offered,
		.most = UINT64_MAX,
		.gap = TB_GAP_NONE,
		.size = tb_rooms_part(&replay->rooms,
				      tb_rooms_cpus(&replay->rooms,
						    part->node)),
		.rest = tb_rooms_part(&replay->rooms,
				      tb_rooms_free_cpus(&replay->rooms, floor,
							 part->node)),
		.speed = policy && policy->speeds ? policy->speeds[part->node]
						  : 0,
	};
	if (!job->request)
		describe_cpus(replay, job, floor, need, candidate);
	else if (tb_policy_looks_at_fit(get_policy(replay)))
		return describe_fit(replay, index, floor, part->node,
				    count_placed(replay, offered, need),
				    candidate);
	return 0;
}

static int describe_nodes(struct tb_replay *replay, unsigned index,
			  const struct tb_floor *floor,
			  const struct tb_node_need *need)
{
	for (unsigned i = 0; i < replay->choice.nparts; i++)
		if (describe_node(replay, index, floor, need,
				  &replay->choice.parts[i],
				  &replay->candidates[i]))
			return -1;
	return 0;
}

/* ---- topobind's default ---- */

/* Those with room for all of a job are as good as each other. */
static int choose_by_default(struct tb_replay *replay, unsigned index,
			     const struct tb_floor *floor, const uint32_t *room)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	struct tb_grant *choice = &replay->choice;
	struct tb_node_need need = { .amount = job->tasks,
				     .nodes = job->nodes };

	if (job->nodes == 1)
		drop_small(choice, job);
	if (describe_nodes(replay, index, floor, &need))
		return -1;
	tb_allocation_order(TB_ALLOCATE_DEFAULT, replay->candidates,
			    choice->nparts, &need);
	for (unsigned i = 0; i < choice->nparts; i++) {
		unsigned node = replay->candidates[i].node;

		choice->parts[i] = (struct tb_part){ node, room[node], NULL };
	}
	keep_first(choice, job);
	return 1;
}

/* ---- another policy ---- */

/* The candidates in the order of the policy. */
struct row {
	uint32_t count, enough;
};

/* select/cons_tres chooses among the first ones.  A slot has a core at least. */
static bool try_first(struct tb_replay *replay, unsigned index,
		      const uint32_t *room, uint32_t count)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	struct tb_replay_job call = *job;

	if (job->request && call.task_cpus < replay->rooms.most_per_core)
		call.task_cpus = replay->rooms.most_per_core;
	memset(replay->offered, 0, replay->nnodes * sizeof(*replay->offered));
	for (uint32_t i = 0; i < count; i++) {
		unsigned node = replay->candidates[i].node;
		struct tb_part part = { node, room[node], NULL };

		replay->offered[node] = get_offer(&part, job);
	}
	return choose_as_slurm(replay, &call, replay->offered) &&
	       have_room(&replay->choice, job);
}

/* Up to refused they do not hold it: which are the fewest of the first ones that do? */
static void try_fewest(struct tb_replay *replay, unsigned index,
		       const uint32_t *room, uint32_t refused,
		       uint32_t accepted)
{
	bool fits = true;

	while (accepted - refused > 1) {
		uint32_t half = refused + (accepted - refused) / 2;

		fits = try_first(replay, index, room, half);
		if (fits)
			accepted = half;
		else
			refused = half;
	}
	if (!fits)
		try_first(replay, index, room, accepted);
}

/* The first that suffice as far as is known, and more if they do not. */
static bool try_row(struct tb_replay *replay, unsigned index,
		    const uint32_t *room, const struct row *row)
{
	enum tb_allocation policy = get_policy(replay);
	uint32_t tried = row->enough ? row->enough : 1, refused = 0;
	bool fits = try_first(replay, index, room, tried);

	while (!fits && tried < row->count) {
		refused = tried;
		tried = tb_allocation_widen(policy, tried, row->count);
		fits = try_first(replay, index, room, tried);
	}
	if (fits && refused)
		try_fewest(replay, index, room, refused, tried);
	return fits;
}

static int choose_by_policy(struct tb_replay *replay, unsigned index,
			    const struct tb_floor *floor, const uint32_t *room)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	uint64_t cpus = job->request ? 1 : job->task_cpus;
	struct tb_node_need need = { .amount = job->tasks * cpus,
				     .nodes = job->nodes };
	struct row row = { .count = replay->choice.nparts };

	if (describe_nodes(replay, index, floor, &need))
		return -1;
	row.enough = tb_allocation_order(get_policy(replay), replay->candidates,
					 row.count, &need);
	return try_row(replay, index, room, &row);
}

/* ---- all of it ---- */

int tb_replay_choose(struct tb_replay *replay, unsigned index,
		     const struct tb_floor *floor, const uint32_t *room)
{
	const struct tb_replay_job *job = &replay->jobs[index];
	enum tb_allocation policy = get_policy(replay);
	struct tb_grant *choice = &replay->choice;
	int chosen;

	if (!job->request && is_slurms(policy)) {
		chosen = tb_replay_choose_as_slurm(replay, index, room) &&
			 have_room(choice, job);
	} else {
		find_nodes(replay, room);
		if (!have_room(choice, job))
			return 0;
		chosen = policy == TB_ALLOCATE_DEFAULT
				 ? choose_by_default(replay, index, floor, room)
				 : choose_by_policy(replay, index, floor, room);
	}
	if (chosen <= 0)
		return chosen;
	if (job->request)
		deal_slots(replay, job);
	else
		deal_plain(choice, job);
	return 1;
}

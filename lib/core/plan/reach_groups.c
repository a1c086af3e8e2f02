/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reach_groups.c - one choice of groups after the other */
#include "reach_groups.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "suffice.h"

/* So many choices are looked at. */
#define CHOICES_MAX 1024

struct choice {
	struct tb_reach_node *nodes;
	uint32_t count;
	const struct tb_reach_job *job;
	uint32_t ngroups;
	bool *chosen;		    /* each group */
	struct tb_reach_node *some; /* nodes of these groups */
	uint32_t left;		    /* of the choices */
	/* Do so many of them reach? */
	enum tb_reached (*reach)(struct choice *choice, uint32_t count);
};

static enum tb_reached reach_all(struct choice *choice, uint32_t count)
{
	return tb_reach(choice->some, count, choice->job);
}

/* Have those of them with slots enough together? */
static bool slots_suffice(const struct tb_reach_job *job,
			  struct tb_node_slots *slots, uint32_t count,
			  uint32_t required)
{
	return count >= job->min_nodes && required <= job->max_nodes &&
	       tb_most_slots(slots, count, required, job->max_nodes) >=
		       job->slots;
}

static enum tb_reached reach_slots(struct choice *choice, uint32_t count)
{
	struct tb_node_slots *slots = tb_array_create(count, sizeof(*slots));
	uint32_t listed = 0, required = 0, lacking = 0;
	bool suffice;

	if (!slots)
		return TB_REACH_UNKNOWN;
	for (uint32_t i = 0; i < count; i++) {
		struct tb_reach_node *node = &choice->some[i];

		node->slots = node->with[0].most;
		node->has = 0;
		required += node->required;
		lacking += node->required && !node->slots;
		if (node->slots)
			slots[listed++] = (struct tb_node_slots){
				node->slots, node->required
			};
	}
	suffice = !lacking &&
		  slots_suffice(choice->job, slots, listed, required);
	free(slots);
	return suffice ? TB_REACHED : TB_NOT_REACHED;
}

/* False: one that the job requires is in another group. */
static bool list_nodes(struct choice *choice, uint32_t *count)
{
	*count = 0;
	for (uint32_t i = 0; i < choice->count; i++) {
		const struct tb_reach_node *node = &choice->nodes[i];

		if (choice->chosen[node->group])
			choice->some[(*count)++] = *node;
		else if (node->required)
			return false;
	}
	return true;
}

static void take_result(struct choice *choice)
{
	const struct tb_reach_node *found = choice->some;

	for (uint32_t i = 0; i < choice->count; i++) {
		struct tb_reach_node *node = &choice->nodes[i];

		if (choice->chosen[node->group])
			*node = *found++;
		else
			node->slots = node->has = 0;
	}
}

static enum tb_reached try_choice(struct choice *choice)
{
	enum tb_reached reached;
	uint32_t count;

	if (!choice->left--)
		return TB_REACH_UNKNOWN;
	if (!list_nodes(choice, &count))
		return TB_NOT_REACHED;
	reached = choice->reach(choice, count);
	if (reached == TB_REACHED)
		take_result(choice);
	return reached;
}

/* With so many more groups, from this one on. */
static enum tb_reached choose(struct choice *choice, uint32_t first,
			      uint32_t more)
{
	enum tb_reached reached = TB_NOT_REACHED;

	if (!more)
		return try_choice(choice);
	for (uint32_t i = first;
	     reached == TB_NOT_REACHED && more <= choice->ngroups - i; i++) {
		choice->chosen[i] = true;
		reached = choose(choice, i + 1, more - 1);
		choice->chosen[i] = false;
	}
	return reached;
}

/* The fewest groups, and no more than most. */
static enum tb_reached choose_fewest(struct choice *choice, uint32_t most)
{
	enum tb_reached reached = TB_NOT_REACHED;

	choice->left = CHOICES_MAX;
	choice->chosen = tb_array_create(choice->ngroups,
					 sizeof(*choice->chosen));
	choice->some = tb_array_create(choice->count, sizeof(*choice->some));
	if (!choice->chosen || !choice->some)
		reached = TB_REACH_UNKNOWN;
	for (uint32_t groups = 1; reached == TB_NOT_REACHED && groups <= most &&
				  groups <= choice->ngroups;
	     groups++)
		reached = choose(choice, 0, groups);
	free(choice->chosen);
	free(choice->some);
	return reached;
}

enum tb_reached tb_reach_in_groups(struct tb_reach_node *nodes, uint32_t count,
				   const struct tb_reach_job *job,
				   uint32_t ngroups, uint32_t most)
{
	struct choice choice = { nodes, count, job, ngroups,
				 .reach = reach_all };

	return choose_fewest(&choice, most);
}

enum tb_reached tb_reach_few_groups(struct tb_reach_node *nodes, uint32_t count,
				    const struct tb_reach_job *job,
				    uint32_t ngroups, uint32_t most)
{
	struct choice choice = { nodes, count, job, ngroups,
				 .reach = reach_slots };

	return choose_fewest(&choice, most);
}

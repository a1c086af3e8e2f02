/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node_score.h"

#include <math.h>
#include <stdlib.h>

#include "compat/select_compat.h"

#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/nodes.h"

#include "site_policies.h"

/* The question for one job. */
struct question {
	const struct tb_node_facts *facts;
	struct topobind_policy_job job;
	char *binding;
};

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static void begin_question(struct question *question,
			   const struct tb_node_facts *facts,
			   const struct tb_node_need *need)
{
	const struct tb_node_choice *choice = facts->choice;
	const job_record_t *job = facts->job;
	char *binding = choice->bound ? tb_request_print(choice->request)
				      : NULL;

	*question = (struct question) {
		.facts = facts, .binding = binding,
		.job = {
			.size = sizeof(question->job),
			.id = job->job_id,
			.user = job->user_id,
			.name = or_empty(job->name),
			.partition = or_empty(tb_job_partition(job)),
			.account = or_empty(job->account),
			.binding = or_empty(binding),
			.amount = need->amount,
			.min_nodes = need->nodes,
			.max_nodes = need->most_nodes,
			.start = facts->start,
			.end = facts->end,
		},
	};
}

static bool get_component(const void *arg, uint32_t node,
			  const struct tb_priority_term *term, double *value)
{
	*value = tb_node_component(arg, term->component, node);
	return true;
}

static void add_record(struct topobind_policy_node *told, uint32_t node)
{
	const node_record_t *record = node_record_table_ptr[node];
	const config_record_t *config = record->config_ptr;

	told->name = or_empty(record->name);
	told->features = or_empty(record->features_act ? record->features_act
						       : record->features);
	told->gres = or_empty(config ? config->gres : NULL);
	told->extra = or_empty(record->extra);
	told->weight = record->weight;
}

static void add_candidate(struct topobind_policy_node *told,
			  const struct tb_candidate *candidate)
{
	told->is_required = candidate->required;
	told->gap = candidate->gap == TB_GAP_NONE ? INFINITY
						  : (double)candidate->gap;
	told->holds = (double)candidate->holds;
	told->broken = candidate->broken;
	told->left = candidate->left;
	told->diameter = (double)candidate->diameter;
}

static bool score(const struct question *question,
		  struct tb_candidate *candidate)
{
	struct topobind_policy_node told;

	tb_site_policy_fill(&told, candidate->node, get_component,
			    question->facts);
	add_record(&told, candidate->node);
	add_candidate(&told, candidate);
	return tb_site_policy_ask(question->facts->choice->plugin,
				  &question->job, &told, &candidate->priority);
}

bool tb_candidates_score(struct tb_candidate *list, uint32_t count,
			 const struct tb_node_facts *facts,
			 const struct tb_node_need *need)
{
	struct question question;
	bool works = true;

	if (facts->choice->policy != TB_ALLOCATE_PLUGIN)
		return true;
	begin_question(&question, facts, need);
	for (uint32_t i = 0; works && i < count; i++)
		works = score(&question, &list[i]);
	free(question.binding);
	return works;
}

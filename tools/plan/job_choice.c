/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_choice.c - see job_choice.h */
#define _GNU_SOURCE /* asprintf */
#include "job_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plan/never.h"
#include "core/plan/never_cpus.h"
#include "core/plan/never_tasks.h"
#include "core/request/alternatives.h"

#include "candidates_if.h"
#include "partition_choice.h"
#include "terminal/wrap.h"

static int add_candidates(struct tb_job_choice *choice, unsigned index,
			  const struct tb_cluster *cluster,
			  struct tb_error *err)
{
	struct tb_job_spec *spec = &choice->specs[index];

	if (tb_choose_partition(cluster, spec, &choice->partitions[index], err))
		return -1;
	choice->candidates[index] = tb_candidates_create(cluster, spec, err);
	return choice->candidates[index] ? 0 : -1;
}

int tb_job_choice_make(struct tb_job_choice *choice,
		       const struct tb_cluster *cluster,
		       const struct tb_job_spec *spec, struct tb_error *err)
{
	unsigned count = tb_request_plain_count(&spec->request);

	memset(choice, 0, sizeof(*choice));
	for (unsigned i = 0; i < count; i++) {
		choice->specs[i] = *spec;
		choice->specs[i].request = tb_request_plain(&spec->request, i);
		choice->count++;
		if (add_candidates(choice, i, cluster, err))
			return -1;
	}
	return 0;
}

void tb_job_choice_clear(struct tb_job_choice *choice)
{
	for (unsigned i = 0; i < choice->nexplained; i++)
		tb_explanation_clear(&choice->explanations[i]);
	for (unsigned i = 0; i < choice->count; i++) {
		tb_candidates_destroy(choice->candidates[i]);
		free(choice->partitions[i]);
	}
	memset(choice, 0, sizeof(*choice));
}

char *tb_job_choice_name(const struct tb_job_choice *choice, unsigned index)
{
	return choice->count > 1 ? tb_request_print_alternative(
					   &choice->specs[index].request)
				 : NULL;
}

/* ---- what no node has ---- */

/* Could the job have it, for what it says of nodes? */
static bool is_inside(const struct tb_candidate_node *node)
{
	return node->info->name && !node->outside;
}

/* The word for a node that is inside. */
static const char *name_node(const struct tb_candidates *candidates)
{
	if (candidates->spec->required)
		return "required node";
	for (unsigned i = 0; i < candidates->nnodes; i++)
		if (candidates->nodes[i].info->name &&
		    candidates->nodes[i].outside)
			return "node that it may use";
	return "node";
}

static char *find_never(const struct tb_candidates *candidates)
{
	const struct tb_job_spec *spec = candidates->spec;
	struct tb_never never = { .nodes = 0 };
	char *sentence;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (is_inside(node))
			tb_never_look(&never, &spec->request, spec->task_cpus,
				      node->info->name, node->topology,
				      node->system, node->masked);
	}
	sentence = tb_never_print(&never, &spec->request, spec->task_cpus,
				  name_node(candidates));
	tb_never_clear(&never);
	return sentence;
}

/* Likewise the CPUs that Slurm wants on each node. */
static char *find_never_cpus(const struct tb_candidates *candidates)
{
	struct tb_tasks_of_node asked = tb_job_spec_tasks_of_node(
		candidates->spec);
	struct tb_never_cpus never = { .most = 0 };
	char *sentence;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];

		if (is_inside(node))
			tb_never_cpus_look(&never, node->info->name,
					   node->info->cpus);
	}
	sentence = tb_never_cpus_print(&never, &asked, name_node(candidates));
	tb_never_cpus_clear(&never);
	return sentence;
}

/* Likewise all tasks together. */
static char *find_never_tasks(const struct tb_candidates *candidates)
{
	struct tb_never_tasks never = { .count = 0 };
	char *sentence;

	for (unsigned i = 0; i < candidates->nnodes; i++) {
		const struct tb_candidate_node *node = &candidates->nodes[i];
		const struct tb_used_node idle = tb_candidate_idle(node);

		if (is_inside(node))
			tb_never_tasks_look(&never, &candidates->need,
					    node->info->name,
					    node->topology ? &idle : NULL);
	}
	sentence = tb_never_tasks_print(&never, &candidates->need,
					name_node(candidates));
	tb_never_tasks_clear(&never);
	return sentence;
}

/* Frees both. */
static char *join_never(char *all, char *one)
{
	char *both = NULL;

	if (!all)
		return one;
	if (one && asprintf(&both, "%s, and %s", all, one) < 0)
		both = NULL;
	free(all);
	free(one);
	return both;
}

/* Where units are not to blame for one of the alternatives something else is. */
char *tb_job_choice_never(const struct tb_job_choice *choice)
{
	char *all = NULL;

	for (unsigned i = 0; i < choice->count && (all || !i); i++)
		all = join_never(all, find_never(choice->candidates[i]));
	return all ? all : find_never_cpus(choice->candidates[0]);
}

char *tb_job_choice_never_tasks(const struct tb_job_choice *choice)
{
	return choice->count == 1 ? find_never_tasks(choice->candidates[0])
				  : NULL;
}

char *tb_job_choice_never_together(const struct tb_job_choice *choice)
{
	const struct tb_job_spec *spec = choice->candidates[0]->spec;
	char *sentence = NULL;

	for (unsigned i = 0; i < choice->count; i++)
		if (tb_candidates_could_ever_fit(choice->candidates[i]))
			return NULL;
	if (asprintf(&sentence,
		     "the nodes that it may use never hold all of it: %u %s, on %u %s or more, with these units; ask for fewer",
		     spec->tasks, tb_count_word(spec->tasks, "task", "tasks"),
		     spec->min_nodes,
		     tb_count_word(spec->min_nodes, "node", "nodes")) < 0)
		sentence = NULL;
	return sentence;
}

/* ---- why each waits ---- */

int tb_job_choice_explain(struct tb_job_choice *choice)
{
	for (unsigned i = 0; i < choice->count; i++) {
		choice->nexplained = i + 1;
		if (tb_explanation_make(&choice->explanations[i],
					choice->candidates[i]))
			return -1;
	}
	return 0;
}

/* Lower is sooner.  Ends that are hidden or have no limit come behind known ones. */
static int64_t rate_start(const struct tb_explanation *explanation)
{
	if (explanation->fits && explanation->has_memory)
		return -1;
	if (!explanation->found)
		return INT64_MAX;
	return explanation->when == TB_END_NEVER || explanation->when < 0
		       ? INT64_MAX - 1
		       : explanation->when;
}

const struct tb_explanation *
tb_job_choice_soonest(const struct tb_job_choice *choice)
{
	unsigned soonest = 0;

	for (unsigned i = 1; i < choice->count; i++)
		if (rate_start(&choice->explanations[i]) <
		    rate_start(&choice->explanations[soonest]))
			soonest = i;
	return &choice->explanations[soonest];
}

static void print_spec(const struct tb_job_choice *choice, unsigned index,
		       const char *spec, const char *note)
{
	tb_print_sentence(stdout, "%s %s%s%s%s",
			  index ? "or for" : "it asks for", spec,
			  note ? " (" : "", note ? note : "", note ? ")" : "");
	if (choice->partitions[index])
		tb_print_sentence(
			stdout,
			"of its partitions %s is told, where it could start first",
			choice->partitions[index]);
}

static void print_end(const char *end)
{
	putchar('\n');
	tb_print_sentence(stdout, "%s", end);
}

static int print_one(const struct tb_job_choice *choice, unsigned index,
		     const char *note)
{
	const struct tb_explanation *explanation = &choice->explanations[index];
	char *spec = tb_explain_spec(&choice->specs[index]);
	char *end = tb_explain_end(explanation);
	int rc = spec && end ? 0 : -1;

	if (!rc && index)
		putchar('\n');
	if (!rc) {
		print_spec(choice, index, spec, index ? NULL : note);
		putchar('\n');
		rc = tb_explain_table(explanation, stdout);
	}
	if (!rc)
		print_end(end);
	free(spec);
	free(end);
	return rc;
}

int tb_job_choice_print(const struct tb_job_choice *choice, const char *note)
{
	for (unsigned i = 0; i < choice->count; i++)
		if (print_one(choice, i, note))
			return -1;
	return 0;
}

static json_t *json_of_one(const struct tb_job_choice *choice, unsigned index)
{
	const struct tb_explanation *explanation = &choice->explanations[index];
	char *name = tb_job_choice_name(choice, index);
	char *end = tb_explain_end(explanation);
	json_t *json = json_pack("{s:s?, s:o, s:o, s:o, s:o, s:o, s:s?}",
				 "alternative", name, "table",
				 tb_explain_rows_json(explanation), "fits_now",
				 tb_explain_fits_json(explanation), "would_fit",
				 tb_explain_found_json(explanation), "must_end",
				 tb_explain_ended_json(explanation), "when",
				 tb_explain_when_json(explanation->when),
				 "summary", end);

	free(name);
	free(end);
	return json;
}

json_t *tb_job_choice_json(const struct tb_job_choice *choice)
{
	json_t *list;

	if (choice->count < 2)
		return NULL;
	list = json_array();
	for (unsigned i = 0; i < choice->count; i++)
		json_array_append_new(list, json_of_one(choice, i));
	return list;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - see plan.h */
#define _GNU_SOURCE /* asprintf */
#include "plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <slurm/slurm_errno.h>

#include "common/node/node_features.h"
#include "core/base/text.h"
#include "core/plan/deal.h"
#include "core/request/prefer.h"

#include "candidate_rules.h"
#include "candidates_if.h"
#include "candidates_unknown.h"
#include "site_binding.h"

/* A start within so many seconds is one now: clocks differ by as much. */
#define NOW_SECONDS 5
/* So often nodes are looked at again when they change meanwhile. */
#define TRIES 3

/* ---- Slurm's answer ---- */

static int copy_text(char **to, const char *from, struct tb_error *err)
{
	*to = strdup(from ? from : "");
	return *to ? 0 : tb_fail(err, "out of memory");
}

static int copy_preempted(struct tb_job_plan *plan, list_t *jobs,
			  struct tb_error *err)
{
	list_itr_t *each;
	uint32_t *job;

	if (!jobs)
		return 0;
	plan->preempted = calloc((size_t)slurm_list_count(jobs) + 1,
				 sizeof(*plan->preempted));
	if (!plan->preempted)
		return tb_fail(err, "out of memory");
	each = slurm_list_iterator_create(jobs);
	while ((job = slurm_list_next(each)))
		plan->preempted[plan->npreempted++] = *job;
	slurm_list_iterator_destroy(each);
	return 0;
}

/* Slurm's public interface has nothing to free the answer with. */
static int take_answer(struct tb_job_plan *plan,
		       const will_run_response_msg_t *answer,
		       struct tb_error *err)
{
	plan->start = answer->start_time;
	plan->answer = answer->start_time <= time(NULL) + NOW_SECONDS
			       ? TB_JOB_PLAN_NOW
			       : TB_JOB_PLAN_LATER;
	if (copy_text(&plan->nodes, answer->node_list, err) ||
	    copy_text(&plan->partition, answer->part_name, err))
		return -1;
	return copy_preempted(plan, answer->preemptee_job_id, err);
}

/*
 * Slurm accepts a job that its partition does not let start, and answers as if
 * it did.  A QOS may lift the limits, so with one nothing is said.
 */
static int check_partition(struct tb_job_plan *plan, const job_desc_msg_t *job,
			   struct tb_error *err)
{
	const partition_info_t *partition =
		tb_cluster_partition(plan->cluster, plan->partition);
	struct tb_error why;

	if (!partition)
		return 0;
	if (!(partition->state_up & PARTITION_SCHED))
		tb_fail(&why, "partition %.100s starts no jobs, it is not up",
			plan->partition);
	else if (!job->qos && partition->max_time != INFINITE &&
		 job->time_limit != NO_VAL &&
		 job->time_limit > partition->max_time)
		tb_fail(&why, "partition %.100s has a time limit of %u %s",
			plan->partition, partition->max_time,
			tb_count_word(partition->max_time, "minute",
				      "minutes"));
	else
		return 0;
	plan->answer = TB_JOB_PLAN_NEVER;
	plan->start = 0;
	return copy_text(&plan->why_never, why.text, err);
}

/* Some that are not told apart could be; who has whole nodes has their GPUs, too. */
static bool has_gpus(const struct tb_job_spec *spec)
{
	const struct tb_job_devices *devices = &spec->devices;

	for (unsigned i = 0; i < devices->count; i++)
		if (strcmp(devices->names[i], "gpu") == 0 ||
		    strncmp(devices->names[i], "gpu:", 4) == 0)
			return true;
	return devices->more || spec->whole_nodes;
}

/* What only a job that is submitted is refused for, not one that waits. */
static int check_request(struct tb_job_plan *plan, struct tb_error *err)
{
	const struct tb_job_spec *spec = &plan->spec;
	struct tb_error why;

	if (!tb_request_check_features(&spec->request, tb_some_node_has_feature,
				       plan->cluster->nodes, &why) &&
	    !tb_request_check_gpus(&spec->request, has_gpus(spec), &why))
		return 0;
	plan->answer = TB_JOB_PLAN_NEVER;
	plan->about_nodes = false;
	plan->start = 0;
	free(plan->why_never);
	return copy_text(&plan->why_never, why.text, err);
}

/* What no job can be refused for: there is no answer. */
static bool is_failure(int error)
{
	return error < ESLURM_INVALID_PARTITION_NAME ||
	       (error >= TB_FIRST_PROTOCOL_ERROR && error <= ESLURM_AUTH_SKIP);
}

/*
 * Slurm says of a job for nodes that are down or drained what it says of one that
 * no node can have; but it would accept it, and let it wait.
 */
static bool is_about_nodes(int error)
{
	return error == ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE ||
	       error == ESLURM_NODES_BUSY || error == ESLURM_NODE_NOT_AVAIL;
}

static int ask_slurmctld(struct tb_job_plan *plan, job_desc_msg_t *job,
			 struct tb_error *err)
{
	will_run_response_msg_t *answer = NULL;

	errno = 0;
	if (!slurm_job_will_run2(job, &answer) && answer)
		return take_answer(plan, answer, err);
	if (is_failure(errno))
		return tb_fail(err, "Slurm's controller gives no answer: %s",
			       slurm_strerror(errno));
	plan->answer = TB_JOB_PLAN_NEVER;
	plan->about_nodes = is_about_nodes(errno);
	return copy_text(&plan->why_never, slurm_strerror(errno), err);
}

static int wait_for_nodes(struct tb_job_plan *plan, struct tb_error *err)
{
	plan->answer = TB_JOB_PLAN_WAITS;
	free(plan->why_never);
	return copy_text(&plan->why_never,
			 "nodes that it could have are out of service", err);
}

/* ---- the units ---- */

static int choose_nodes(struct tb_job_plan *plan, struct tb_error *err)
{
	tb_hostlist_t chosen = slurm_hostlist_create(plan->nodes);

	plan->placed = calloc(plan->candidates->nnodes + 1,
			      sizeof(*plan->placed));
	if (!plan->placed) {
		slurm_hostlist_destroy(chosen);
		return tb_fail(err, "out of memory");
	}
	for (unsigned i = 0; i < plan->candidates->nnodes; i++) {
		const struct tb_candidate_node *node =
			&plan->candidates->nodes[i];

		if (node->info->name && node->topology &&
		    slurm_hostlist_find(chosen, node->info->name) >= 0)
			plan->placed[plan->nplaced++].node = node;
	}
	slurm_hostlist_destroy(chosen);
	return 0;
}

static int fail_units(const struct tb_job_plan *plan, struct tb_error *err)
{
	return tb_fail(
		err,
		"nodes %.200s do not show as many free units; they are changing",
		plan->nodes);
}

/* Of the class of offers in which the controller finds them. */
static int find_offers(struct tb_job_plan *plan, struct tb_error *err)
{
	unsigned count = plan->nplaced;
	const struct tb_candidate_node **nodes = calloc(count + 1,
							sizeof(*nodes));
	struct tb_offer *offers = calloc(count + 1, sizeof(*offers));
	bool found = false;

	for (unsigned i = 0; nodes && i < count; i++)
		nodes[i] = plan->placed[i].node;
	if (nodes && offers)
		found = tb_candidates_offer(plan->candidates, nodes, count,
					    offers, &plan->way);
	for (unsigned i = 0; found && i < count; i++)
		plan->placed[i].offer = offers[i];
	free(nodes);
	free(offers);
	return found ? 0 : fail_units(plan, err);
}

/* Fails also when slots are left over. */
static int deal_out(struct tb_job_plan *plan, struct tb_error *err)
{
	const struct tb_job_spec *spec = plan->candidates->spec;
	struct tb_dealt *dealt = calloc(plan->nplaced + 1, sizeof(*dealt));
	unsigned left;

	if (!dealt)
		return tb_fail(err, "out of memory");
	for (unsigned i = 0; i < plan->nplaced; i++)
		dealt[i].most = tb_offer_tasks(&plan->placed[i].offer,
					       spec->request.type,
					       &spec->asked);
	left = tb_deal(dealt, plan->nplaced, spec->tasks);
	for (unsigned i = 0; i < plan->nplaced; i++)
		plan->placed[i].slots = dealt[i].slots;
	free(dealt);
	return left ? fail_units(plan, err) : 0;
}

/* Threads into those of whole cores, where a core is what Slurm books. */
static void round_up(const struct tb_candidate_node *node,
		     struct tb_bitset *threads)
{
	unsigned count = tb_topology_cores(node->topology);
	struct tb_bitset *cores;

	if ((unsigned)node->info->sockets * node->info->cores != count)
		return;
	cores = tb_bitset_create(count);
	if (!cores)
		return;
	tb_cores_of_threads(node->topology, threads, cores);
	tb_threads_of_cores(node->topology, cores, threads);
	tb_bitset_destroy(cores);
}

static char *print_grant(const struct tb_job_plan *plan,
			 const struct tb_candidate_node *node)
{
	struct tb_bitset *threads = tb_bitset_copy(
		tb_placed_threads(node->placer));
	char *text = NULL;

	if (!threads)
		return NULL;
	if (plan->candidates->spec->whole_nodes)
		tb_bitset_set_range(threads, 0, threads->nbits);
	round_up(node, threads);
	text = tb_topology_print(node->topology, threads);
	tb_bitset_destroy(threads);
	return text;
}

static int place_on_node(const struct tb_job_plan *plan,
			 struct tb_job_plan_node *placed, struct tb_error *err)
{
	const struct tb_candidate_node *node = placed->node;
	const struct tb_need *need = &plan->candidates->need;
	unsigned wanted = need->request->type == TB_HOST && !need->implicit
				  ? 1
				  : placed->slots;
	unsigned slots = tb_candidates_place(plan->candidates, node,
					     &placed->offer, plan->way, wanted);

	if (slots < wanted || !placed->slots)
		return tb_fail(err, "node %.100s is changing",
			       node->info->name);
	placed->grant = print_grant(plan, node);
	return placed->grant ? 0 : tb_fail(err, "out of memory");
}

static int place_candidates(struct tb_job_plan *plan, struct tb_error *err)
{
	if (choose_nodes(plan, err) || find_offers(plan, err) ||
	    deal_out(plan, err))
		return -1;
	for (unsigned i = 0; i < plan->nplaced; i++)
		if (place_on_node(plan, &plan->placed[i], err))
			return -1;
	return 0;
}

static void forget_units(struct tb_job_plan *plan)
{
	for (unsigned i = 0; i < plan->nplaced; i++)
		free(plan->placed[i].grant);
	free(plan->placed);
	plan->placed = NULL;
	plan->nplaced = 0;
}

/* The first of the job's alternatives that these nodes hold; err is about the first. */
static int place_all(struct tb_job_plan *plan, struct tb_error *err)
{
	struct tb_error why;

	for (unsigned i = 0; i < plan->choice.count; i++) {
		plan->candidates = plan->choice.candidates[i];
		if (!place_candidates(plan, i ? &why : err)) {
			plan->alternative = tb_job_choice_name(&plan->choice,
							       i);
			return 0;
		}
		forget_units(plan);
	}
	return -1;
}

/* ---- both ---- */

/* Jobs that wait where this one would; held ones do not count. */
static unsigned count_waiting(const struct tb_job_plan *plan)
{
	const job_info_msg_t *jobs = plan->cluster->jobs;
	unsigned count = 0;

	for (uint32_t i = 0; i < jobs->record_count; i++) {
		const job_info_t *job = &jobs->job_array[i];

		count += (job->job_state & JOB_STATE_BASE) == JOB_PENDING &&
			 job->priority && job->partition &&
			 !strcmp(job->partition, plan->partition);
	}
	return count;
}

/* Memory, and GRES: nobody knows. */
static bool something_else_is_short(const struct tb_job_plan *plan)
{
	for (unsigned i = 0; i < plan->nplaced; i++)
		if (plan->placed[i].node->closed || plan->placed[i].node->note)
			return true;
	return plan->candidates->spec->gres;
}

/*
 * Slurm adds its guess for the jobs that wait to each start.  Where they and
 * nothing else are the reason, the units can be told.
 */
static void look_behind_guess(struct tb_job_plan *plan)
{
	struct tb_error why;

	plan->waiting = count_waiting(plan);
	if (plan->waiting && !place_all(plan, &why) &&
	    !something_else_is_short(plan))
		return;
	plan->waiting = 0;
	forget_units(plan);
	free(plan->alternative);
	plan->alternative = NULL;
}

/* Where neither units nor CPUs are to blame Slurm's sentence stands. */
static int tell_never(struct tb_job_plan *plan, struct tb_error *err)
{
	char *units = tb_job_choice_never(&plan->choice), *both = NULL;

	if (!units)
		units = tb_job_choice_never_tasks(&plan->choice);
	if (!units)
		return 0;
	if (asprintf(&both, "%s: %s", plan->why_never, units) < 0)
		both = NULL;
	free(units);
	if (!both)
		return tb_fail(err, "out of memory");
	free(plan->why_never);
	plan->why_never = both;
	return 0;
}

static bool waits_for_nodes(const struct tb_job_plan *plan)
{
	for (unsigned i = 0; i < plan->choice.count; i++)
		if (tb_candidates_wait_for_nodes(plan->choice.candidates[i]))
			return true;
	return false;
}

/* NULL: they are known. */
static const char *find_unknown_units(const struct tb_job_plan *plan)
{
	const char *why = NULL;

	for (unsigned i = 0; !why && i < plan->choice.count; i++)
		why = tb_candidates_units_unknown(plan->choice.candidates[i]);
	return why;
}

/* Slurm's answer stands, whatever can be said of the units. */
static int look_at_units(struct tb_job_plan *plan, struct tb_error *err)
{
	const char *unknown;
	struct tb_error why;

	/* Of several partitions the one that lets it start. */
	if (plan->partition && *plan->partition)
		plan->spec.partitions = plan->partition;
	if (tb_job_choice_make(&plan->choice, plan->cluster, &plan->spec, err))
		return -1;
	plan->candidates = plan->choice.candidates[0];
	if (plan->about_nodes && waits_for_nodes(plan))
		return wait_for_nodes(plan, err);
	if (plan->about_nodes && !plan->spec.implicit)
		return tell_never(plan, err);
	/* Units of those who would be preempted are in use still. */
	if (plan->npreempted || plan->answer == TB_JOB_PLAN_NEVER)
		return 0;
	if (plan->answer == TB_JOB_PLAN_LATER) {
		look_behind_guess(plan);
		return 0;
	}
	unknown = find_unknown_units(plan);
	plan->units_are_known = !unknown;
	if (unknown)
		tb_fail(&why, "%s", unknown);
	else if (!place_all(plan, &why))
		return 0;
	forget_units(plan);
	return copy_text(&plan->why_unplaced, why.text, err);
}

/* That of the partition in which the job would start, or for which it asks. */
static int bind_by_site(struct tb_job_plan *plan,
			const struct tb_plan_options *options,
			struct tb_error *err)
{
	const partition_info_t *partition =
		plan->partition && *plan->partition
			? tb_cluster_partition(plan->cluster, plan->partition)
			: tb_candidate_partition(&plan->spec, plan->cluster);

	return tb_site_binding_add(&plan->spec, &options->job, plan->cluster,
				   partition, &plan->site_line, err);
}

static int make_once(struct tb_job_plan *plan, struct tb_plan_options *options,
		     struct tb_error *err)
{
	memset(plan, 0, sizeof(*plan));
	plan->spec = options->spec;
	if (ask_slurmctld(plan, &options->job, err))
		return -1;
	plan->cluster = tb_candidates_load_cluster(err);
	if (!plan->cluster)
		return -1;
	if (plan->answer != TB_JOB_PLAN_NEVER &&
	    check_partition(plan, &options->job, err))
		return -1;
	if (bind_by_site(plan, options, err) || check_request(plan, err))
		return -1;
	if (!tb_request_binds(&plan->spec.request))
		return 0;
	return look_at_units(plan, err);
}

int tb_job_plan_make(struct tb_job_plan *plan, struct tb_plan_options *options,
		     struct tb_error *err)
{
	int rc = make_once(plan, options, err);

	/* Jobs come and go between the question and the look. */
	for (int i = 1;
	     !rc && plan->why_unplaced && plan->units_are_known && i < TRIES;
	     i++) {
		tb_job_plan_clear(plan);
		rc = make_once(plan, options, err);
	}
	return rc;
}

void tb_job_plan_clear(struct tb_job_plan *plan)
{
	forget_units(plan);
	free(plan->nodes);
	free(plan->partition);
	free(plan->why_never);
	free(plan->why_unplaced);
	free(plan->preempted);
	free(plan->alternative);
	tb_job_choice_clear(&plan->choice);
	if (plan->spec.implicit)
		tb_request_clear(&plan->spec.request);
	free(plan->site_line);
	tb_cluster_destroy(plan->cluster);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_tres.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/unit_gres.h"
#include "core/request/parts.h"
#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/nodes/nodes.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/job_asked.h"

#include "cores_taken.h"
#include "ledger.h"

static bool is_on;

void tb_unit_tres_set(const struct tb_conf *site)
{
	is_on = tb_conf_unit_tres(site);
}

int tb_unit_tres_forget(job_record_t *job, struct tb_error *err)
{
	if (!IS_JOB_PENDING(job))
		return 0;
	/* It may be asked about again: the request stays. */
	if (is_on && tb_unit_gres_is_asked(job))
		return tb_fail(
			err,
			"gres/%s, %s, %s and %s are counted, nobody can ask for them; ask for units with --bunit",
			tb_counted_names[0], tb_counted_names[1],
			tb_counted_names[2], tb_counted_names[3]);
	tb_unit_gres_drop(job, is_on);
	return 0;
}

/* ---- one node ---- */

/* What counts for a job on all of its nodes. */
struct counting {
	const job_record_t *job;
	const struct tb_request *request;
	const struct tb_view *now;
	const struct tb_filter *of_partition;
	uint16_t own; /* how often the view has the job */
};

/* Into scratch->used. */
static void find_others(const struct counting *counting, uint32_t node,
			const struct tb_shape *shape)
{
	struct tb_scratch *scratch = shape->scratch;
	struct tb_bitset *held = scratch->placed;

	tb_bitset_clear_all(held);
	for (uint32_t core = 0; core < shape->ncores; core++) {
		bool is_own = counting->own &&
			      tb_bitset_test(scratch->cores, core);

		if (tb_view_core_holders(counting->now, node, core) > is_own)
			tb_bitset_set(held, core);
	}
	tb_shape_threads(shape, held, scratch->used);
}

/* Into scratch->masked: by the site, and by the job itself. */
static void find_masked(const struct counting *counting, uint32_t node,
			const struct tb_shape *shape)
{
	const struct tb_filter *own = counting->request->filter;
	struct tb_scratch *scratch = shape->scratch;

	tb_node_mask(tb_node_filter(node, shape, counting->of_partition), shape,
		     scratch);
	if (!own || !tb_filter_matches(own, shape->topology))
		return;
	if (!scratch->is_masked)
		tb_bitset_clear_all(scratch->masked);
	scratch->is_masked = true;
	tb_filter_add(own, shape->topology, scratch->masked);
}

static struct tb_unit_counts count_node(const struct counting *counting,
					const struct tb_allocated_node *at)
{
	const struct tb_shape *shape = tb_node_shape(at->node);
	struct tb_scratch *scratch = shape ? shape->scratch : NULL;
	struct tb_unit_holding holding;

	if (!shape)
		return (struct tb_unit_counts){ { 0 } };
	tb_cores_from_bits(scratch->cores,
			   counting->job->job_resrcs->core_bitmap,
			   at->first_core);
	tb_shape_threads(shape, scratch->cores, scratch->threads);
	find_others(counting, at->node, shape);
	find_masked(counting, at->node, shape);
	holding = (struct tb_unit_holding){ scratch->threads,
					    tb_scratch_masked(scratch),
					    scratch->used };
	return tb_whole_units(shape->topology, &holding);
}

/* ---- all nodes of a job ---- */

/* By node of its allocation. */
struct counts {
	uint64_t *of[TB_COUNTED_UNITS];
	uint64_t sum[TB_COUNTED_UNITS];
	uint32_t declaring[TB_COUNTED_UNITS]; /* a node, where the sum is not 0 */
	uint32_t nodes;
};

static void note_node(struct counts *counts, const struct tb_allocated_node *at,
		      const struct tb_unit_counts *units)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		uint64_t count = MIN(units->of[kind],
				     tb_unit_gres_free(at->node, kind));

		counts->of[kind][at->index] = count;
		counts->sum[kind] += count;
		if (count)
			counts->declaring[kind] = at->node;
	}
}

static void count_nodes(const struct counting *counting, struct counts *counts)
{
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(counting->job->job_resrcs, &at) &&
	       at.index < counts->nodes) {
		struct tb_unit_counts units = count_node(counting, &at);

		note_node(counts, &at, &units);
	}
}

static void put_counts(job_record_t *job, struct counts *counts)
{
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++) {
		if (counts->sum[kind])
			tb_unit_gres_put(job, kind, counts->declaring[kind],
					 counts->of[kind], counts->nodes);
		xfree(counts->of[kind]);
	}
}

void tb_unit_tres_count(job_record_t *job, const struct tb_request *request)
{
	struct counts counts = { .nodes = 0 };
	struct tb_view *now;

	if (!is_on || !job->job_resrcs || !job->job_resrcs->core_bitmap ||
	    tb_wants_whole_nodes(job))
		return;
	tb_unit_gres_drop(job, false);
	now = tb_view_now();
	counts.nodes = job->job_resrcs->nhosts;
	for (unsigned kind = 0; kind < TB_COUNTED_UNITS; kind++)
		counts.of[kind] = xcalloc(counts.nodes + 1, sizeof(uint64_t));
	count_nodes(&(struct counting){ job, request, now, tb_job_filter(job),
					tb_ledger_has(job) },
		    &counts);
	put_counts(job, &counts);
	tb_view_destroy(now);
}

/* ---- jobs that wait ---- */

/* The place of the unit's letter on such nodes; -1: it is not counted. */
static int find_kind(const struct tb_topology *topology, struct tb_unit unit)
{
	const char *at = strchr(TB_COUNTED_LETTERS, unit.letter);
	struct tb_unit other = {
		unit.letter,
		unit.kind == TB_POWER ? TB_EFFICIENCY : TB_POWER,
	};

	/* Who gets cores of one kind has no unit as a whole. */
	if (!at || tb_units_total(topology, other))
		return -1;
	if (!tb_topology_count(topology, unit.letter))
		return unit.letter == 'Y' ? -1 : 0; /* sockets are meant */
	return (int)(at - TB_COUNTED_LETTERS);
}

/* What a job asks for. */
struct asked {
	uint64_t count; /* 0: it is not known before the start */
	unsigned kind;
	uint32_t declaring; /* a node */
};

/* The kind of the unit on all nodes that a job can ever get. */
struct common_kind {
	const job_record_t *job;
	const struct tb_request *request;
	const struct tb_topology *before; /* NULL: no node yet */
	struct asked *asked;
};

/* -1: the nodes before have another kind. */
static int add_topology(struct common_kind *common,
			const struct tb_topology *topology, uint32_t node)
{
	int kind = find_kind(topology, common->request->unit);

	if (kind < 0 || !tb_unit_gres_is_declared(node, kind) ||
	    (common->before && (unsigned)kind != common->asked->kind))
		return -1;
	common->before = topology;
	common->asked->kind = kind;
	common->asked->declaring = node;
	return 0;
}

static int add_nodes(struct common_kind *common, bitstr_t *nodes)
{
	bitstr_t *excluded = common->job->details->exc_node_bitmap;

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		const struct tb_shape *shape;

		if (!bit_test(nodes, node) ||
		    (excluded && bit_test(excluded, node)))
			continue;
		shape = tb_node_shape_for(node, common->job, common->request);
		if (!shape || shape->topology == common->before ||
		    !tb_request_matches(common->request, shape->topology))
			continue;
		if (add_topology(common, shape->topology, node))
			return -1;
	}
	return 0;
}

static int add_partition(void *item, void *arg)
{
	const part_record_t *partition = item;

	return partition->node_bitmap ? add_nodes(arg, partition->node_bitmap)
				      : 0;
}

/* Those that it names, where it gets no others. */
static bitstr_t *find_only_nodes(const job_record_t *job)
{
	struct tb_asked asked = tb_job_asked(job);

	return asked.required && asked.required == tb_asked_known_nodes(&asked)
		       ? job->details->req_node_bitmap
		       : NULL;
}

/*
 * What is down or busy now does not matter, nor the partition that Slurm just tries, so
 * that the answer stays.
 */
static bool find_common_kind(struct common_kind *common)
{
	const job_record_t *job = common->job;
	bitstr_t *only = find_only_nodes(job);
	int rc;

	if (only)
		rc = add_nodes(common, only);
	else if (job->part_ptr_list)
		rc = list_for_each(job->part_ptr_list, add_partition, common);
	else
		rc = add_partition(job->part_ptr, common);
	return rc >= 0 && common->before;
}

static uint64_t count_asked(const job_record_t *job,
			    const struct tb_request *request)
{
	struct tb_asked asked = tb_job_asked(job);

	if (request->cpus || request->nalternatives)
		return 0;
	return (uint64_t)request->amount *
	       (request->type == TB_SLOT ? tb_asked_known_slots(&asked)
					 : tb_asked_known_nodes(&asked));
}

/* As it was found before: all nodes had such units. */
static bool is_known(const job_record_t *job, const struct tb_request *request)
{
	const char *at = strchr(TB_COUNTED_LETTERS, request->unit.letter);
	uint64_t counts[TB_COUNTED_UNITS] = { 0 };
	uint64_t count = at ? count_asked(job, request) : 0;

	if (!count)
		return false;
	counts[at - TB_COUNTED_LETTERS] = count;
	return tb_unit_gres_is_requested(job, counts);
}

static struct asked find_asked(const job_record_t *job,
			       const struct tb_request *request)
{
	struct asked asked = { .count = count_asked(job, request) };
	struct common_kind common = { .job = job,
				      .request = request,
				      .asked = &asked };

	if (asked.count && !find_common_kind(&common))
		asked.count = 0;
	return asked;
}

/* Switched off, GRES of these names are the site's own; only bound jobs had others. */
static bool may_ask(job_record_t *job, const struct tb_request *request)
{
	return IS_JOB_PENDING(job) && job->part_ptr &&
	       !tb_job_is_asked_in_part(job) &&
	       (is_on || (request && !tb_unit_gres_is_asked(job)));
}

void tb_unit_tres_ask(job_record_t *job, const struct tb_request *request,
		      bool anew)
{
	uint64_t counts[TB_COUNTED_UNITS] = { 0 };

	if (!may_ask(job, request))
		return;
	if (is_on && request) {
		struct asked asked;

		if (!anew && is_known(job, request))
			return;
		asked = find_asked(job, request);
		counts[asked.kind] = asked.count;
	}
	tb_unit_gres_request(job, counts);
}

void tb_unit_tres_wait(job_record_t *job, const struct tb_request *request)
{
	struct asked asked;

	if (!is_on || !IS_JOB_PENDING(job) || !job->gres_list_req)
		return;
	asked = find_asked(job, request);
	if (asked.count)
		tb_unit_gres_put(job, asked.kind, asked.declaring, &asked.count,
				 1);
}

void tb_unit_tres_expect(job_record_t *job, const struct tb_request *request,
			 const bitstr_t *nodes)
{
	bitoff_t node = bit_ffs((bitstr_t *)nodes);
	const struct tb_shape *shape = node < 0 ? NULL : tb_node_shape(node);
	uint64_t count = request->amount;
	int kind;

	if (!is_on || !IS_JOB_PENDING(job) || !shape || request->cpus ||
	    tb_request_unit_has_amount(request) || tb_wants_whole_nodes(job))
		return;
	count *= request->type == TB_SLOT ? tb_job_slots(job)
					  : job->details->min_nodes;
	kind = find_kind(shape->topology, request->unit);
	if (kind >= 0 && count && tb_unit_gres_is_declared(node, kind))
		tb_unit_gres_put(job, kind, node, &count, 1);
}

/* ---- running jobs ---- */

void tb_unit_tres_resized(job_record_t *job)
{
	tb_unit_gres_follow(job);
}

void tb_unit_tres_before_merge(job_record_t *from, job_record_t *to)
{
	tb_unit_gres_give_back(from);
	tb_unit_gres_give_back(to);
}

void tb_unit_tres_after_merge(job_record_t *to)
{
	struct tb_held_request held;

	if (tb_granted_find(to, &held)) {
		tb_unit_tres_count(to, &held.request);
		if (is_on)
			tb_unit_gres_take(to);
	}
	tb_held_request_release(&held);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sharing.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "common/conf/turns.h"
#include "core/place/share.h"
#include "core/plan/shared_use.h"

#include "select_topobind/nodes/core_bits.h"
#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/request/granted_request.h"
#include "select_topobind/request/job_asked.h"

#include "cores_taken.h"

/* Groups that partitions do not have: no other job can share it; nobody has said. */
enum { NOT_SHARED = 0, NOT_TAGGED = UINT16_MAX };

/* While jobs hold a core: as part of which unit, and which group they are of. */
struct tag {
	uint16_t first, last; /* threads, see struct tb_thread_use */
	uint16_t group;
};

/* Of a node; empty where no job can share. */
struct tags {
	uint64_t shape; /* the number of that of which the units are */
	uint32_t drops; /* how many jobs had left the node when this was found */
	bool mixed;	/* jobs hold a core as parts of different units */
	struct tag *by_core;
};

static struct tags *tags; /* by node */
static uint32_t node_count;
/* The partition of each group, from 1 on. */
static const part_record_t **groups;
static uint32_t group_count;

void tb_sharing_fini(void)
{
	for (uint32_t node = 0; node < node_count; node++)
		xfree(tags[node].by_core);
	xfree(tags);
	xfree(groups);
	node_count = group_count = 0;
}

void tb_sharing_reset(void)
{
	tb_sharing_fini();
	node_count = tb_node_count();
	tags = xcalloc(node_count + 1, sizeof(*tags));
}

static uint16_t number_group(const part_record_t *partition)
{
	uint32_t group = 0;

	while (group < group_count && groups[group] != partition)
		group++;
	if (group == group_count && group_count < NOT_TAGGED - 1) {
		xrecalloc(groups, group_count + 1, sizeof(*groups));
		groups[group_count++] = partition;
	}
	return group < group_count ? group + 1 : NOT_SHARED;
}

void tb_sharing_set_level(struct tb_test *test, uint16_t level)
{
	bool whole = tb_wants_whole_nodes(test->job);

	test->share = whole ? 0 : level;
	test->share_nodes = whole ? level : 0;
}

/* May other jobs have the cores of the job, which has started, too? */
static bool lets_share(const job_record_t *job)
{
	return tb_partition_rows(job->part_ptr) > 1 && !job->het_job_id &&
	       job->job_resrcs &&
	       job->job_resrcs->node_req == NODE_CR_AVAILABLE;
}

const void *tb_sharing_turns(const job_record_t *job)
{
	bool shares = IS_JOB_PENDING(job) ? tb_job_sharing_limit(job) > 1
					  : lets_share(job);

	return shares && tb_slurm_takes_turns(&slurm_conf) ? job->part_ptr
							   : NULL;
}

/* What a job of a group holds of a node: the units of its cores. */
struct holding {
	const struct tb_shape *shape;
	const struct tb_request *request;
	enum tb_shares_as as;
	uint16_t group;
	const struct tb_bitset *cores;
	const struct tb_thread_use *units; /* by thread; not of lists of CPUs */
};

/* As what, and for whom, a job has its cores.  The caller releases. */
struct member {
	struct tb_held_request held;
	enum tb_shares_as as;
	uint16_t group;
};

static void find_member(const job_record_t *job, struct member *member)
{
	bool bound;

	*member = (struct member){ .as = TB_SHARES_NOTHING };
	tb_held_request_init(&member->held);
	if (!lets_share(job))
		return;
	bound = tb_granted_find(job, &member->held);
	member->as = tb_shares_as(bound ? &member->held.request : NULL,
				  tb_wants_whole_nodes(job),
				  tb_slurm_takes_turns(&slurm_conf));
	if (member->as != TB_SHARES_NOTHING)
		member->group = number_group(job->part_ptr);
}

/* The units of a job that holds scratch->cores, into scratch->holders. */
static void mark_units(const struct tb_shape *shape,
		       const struct tb_request *request,
		       struct tb_scratch *scratch)
{
	struct tb_bitset *others = scratch->used;

	tb_shape_threads(shape, scratch->cores, scratch->threads);
	tb_bitset_clear_all(others);
	tb_bitset_set_range(others, 0, others->nbits);
	tb_bitset_andnot(others, scratch->threads);
	tb_share_mark(shape->topology,
		      tb_booked_unit(request, shape->by_thread), others,
		      scratch->holders);
}

/*
 * Of the job's cores of a node, which begin at bit first of its own.  Borrows from
 * the shape's scratch: valid until the next node is looked at.
 */
static struct holding find_holding(const struct tb_shape *shape,
				   const job_resources_t *granted,
				   uint32_t first, const struct member *member)
{
	const struct tb_request *request = &member->held.request;
	struct tb_scratch *scratch = shape->scratch;

	tb_cores_from_bits(scratch->cores, granted->core_bitmap, first);
	if (member->as == TB_SHARES_UNITS && !request->cpus)
		mark_units(shape, request, scratch);
	return (struct holding){
		shape,	       request,	       member->as,
		member->group, scratch->cores, scratch->holders
	};
}

/* The tag of a core that only this job of a group holds. */
static struct tag find_tag(const struct holding *holding, uint32_t core)
{
	const struct tb_shape *shape = holding->shape;
	struct tb_thread_range own = tb_shape_core_threads(shape, core);
	const struct tb_thread_use *unit = &holding->units[own.first];

	switch (holding->as) {
	case TB_SHARES_NOTHING:
		return (struct tag){ .group = NOT_SHARED };
	case TB_SHARES_ANY:
		return (struct tag){ 0, TB_SHARE_ANY, holding->group };
	case TB_SHARES_NODE:
		return (struct tag){ 0,
				     tb_topology_threads(shape->topology) - 1,
				     holding->group };
	case TB_SHARES_UNITS:
		break;
	}
	if (holding->request->cpus)
		return (struct tag){ own.first, own.first + own.count - 1,
				     holding->group };
	return (struct tag){ unit->first, unit->last, holding->group };
}

static bool is_same_tag(const struct tag *a, const struct tag *b)
{
	return a->group == b->group && a->first == b->first &&
	       a->last == b->last;
}

/* A core that several jobs hold. */
static struct tag join_tags(const struct tag *a, const struct tag *b)
{
	if (a->group != b->group)
		return (struct tag){ .group = NOT_SHARED };
	if (a->last == TB_SHARE_ANY || is_same_tag(a, b))
		return *b;
	if (b->last == TB_SHARE_ANY)
		return *a;
	return (struct tag){ .group = NOT_SHARED };
}

/*
 * Tag the cores.  A core that several jobs hold as parts of different units cannot
 * be shared.
 */
static void tag_cores(uint32_t node, const struct holding *holding)
{
	struct tag *of_node = tags[node].by_core;
	struct tb_view *view = tb_view_now();

	TB_BITSET_EACH(core, holding->cores) {
		struct tag tag = find_tag(holding, core);

		if (tb_view_core_holders(view, node, core) > 1 &&
		    of_node[core].group != NOT_TAGGED &&
		    !is_same_tag(&tag, &of_node[core])) {
			tag = join_tags(&of_node[core], &tag);
			tags[node].mixed = true;
		}
		of_node[core] = tag;
	}
	tb_view_destroy(view);
}

/* Has the node no other job? */
static bool is_alone(uint32_t node, const struct holding *holding,
		     struct tb_bitset *taken)
{
	struct tb_view *view = tb_view_now();
	bool alone;

	tb_view_taken(view, node, taken);
	alone = tb_bitset_equal(taken, holding->cores);
	TB_BITSET_EACH(core, holding->cores)
		alone = alone && tb_view_core_holders(view, node, core) == 1;
	tb_view_destroy(view);
	return alone;
}

/* Cores that are held already are not shared, until their holders are tagged. */
static void make_tags(uint32_t node, const struct tb_shape *shape)
{
	struct tags *of_node = &tags[node];

	xfree(of_node->by_core);
	*of_node = (struct tags){
		.shape = shape->number,
		.drops = tb_ledger_drops(node),
		.by_core = xcalloc(shape->ncores, sizeof(*of_node->by_core)),
	};
	for (uint32_t core = 0; core < shape->ncores; core++)
		of_node->by_core[core].group = NOT_TAGGED;
}

/* Could the job with these cores be one more on the node? */
static bool fits_beside(uint32_t node, const struct holding *holding,
			uint16_t limit)
{
	const struct tb_bitset *cores = holding->cores;
	const struct tag *of_node = tags[node].by_core;
	struct tb_view *view = tb_view_now();
	bool fits = true;

	for (unsigned core = tb_bitset_next(cores, 0);
	     fits && core < cores->nbits;
	     core = tb_bitset_next(cores, core + 1)) {
		struct tag tag = find_tag(holding, core);
		uint16_t jobs = tb_view_core_holders(view, node, core);

		fits = !jobs ||
		       (holding->as != TB_SHARES_NOTHING && of_node &&
			jobs < limit && is_same_tag(&tag, &of_node[core]));
	}
	tb_view_destroy(view);
	return fits;
}

/*
 * Whether the units are those of the node's topology, and whether a job has left that
 * held some of them as parts of other units.
 */
static bool tags_are_right(uint32_t node, const struct tb_shape *shape)
{
	const struct tags *of_node = &tags[node];

	return of_node->shape == shape->number &&
	       (!of_node->mixed || of_node->drops == tb_ledger_drops(node));
}

/* Which of the job's nodes; false: none. */
static bool find_node(const job_record_t *job, uint32_t node,
		      struct tb_allocated_node *at)
{
	while (tb_allocated_node_next(job->job_resrcs, at))
		if (at->node == node)
			return true;
	return false;
}

static bool may_be_on(const job_record_t *job, uint32_t node)
{
	const job_resources_t *granted = job->job_resrcs;

	return granted && granted->node_bitmap &&
	       node < bit_size(granted->node_bitmap) &&
	       bit_test(granted->node_bitmap, node);
}

static int tag_job(void *item, void *arg)
{
	const job_record_t *job = item;
	uint32_t node = *(const uint32_t *)arg;
	struct tb_allocated_node at = { 0 };
	struct holding holding;
	struct member member;

	if (!may_be_on(job, node) || !tb_ledger_has(job) ||
	    !find_node(job, node, &at))
		return 0;
	find_member(job, &member);
	holding = find_holding(tb_node_shape(node), job->job_resrcs,
			       at.first_core, &member);
	tag_cores(node, &holding);
	tb_held_request_release(&member.held);
	return 0;
}

/*
 * Where they are not right any more, all jobs of the node are asked.  Only for the
 * question of a job: elsewhere slurmctld may be walking along the list of jobs.
 */
static void refresh_tags(uint32_t node, const struct tb_shape *shape)
{
	if (!tags[node].by_core || tags_are_right(node, shape))
		return;
	make_tags(node, shape);
	list_for_each(job_list, tag_job, &node);
}

/* The next question makes them anew. */
static void spoil_tags(uint32_t node)
{
	tags[node].mixed = true;
	tags[node].drops--;
}

/*
 * Tag the job's cores of the node, which begin at bit first of its own; where tags are
 * not right any more, or others are there without tags, the next question finds them
 * anew.
 */
static void note_node(uint32_t node, const job_resources_t *granted,
		      uint32_t first, const struct member *member)
{
	struct tb_shape *shape = tb_node_shape(node);
	bool is_new = !tags[node].by_core;
	struct holding holding;

	if (!shape || (member->as == TB_SHARES_NOTHING && is_new))
		return;
	if (is_new)
		make_tags(node, shape);
	if (!tags_are_right(node, shape))
		return;
	holding = find_holding(shape, granted, first, member);
	if (is_new && !is_alone(node, &holding, shape->scratch->placed))
		spoil_tags(node);
	else
		tag_cores(node, &holding);
}

void tb_sharing_note(const job_record_t *job)
{
	const job_resources_t *granted = job->job_resrcs;
	struct tb_allocated_node at = { 0 };
	struct member member;

	/* Nodes were changed while it ran: which cores it has is not known. */
	if (!tb_ledger_has(job))
		return;
	find_member(job, &member);
	while (tb_allocated_node_next(granted, &at))
		note_node(at.node, granted, at.first_core, &member);
	tb_held_request_release(&member.held);
}

bool tb_sharing_may_return(const job_record_t *job)
{
	const job_resources_t *granted = job->job_resrcs;
	uint16_t limit = tb_job_sharing_limit(job);
	struct tb_allocated_node at = { 0 };
	struct member member;
	bool fits = true;

	find_member(job, &member);
	while (fits && tb_allocated_node_next(granted, &at)) {
		struct tb_shape *shape = tb_node_shape(at.node);
		struct holding holding;

		if (shape) {
			refresh_tags(at.node, shape);
			holding = find_holding(shape, granted, at.first_core,
					       &member);
		}
		fits = shape && fits_beside(at.node, &holding, limit);
	}
	tb_held_request_release(&member.held);
	return fits;
}

/* Who holds a core, for a job of a group that wants to share it. */
static struct tb_thread_use find_thread_use(uint32_t node, uint32_t core,
					    const struct tag *tag,
					    const struct tb_view *view,
					    uint16_t group)
{
	struct tb_thread_use held = { .jobs = tb_view_core_holders(view, node,
								   core) };

	if (!held.jobs)
		return held;
	if (!tag || tag->group == NOT_SHARED || tag->group != group)
		held.jobs = TB_SHARE_NEVER;
	else
		held = (struct tb_thread_use){ held.jobs, tag->first,
					       tag->last };
	return held;
}

/*
 * Who holds the node's threads.  barred: what the test could not have even of an
 * idle node.
 */
static void find_holders(uint32_t node, const struct tb_shape *shape,
			 const struct tb_view *view, const struct tb_test *test,
			 const struct tb_bitset *barred,
			 struct tb_thread_use *holders)
{
	uint16_t group = number_group(test->job->part_ptr);
	const struct tag *of_node = tags[node].by_core;

	for (uint32_t core = 0; core < shape->ncores; core++) {
		struct tb_thread_use held =
			find_thread_use(node, core,
					of_node ? &of_node[core] : NULL, view,
					group);
		struct tb_thread_range own = tb_shape_core_threads(shape, core);

		for (uint32_t i = own.first; i < own.first + own.count; i++) {
			holders[i] = held;
			if (tb_bitset_test(barred, i))
				holders[i].jobs = TB_SHARE_NEVER;
		}
	}
}

bool tb_sharing_has_node(uint32_t node, const struct tb_shape *shape,
			 const struct tb_view *view, const struct tb_test *test,
			 bool *more)
{
	struct tb_scratch *scratch = shape->scratch;
	unsigned most;

	if (tb_view_node_idle(view, node))
		return true;
	if (!test->share_nodes)
		return false;
	refresh_tags(node, shape);
	tb_bitset_clear_all(scratch->used);
	find_holders(node, shape, view, test, scratch->used, scratch->holders);
	most = tb_share_whole(scratch->holders,
			      tb_topology_threads(shape->topology),
			      tb_slurm_takes_turns(&slurm_conf));
	*more = *more || (most >= test->share_nodes && most != TB_SHARE_NEVER);
	return most < test->share_nodes;
}

void tb_sharing_used(uint32_t node, const struct tb_shape *shape,
		     const struct tb_view *view, const struct tb_test *test,
		     const struct tb_request *request,
		     struct tb_scratch *scratch)
{
	if (!test->share) {
		tb_node_used(node, shape, view, test, scratch);
		return;
	}
	refresh_tags(node, shape);
	tb_node_used(node, shape, NULL, test, scratch);
	find_holders(node, shape, view, test, scratch->used, scratch->holders);
	tb_share_only_units(shape->topology,
			    tb_booked_unit(request, shape->by_thread),
			    scratch->holders);
	tb_share_used(scratch->holders, test->share, scratch->used);
}

static uint64_t *add_words(uint64_t *to, const struct tb_bitset *set)
{
	uint32_t words = (set->nbits + 63) / 64;

	memcpy(to, set->words, words * sizeof(*to));
	return to + words;
}

const struct tb_bitset *tb_sharing_state(uint32_t node,
					 const struct tb_shape *shape,
					 const struct tb_view *view,
					 const struct tb_test *test,
					 struct tb_scratch *scratch)
{
	uint16_t group = number_group(test->job->part_ptr);
	uint64_t *at = scratch->state->words;
	const struct tag *of_node;

	/* What was there before is gone then. */
	refresh_tags(node, shape);
	of_node = tags[node].by_core;
	tb_node_taken(node, NULL, test, scratch->cores);
	at = add_words(at, scratch->cores);
	tb_view_taken(view, node, scratch->cores);
	at = add_words(at, scratch->cores);
	TB_BITSET_EACH(core, scratch->cores) {
		struct tb_thread_use held =
			find_thread_use(node, core,
					of_node ? &of_node[core] : NULL, view,
					group);

		*at++ = (uint64_t)held.jobs << 32 | (uint64_t)held.first << 16 |
			held.last;
	}
	scratch->state->nbits = 64 * (at - scratch->state->words);
	return scratch->state;
}

bool tb_sharing_could_be_more(const struct tb_scratch *scratch,
			      const struct tb_test *test)
{
	for (uint32_t i = 0; test->share && i < scratch->used->nbits; i++)
		if (scratch->holders[i].jobs >= test->share &&
		    scratch->holders[i].jobs != TB_SHARE_NEVER)
			return true;
	return false;
}

int tb_sharing_place(struct tb_shape *shape, const struct tb_test *test,
		     const struct tb_request *request,
		     struct tb_affinity *affinity, uint32_t slots,
		     const struct tb_scratch *scratch)
{
	struct tb_request there = tb_request_masked(request,
						    tb_scratch_masked(scratch));

	if (affinity)
		return tb_place_with_devices(shape->placer, &there,
					     scratch->used,
					     test->share ? scratch->holders
							 : NULL,
					     test->share, affinity, slots);
	if (!test->share)
		return tb_place_together(shape->placer, &there, scratch->used,
					 slots);
	return tb_place_shared(shape->placer, &there, scratch->holders,
			       test->share, slots);
}

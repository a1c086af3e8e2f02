/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sharing.h"

#include "src/common/job_resources.h"
#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/share.h"

#include "ledger.h"
#include "scale.h"
#include "show.h"

/*
 * As which unit, by jobs of which group, a core is held while anybody holds
 * it.  Group 0: in a way that nobody can share.
 */
struct tag {
	uint16_t first, last; /* threads, see struct tb_holding */
	uint16_t group;
};

/* Of a node where somebody can share, else empty. */
struct tags {
	const struct tb_shape *shape; /* of which the units are */
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

static uint16_t group_of(const part_record_t *partition)
{
	uint32_t group = 0;

	while (group < group_count && groups[group] != partition)
		group++;
	if (group == group_count && group_count < UINT16_MAX) {
		xrecalloc(groups, group_count + 1, sizeof(*groups));
		groups[group_count++] = partition;
	}
	return group < group_count ? group + 1 : 0;
}

uint16_t tb_sharing_limit(const job_record_t *job)
{
	uint16_t most = job->part_ptr ? job->part_ptr->max_share : 1;
	bool forced = most & SHARED_FORCE;

	if (job->het_job_id || tb_wants_whole_nodes(job) ||
	    (!forced && job->details->share_res != 1))
		return 1;
	return MAX(most & ~SHARED_FORCE, 1);
}

/* Would the job let others have its units too? */
static bool lets_share(const job_record_t *job)
{
	return job->part_ptr && !job->het_job_id && !tb_wants_whole_nodes(job) &&
	       job->job_resrcs->node_req == NODE_CR_AVAILABLE;
}

/* Booked are whole cores, unless the node's cores are threads. */
static struct tb_unit booked_unit(const struct tb_shape *shape,
				  const struct tb_request *request)
{
	struct tb_unit unit = request->unit;

	/* A list of CPUs is made of them one by one. */
	if (request->cpus)
		unit.letter = 'T';
	if (unit.letter == 'T' && !shape->by_thread)
		unit.letter = 'C';
	return unit;
}

/* The threads of one of Slurm's cores. */
static void threads_of_core(const struct tb_shape *shape, uint32_t core,
			    uint32_t *first, uint32_t *count)
{
	*first = core;
	*count = 1;
	if (shape->by_thread)
		return;
	*first = tb_core_first_thread(shape->topology, core);
	*count = tb_core_threads(shape->topology, core);
}

/* As which units the job holds shape->cores, into shape->held. */
static void mark_units(struct tb_shape *shape, const struct tb_request *request)
{
	tb_shape_threads(shape, shape->cores, shape->threads);
	tb_bitset_clear_all(shape->used);
	tb_bitset_set_range(shape->used, 0, shape->used->nbits);
	tb_bitset_andnot(shape->used, shape->threads);
	tb_share_mark(shape->topology, booked_unit(shape, request),
		      shape->used, shape->held);
}

/* The job's cores of a node into shape->cores; they begin at its bit first. */
static void mark_grant(struct tb_shape *shape, const job_resources_t *granted,
		       uint32_t first, const struct tb_request *request,
		       uint16_t group)
{
	tb_bitset_clear_all(shape->cores);
	for (uint32_t core = 0; core < shape->cores->nbits; core++)
		if (bit_test(granted->core_bitmap, first + core))
			tb_bitset_set(shape->cores, core);
	if (group && !request->cpus)
		mark_units(shape, request);
}

/* As which unit a job of a group holds a core that nobody else holds. */
static struct tag tag_of(const struct tb_shape *shape,
			 const struct tb_request *request, uint32_t core,
			 uint16_t group)
{
	uint32_t first, count;

	threads_of_core(shape, core, &first, &count);
	if (!group)
		return (struct tag){ .group = 0 };
	if (request->cpus)
		return (struct tag){ first, first + count - 1, group };
	return (struct tag){ shape->held[first].first,
			     shape->held[first].last, group };
}

/* Units of another topology, which the node had, are none of this one. */
static struct tag *find_tags(uint32_t node, const struct tb_shape *shape)
{
	return tags[node].shape == shape ? tags[node].by_core : NULL;
}

/* New ones say of what is held already that nobody can share it. */
static void make_tags(uint32_t node, const struct tb_shape *shape)
{
	if (find_tags(node, shape))
		return;
	xfree(tags[node].by_core);
	tags[node].by_core = xcalloc(shape->cores->nbits,
				     sizeof(*tags[node].by_core));
	tags[node].shape = shape;
}

static bool same_tag(const struct tag *a, const struct tag *b)
{
	return a->group == b->group && a->first == b->first &&
	       a->last == b->last;
}

/* Tag shape->cores; what several jobs hold differently nobody can share. */
static void tag_cores(uint32_t node, const struct tb_shape *shape,
		      const struct tb_request *request, uint16_t group)
{
	const struct tb_bitset *cores = shape->cores;
	struct tag *of_node = find_tags(node, shape);
	struct tb_view *view = tb_view_now();

	for (unsigned core = tb_bitset_next(cores, 0); core < cores->nbits;
	     core = tb_bitset_next(cores, core + 1)) {
		struct tag tag = tag_of(shape, request, core, group);

		if (tb_view_core_holders(view, node, core) > 1 &&
		    !same_tag(&tag, &of_node[core]))
			tag.group = 0;
		of_node[core] = tag;
	}
	tb_view_destroy(view);
}

/* Could the job with these cores be one more on the node? */
static bool fits_beside(uint32_t node, const struct tb_shape *shape,
			const struct tb_request *request, uint16_t group,
			uint16_t limit)
{
	const struct tb_bitset *cores = shape->cores;
	const struct tag *of_node = find_tags(node, shape);
	struct tb_view *view = tb_view_now();
	bool fits = true;

	for (unsigned core = tb_bitset_next(cores, 0);
	     fits && core < cores->nbits;
	     core = tb_bitset_next(cores, core + 1)) {
		struct tag tag = tag_of(shape, request, core, group);
		uint16_t jobs = tb_view_core_holders(view, node, core);

		fits = !jobs || (group && of_node && jobs < limit &&
				 same_tag(&tag, &of_node[core]));
	}
	tb_view_destroy(view);
	return fits;
}

/* The job's cores of the node begin at bit first of its own. */
static void note_node(uint32_t node, const job_resources_t *granted,
		      uint32_t first, const struct tb_request *request,
		      uint16_t group)
{
	struct tb_shape *shape = tb_node_shape(node);

	if (!shape || (!group && !tags[node].by_core))
		return;
	make_tags(node, shape);
	mark_grant(shape, granted, first, request, group);
	tag_cores(node, shape, request, group);
}

/* The job's group and request; the caller clears it. */
static uint16_t find_group(const job_record_t *job, struct tb_request *request)
{
	tb_request_init(request);
	return lets_share(job) && tb_show_read_request(job, request)
		? group_of(job->part_ptr) : 0;
}

void tb_sharing_note(const job_record_t *job)
{
	const job_resources_t *granted = job->job_resrcs;
	struct tb_request request;
	uint32_t first = 0;
	uint16_t group;

	/* It has no entry when nodes changed under it: what it has is unclear. */
	if (!tb_ledger_has(job))
		return;
	group = find_group(job, &request);
	for (uint32_t node = 0; node < node_count; node++) {
		if (!bit_test(granted->node_bitmap, node))
			continue;
		note_node(node, granted, first, &request, group);
		first += node_record_table_ptr[node]->tot_cores;
	}
	tb_request_clear(&request);
}

bool tb_sharing_may_return(const job_record_t *job)
{
	const job_resources_t *granted = job->job_resrcs;
	uint16_t limit = tb_sharing_limit(job), group;
	struct tb_request request;
	uint32_t first = 0;
	bool fits = true;

	group = find_group(job, &request);
	for (uint32_t node = 0; fits && node < node_count; node++) {
		struct tb_shape *shape;

		if (!bit_test(granted->node_bitmap, node))
			continue;
		shape = tb_node_shape(node);
		if (shape)
			mark_grant(shape, granted, first, &request, group);
		fits = shape && fits_beside(node, shape, &request, group,
					    limit);
		first += node_record_table_ptr[node]->tot_cores;
	}
	tb_request_clear(&request);
	return fits;
}

/* How many jobs hold a core, for a job of a group that would be one more. */
static struct tb_holding holding_of(uint32_t node, uint32_t core,
				    const struct tag *tag,
				    const struct tb_view *view, uint16_t group)
{
	struct tb_holding held = {
		.jobs = tb_view_core_holders(view, node, core)
	};

	if (!held.jobs)
		return held;
	if (!tag || !tag->group || tag->group != group)
		held.jobs = TB_SHARE_NEVER;
	else
		held = (struct tb_holding){ held.jobs, tag->first, tag->last };
	return held;
}

/* shape->used is what the test could not have of an idle node. */
static void find_held(uint32_t node, struct tb_shape *shape,
		      const struct tb_view *view, const struct tb_test *test,
		      const struct tb_request *request)
{
	uint16_t group = group_of(test->job->part_ptr);
	const struct tag *of_node = find_tags(node, shape);

	for (uint32_t core = 0; core < shape->cores->nbits; core++) {
		struct tb_holding held =
			holding_of(node, core, of_node ? &of_node[core] : NULL,
				   view, group);
		uint32_t first, count;

		threads_of_core(shape, core, &first, &count);
		for (uint32_t i = first; i < first + count; i++) {
			shape->held[i] = held;
			if (tb_bitset_test(shape->used, i))
				shape->held[i].jobs = TB_SHARE_NEVER;
		}
	}
	tb_share_only_units(shape->topology, booked_unit(shape, request),
			    shape->held);
}

void tb_sharing_used(uint32_t node, struct tb_shape *shape,
		     const struct tb_view *view, const struct tb_test *test,
		     const struct tb_request *request)
{
	if (!test->share) {
		tb_node_used(node, shape, view, test);
		return;
	}
	tb_node_used(node, shape, NULL, test);
	find_held(node, shape, view, test, request);
	tb_share_used(shape->held, test->share, shape->used);
}

bool tb_sharing_could_be_more(const struct tb_shape *shape,
			      const struct tb_test *test)
{
	for (uint32_t i = 0; test->share && i < shape->used->nbits; i++)
		if (shape->held[i].jobs >= test->share &&
		    shape->held[i].jobs != TB_SHARE_NEVER)
			return true;
	return false;
}

int tb_sharing_place(struct tb_shape *shape, const struct tb_test *test,
		     const struct tb_request *request, struct tb_near *near,
		     uint32_t slots)
{
	if (near)
		return tb_place_near(shape->placer, request, shape->used,
				     test->share ? shape->held : NULL,
				     test->share, near, slots);
	if (!test->share)
		return tb_place(shape->placer, request, shape->used, slots);
	return tb_place_shared(shape->placer, request, shape->held,
			       test->share, slots);
}

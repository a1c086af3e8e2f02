/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offers.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "scale.h"
#include "sharing.h"
#include "unit_sizes.h"

/* The CPUs that Slurm counts for a set of threads of the node. */
static uint32_t cpus_of(const struct tb_offers *offers, const job_record_t *job,
			uint32_t node, struct tb_shape *shape,
			const struct tb_bitset *threads)
{
	uint32_t per_core = tb_cpus_per_core(job, node);

	/* Slots of threads can share a core; whole cores are the host's. */
	if (offers->request->unit.letter == 'T' &&
	    offers->request->type == TB_SLOT &&
	    per_core == node_record_table_ptr[node]->tpc)
		return tb_bitset_count(threads);
	tb_shape_cores(shape, threads, shape->cores);
	return tb_bitset_count(shape->cores) * per_core;
}

/* How many units hold the CPUs of one task of an implicitly bound job? */
static uint32_t units_per_task(const struct tb_offers *offers,
			       const struct tb_test *test, uint32_t node,
			       struct tb_shape *shape)
{
	uint32_t unit_cpus;

	if (tb_sharing_place(shape, test, offers->request, NULL, 1) <= 0)
		return 0;
	unit_cpus = cpus_of(offers, test->job, node, shape,
			    tb_placed_threads(shape->placer));
	return (test->implicit_cpus + unit_cpus - 1) / unit_cpus;
}

/* So many tasks have units together; 0: each slot has its own. */
static struct tb_near *find_near(const struct tb_offers *offers, uint32_t node,
				 struct tb_shape *shape, uint32_t tasks)
{
	return offers->devices
		? tb_devices_find(offers->devices, node, shape, offers->view,
				  tasks)
		: NULL;
}

/*
 * The units of all tasks at once, as host type places them, for as many of the
 * tasks as there are units for.
 */
static int place_implicit(const struct tb_offers *offers,
			  const struct tb_test *test, uint32_t node,
			  struct tb_shape *shape, uint32_t tasks)
{
	struct tb_request whole = *offers->request; /* borrows its filter */
	uint32_t per_task = units_per_task(offers, test, node, shape);

	if (!per_task)
		return 0;
	tasks = MIN(tasks, tb_units_available(shape->topology, whole.unit,
					      shape->used) / per_task);
	whole.type = TB_HOST;
	for (; tasks; tasks--) {
		struct tb_near *near = find_near(offers, node, shape, tasks);

		whole.amount = tasks * per_task;
		if (tb_sharing_place(shape, test, &whole, near, tasks) > 0)
			return tasks;
		/* All of the available ones: only what is near is too few. */
		if (!near)
			break;
	}
	return 0;
}

uint32_t tb_offers_place(const struct tb_offers *offers,
			 const struct tb_test *test,
			 const struct tb_offer *offer, struct tb_shape *shape,
			 uint32_t slots)
{
	uint32_t per_host = offers->request->type == TB_HOST;
	int placed;

	tb_sharing_used(offer->node, shape, offers->view, test,
			offers->request);
	if (offer->unit_size)
		tb_unit_size_only(shape, offers->request->unit,
				  offer->unit_size, test->share);
	if (test->implicit_cpus)
		placed = place_implicit(offers, test, offer->node, shape,
					slots);
	else
		placed = tb_sharing_place(shape, test, offers->request,
					  find_near(offers, offer->node, shape,
						    per_host), slots);
	if (placed <= 0)
		return 0;
	tb_shape_cores(shape, tb_placed_threads(shape->placer), shape->cores);
	return offers->request->type == TB_HOST ? 1 : placed;
}

/*
 * How many of the placed slots, from the first on, are as large as the first.
 * Where units differ in size only those can be asked for in one go.
 */
static uint32_t equal_slots(const struct tb_offers *offers,
			    const job_record_t *job, uint32_t node,
			    struct tb_shape *shape, uint32_t *cpus)
{
	uint32_t groups = tb_placed_groups(shape->placer), equal;

	tb_placed_group(shape->placer, 0, shape->threads);
	*cpus = cpus_of(offers, job, node, shape, shape->threads);
	for (equal = 1; equal < groups; equal++) {
		tb_placed_group(shape->placer, equal, shape->threads);
		if (cpus_of(offers, job, node, shape, shape->threads) != *cpus)
			break;
	}
	return equal;
}

static bool is_short_of(uint16_t wanted, uint16_t there)
{
	return wanted != NO_VAL16 && wanted > there;
}

/* --sockets-per-node, --cores-per-socket, --threads-per-core, -B. */
static bool node_is_large_enough(uint32_t node, const job_record_t *job)
{
	const multi_core_data_t *wanted = job->details->mc_ptr;
	const node_record_t *record = node_record_table_ptr[node];

	return !wanted ||
	       !(is_short_of(wanted->sockets_per_node, record->tot_sockets) ||
		 is_short_of(wanted->cores_per_socket, record->cores) ||
		 is_short_of(wanted->threads_per_core, record->tpc));
}

/* An offer of some of the node's units that is no more than that of any. */
static bool is_needless(const struct tb_offers *offers,
			const struct tb_offer *offer)
{
	const struct tb_offer *own = offers->list + offers->count;

	while (own > offers->list && own[-1].node == offer->node) {
		own--;
		if (own->cpus == offer->cpus && own->slots >= offer->slots)
			return true;
	}
	return false;
}

static void add_offer(struct tb_offers *offers, const struct tb_offer *offer)
{
	if (is_needless(offers, offer))
		return;
	if (offers->count == offers->room) {
		offers->room *= 2;
		xrecalloc(offers->list, offers->room, sizeof(*offers->list));
	}
	offers->list[offers->count++] = *offer;
}

/* What the node has in units of one size, or in any. */
static void offer_units(struct tb_offers *offers, const struct tb_test *test,
			uint32_t node, struct tb_shape *shape,
			uint32_t unit_size)
{
	struct tb_offer offer = { .node = node, .unit_size = unit_size };
	uint32_t slots, cpus;

	slots = tb_offers_place(offers, test, &offer, shape,
				tb_job_slots_per_node(test->job));
	offers->could_be_more |= tb_sharing_could_be_more(shape, test);
	if (!slots)
		return;
	if (test->implicit_cpus)
		cpus = cpus_of(offers, test->job, node, shape,
			       tb_placed_threads(shape->placer)) / slots;
	else
		slots = equal_slots(offers, test->job, node, shape, &cpus);
	/* -c must fit into a slot's units, and Slurm counts in 16 bits. */
	if (cpus < test->job->details->cpus_per_task || cpus >= NO_VAL16)
		return;
	/* --mincpus, and what MaxMemPerCPU makes of --mem. */
	if (cpus * slots < test->job->details->pn_min_cpus)
		return;
	offer.slots = slots;
	offer.cpus = cpus;
	add_offer(offers, &offer);
}

static void offer_node(struct tb_offers *offers, const struct tb_test *test,
		       uint32_t node)
{
	struct tb_shape *shape = tb_node_shape_for(node, test->job);
	const struct tb_request *request = offers->request;
	uint32_t size = 0;

	if (!shape || !node_is_large_enough(node, test->job) ||
	    (tb_wants_whole_nodes(test->job) &&
	     !tb_view_node_idle(offers->view, node)))
		return;
	offer_units(offers, test, node, shape, 0);
	if (request->type == TB_HOST || request->cpus || test->implicit_cpus)
		return;
	while ((size = tb_unit_size_after(shape, request->unit, size)))
		offer_units(offers, test, node, shape, size);
}

/* First what the placement finds by itself, then what it is made to find. */
static int by_size(const void *left, const void *right)
{
	const struct tb_offer *a = left, *b = right;

	if (!a->unit_size != !b->unit_size)
		return a->unit_size ? 1 : -1;
	if (a->cpus != b->cpus)
		return a->cpus < b->cpus ? -1 : 1;
	return a->node < b->node ? -1 : 1;
}

struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view)
{
	struct tb_offers *offers = xmalloc(sizeof(*offers));

	offers->request = request;
	offers->view = view;
	offers->devices = tb_devices_create(test);
	offers->room = bit_set_count(test->nodes) + 1;
	offers->list = xcalloc(offers->room, sizeof(*offers->list));
	for (uint32_t node = 0; node < tb_node_count(); node++)
		if (bit_test(test->nodes, node))
			offer_node(offers, test, node);
	if (request->type == TB_SLOT)
		qsort(offers->list, offers->count, sizeof(*offers->list),
		      by_size);
	return offers;
}

void tb_offers_destroy(struct tb_offers *offers)
{
	if (!offers)
		return;
	tb_devices_destroy(offers->devices);
	xfree(offers->list);
	xfree(offers);
}

uint32_t tb_offers_class(const struct tb_offers *offers, uint32_t next)
{
	const struct tb_offer *own = &offers->list[next];
	uint32_t end = next;

	if (next >= offers->count)
		return 0;
	if (offers->request->type == TB_HOST)
		return offers->count;
	while (end < offers->count && offers->list[end].cpus == own->cpus &&
	       !offers->list[end].unit_size == !own->unit_size)
		end++;
	return end;
}

uint32_t tb_offers_cpus(const struct tb_offers *offers, uint32_t first,
			uint32_t end)
{
	uint32_t cpus = offers->list[first].cpus;

	for (uint32_t i = first; i < end; i++)
		cpus = MIN(cpus, offers->list[i].cpus);
	return cpus;
}

static int descending(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? 1 : a > b ? -1 : 0;
}

uint32_t tb_offer_holds(const struct tb_offers *offers,
			const struct tb_test *test,
			const struct tb_offer *offer)
{
	if (offers->request->type == TB_SLOT || test->job->details->overcommit)
		return offer->slots;
	return offer->cpus / MAX(test->job->details->cpus_per_task, 1);
}

uint32_t tb_offers_hold(const struct tb_offers *offers,
			const struct tb_test *test, uint32_t first,
			uint32_t end)
{
	bitstr_t *required = test->job->details->req_node_bitmap;
	uint32_t missing = required ? bit_set_count(required) : 0;
	uint32_t *others = xcalloc(end - first, sizeof(*others));
	uint32_t count = 0, sum = 0, left = test->max_nodes;

	for (uint32_t i = first; i < end; i++) {
		uint32_t holds = tb_offer_holds(offers, test,
						&offers->list[i]);

		if (required && bit_test(required, offers->list[i].node)) {
			sum += holds;
			left -= left > 0;
			missing--;
		} else {
			others[count++] = holds;
		}
	}
	qsort(others, count, sizeof(*others), descending);
	for (uint32_t i = 0; !missing && i < count && i < left; i++)
		sum += others[i];
	xfree(others);
	return sum;
}

void tb_allow_cores(uint32_t node, const struct tb_bitset *cores,
		    struct tb_mask *mask)
{
	for (unsigned core = tb_bitset_next(cores, 0); core < cores->nbits;
	     core = tb_bitset_next(cores, core + 1))
		tb_mask_allow(mask, node, core);
}

void tb_offers_allow(const struct tb_offers *offers, const struct tb_test *test,
		     uint32_t first, uint32_t end, struct tb_mask *mask)
{
	for (uint32_t i = first; i < end; i++) {
		const struct tb_offer *offer = &offers->list[i];
		struct tb_shape *shape = tb_node_shape(offer->node);

		tb_offers_place(offers, test, offer, shape, offer->slots);
		tb_allow_cores(offer->node, shape->cores, mask);
	}
}

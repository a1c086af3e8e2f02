/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "offers.h"

#include "src/common/xmalloc.h"

#include "core/plan/near_devices.h"

#include "offer_placement.h"
#include "scale.h"
#include "select_topobind/books/sharing.h"
#include "unit_sizes.h"

static uint16_t get_given(uint16_t number)
{
	return number == NO_VAL16 ? 0 : number;
}

/* --sockets-per-node, --cores-per-socket, --threads-per-core, -B. */
static bool node_is_large_enough(uint32_t node, const job_record_t *job)
{
	const multi_core_data_t *wanted = job->details->mc_ptr;
	const node_record_t *record = node_record_table_ptr[node];
	const struct tb_layout there = { record->tot_sockets, record->cores,
					 record->tpc };
	struct tb_layout asked;

	if (!wanted)
		return true;
	asked = (struct tb_layout){ get_given(wanted->sockets_per_node),
				    get_given(wanted->cores_per_socket),
				    get_given(wanted->threads_per_core) };
	return tb_layout_suffices(&there, &asked);
}

/* For a job that wants all of it: nobody has any of it, and nothing is lost. */
static bool node_is_whole(struct tb_offers *offers, const struct tb_test *test,
			  uint32_t node, const struct tb_shape *shape)
{
	if (tb_test_mode(test) != TB_TEST_ONLY && tb_node_lost_cores(node))
		return false;
	return tb_sharing_has_node(node, shape, offers->view, test,
				   &offers->could_be_more);
}

static bool node_is_offered(struct tb_offers *offers,
			    const struct tb_test *test, uint32_t node,
			    const struct tb_shape *shape)
{
	if (shape && tb_test_mode(test) == TB_RUN_NOW &&
	    tb_node_is_overloaded(node))
		return false;
	return shape && node_is_large_enough(node, test->job) &&
	       (!tb_wants_whole_nodes(test->job) ||
		node_is_whole(offers, test, node, shape));
}

/* Another offer of the node in its class has the same slots, and as many. */
static bool is_needless(const struct tb_offers *offers,
			const struct tb_offer *offer)
{
	const struct tb_offer *own = offers->list + offers->count;

	while (own > offers->list && own[-1].node == offer->node)
		if (tb_offer_is_needless(offer, --own))
			return true;
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

/* Do fewer or more devices of those for all nodes let it have more slots? */
static bool can_vary_devices(const struct tb_offers *offers)
{
	struct tb_devices_asked asked;

	return offers->request->type == TB_SLOT &&
	       tb_devices_must_be_near(offers->devices) &&
	       tb_devices_asked_one(offers->devices, &asked) && asked.per_job &&
	       tb_devices_are_for_nodes(offers->devices);
}

struct most_slots {
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_offer offer;
	struct tb_shape *shape;
	uint32_t slots;
};

static const struct tb_placed *place_near(struct most_slots *most,
					  uint32_t number)
{
	most->offer.devices = number == TB_DEVICES_ALL_FREE
				      ? tb_devices_free(most->offers->devices)
				      : number;
	return tb_offers_place(most->offers, most->test, &most->offer,
			       most->shape, most->slots);
}

static uint32_t count_near(void *arg, uint32_t number)
{
	return place_near(arg, number)->equal;
}

/* The placement with most slots: near so many of the devices for all nodes as is best. */
static const struct tb_placed *
place_most(struct tb_offers *offers, const struct tb_test *test,
	   struct tb_offer *offer, struct tb_shape *shape, uint32_t slots)
{
	struct most_slots most = { offers, test, *offer, shape, slots };
	const struct tb_placed *placed = place_near(&most, 0);

	if (placed->equal < slots && can_vary_devices(offers))
		placed = place_near(&most,
				    tb_devices_for_most_slots(count_near, &most,
							      slots));
	offer->devices = most.offer.devices;
	return placed;
}

/* The offers of a test, of one node at a time. */
struct offering {
	struct tb_offering core;
	struct tb_offers *offers;
	const struct tb_test *test;
	struct tb_shape *shape;
	uint32_t slots; /* of a node at most */
};

static void place_offer(void *arg, struct tb_offer *offer, struct tb_room *room)
{
	struct offering *offering = arg;
	struct tb_offers *offers = offering->offers;
	const struct tb_test *test = offering->test;
	const struct tb_placed *placed;

	if (offer->unequal) {
		placed = tb_offers_place(offers, test, offer, offering->shape,
					 offering->slots);
	} else {
		placed = place_most(offers, test, offer, offering->shape,
				    offering->slots);
		offers->could_be_more |= placed->could_be_more;
		offers->without_memory += !placed->equal &&
					  placed->lacks_memory;
	}
	*room = (struct tb_room){
		.slots = placed->slots,
		.equal = placed->equal,
		.cpus = placed->cpus,
		.least = placed->least,
		.largest = placed->largest,
		.runs = placed->runs,
		.placed = offers->memo ? placed : NULL,
	};
}

static uint32_t find_size_after(void *arg, uint32_t size)
{
	const struct offering *offering = arg;

	return tb_unit_size_after(offering->shape,
				  offering->offers->request->unit, size);
}

static void take_offer(void *arg, const struct tb_offer *offer)
{
	const struct offering *offering = arg;

	add_offer(offering->offers, offer);
}

static void begin_offering(struct offering *offering, struct tb_offers *offers,
			   const struct tb_test *test)
{
	struct tb_asked asked = tb_job_asked(test->job);

	*offering = (struct offering){
		.core = {
			.request = offers->request,
			.booking = {
				.task_cpus = asked.task_cpus,
				.node_cpus = tb_asked_cpus_of_node(&asked),
			},
			.enough = tb_asked_cpus_on_one(&asked,
						       test->max_nodes),
			.implicit = test->implicit_cpus,
			.one_size = test->job->gres_list_req != NULL,
			.place = place_offer,
			.size_after = find_size_after,
			.add = take_offer,
		},
		.offers = offers,
		.test = test,
		.slots = tb_asked_slots_of_node(&asked),
	};
	offering->core.arg = offering;
}

/* False: the node has nothing to offer. */
static bool turn_to_node(struct offering *offering, uint32_t node)
{
	const struct tb_test *test = offering->test;

	if (!bit_test(test->nodes, node))
		return false;
	offering->shape = tb_node_shape_for(node, test->job,
					    offering->offers->request);
	if (!node_is_offered(offering->offers, test, node, offering->shape))
		return false;
	offering->core.cpus_per_core = tb_cpus_per_core(test->job, node);
	offering->core.booking.left =
		tb_partition_limit_left(offering->offers->limit, node);
	return true;
}

static void offer_nodes(struct tb_offers *offers, const struct tb_test *test)
{
	uint32_t nodes = tb_node_count();
	struct offering offering;
	bool differ = false;

	begin_offering(&offering, offers, test);
	for (uint32_t node = 0; node < nodes; node++)
		if (turn_to_node(&offering, node))
			differ = tb_offering_equal(&offering.core, node) ||
				 differ;
	for (uint32_t node = 0; differ && node < nodes; node++)
		if (turn_to_node(&offering, node))
			tb_offering_larger(&offering.core, node);
	/*
	 * GRES are chosen by what a task asks for, so jobs with some have equal
	 * slots.  Of others pass 2 asks for all cores of unequal ones.
	 */
	for (uint32_t node = 0;
	     tb_offering_is_unequal(&offering.core) && node < nodes; node++)
		if (turn_to_node(&offering, node))
			tb_offering_unequal(&offering.core, node);
	offers->limited = offering.core.limited;
	tb_classes_sort(offers->request->type, offers->list, offers->count);
}

struct tb_offers *tb_offers_create(const struct tb_test *test,
				   const struct tb_request *request,
				   const struct tb_view *view)
{
	struct tb_offers *offers = xmalloc(sizeof(*offers));

	offers->request = request;
	offers->view = view;
	offers->held = tb_wants_whole_nodes(test->job) ? NULL : view;
	offers->devices = tb_devices_create(test);
	offers->limit = tb_partition_limit_create(test, view);
	offers->memory = tb_node_memory_create(test, request, view);
	offers->filter = tb_job_filter(test->job);
	offers->memo = test->memo;
	offers->room = bit_set_count(test->nodes) + 1;
	offers->list = xcalloc(offers->room, sizeof(*offers->list));
	offer_nodes(offers, test);
	return offers;
}

void tb_offers_destroy(struct tb_offers *offers)
{
	if (!offers)
		return;
	tb_devices_destroy(offers->devices);
	tb_node_memory_destroy(offers->memory);
	tb_partition_limit_destroy(offers->limit);
	xfree(offers->list);
	xfree(offers);
}

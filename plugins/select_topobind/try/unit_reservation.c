/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit_reservation.h"

#include <stdlib.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "core/request/alternatives.h"
#include "select_topobind/nodes/nodes.h"

#include "offer_sets.h"
#include "offers.h"
#include "slot_deal.h"

/* ---- which nodes ---- */

/* What is looked for among the offers of one class. */
struct choice {
	const struct tb_offer **offers; /* those with most slots first */
	uint32_t count;
	uint32_t slots, nodes; /* wanted; nodes 0: as few as can be */
};

static int compare_offers(const void *left, const void *right)
{
	const struct tb_offer *a = *(const struct tb_offer *const *)left;
	const struct tb_offer *b = *(const struct tb_offer *const *)right;

	if (a->slots != b->slots)
		return a->slots > b->slots ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Drop those that are not needed.  False: there are too few. */
static bool choose_nodes(struct choice *choice)
{
	uint64_t slots = 0;
	uint32_t nodes = 0;

	while (nodes < choice->count &&
	       (choice->nodes ? nodes < choice->nodes : slots < choice->slots))
		slots += choice->offers[nodes++]->slots;
	choice->count = nodes;
	return slots >= choice->slots &&
	       (!choice->nodes || nodes == choice->nodes);
}

/* ---- which cores ---- */

/* The slots are dealt out evenly among the chosen nodes. */
static bitstr_t *deal_slots(const struct choice *choice,
			    struct tb_offers *offers,
			    const struct tb_test *test)
{
	struct tb_slot_deal *deal = tb_slot_deal_create(choice->count);
	bitstr_t *cores = NULL;

	for (uint32_t i = 0; i < choice->count; i++)
		tb_slot_deal_add(deal, choice->offers[i], 0, 0);
	if (!tb_deal(deal->dealt, deal->count, choice->slots))
		cores = tb_slot_deal_bits(deal, offers, test);
	tb_slot_deal_destroy(deal);
	return cores;
}

/* Out of the offers [first, end), which are a class. */
static bitstr_t *choose_in_class(const struct tb_unit_reservation *asked,
				 struct tb_offers *offers,
				 const struct tb_test *test, uint32_t first,
				 uint32_t end)
{
	struct choice choice = { .slots = asked->wanted->slots,
				 .nodes = asked->wanted->nodes };
	bitstr_t *cores = NULL;

	choice.offers = xcalloc(end - first, sizeof(*choice.offers));
	for (uint32_t i = first; i < end; i++)
		choice.offers[choice.count++] = &offers->list[i];
	qsort(choice.offers, choice.count, sizeof(*choice.offers),
	      compare_offers);
	if (choose_nodes(&choice))
		cores = deal_slots(&choice, offers, test);
	if (cores && asked->cores &&
	    (uint32_t)bit_set_count(cores) != asked->cores)
		FREE_NULL_BITMAP(cores);
	xfree(choice.offers);
	return cores;
}

static bitstr_t *choose_plain(const struct tb_unit_reservation *asked,
			      const struct tb_test *test,
			      const struct tb_request *plain,
			      const struct tb_view *view)
{
	struct tb_offers *offers = tb_offers_create(test, plain, view);
	bitstr_t *cores = NULL;
	uint32_t first = 0, end;

	while (!cores && (end = tb_offers_class(offers, first))) {
		cores = choose_in_class(asked, offers, test, first, end);
		first = end;
	}
	tb_offers_destroy(offers);
	return cores;
}

/* The first of the alternatives that there is room for. */
static bitstr_t *choose_any(const struct tb_unit_reservation *asked,
			    const struct tb_test *test,
			    const struct tb_view *view)
{
	const struct tb_request *request = &asked->wanted->request;
	unsigned count = tb_request_plain_count(request);
	bitstr_t *cores = NULL;

	for (unsigned i = 0; !cores && i < count; i++) {
		struct tb_request plain = tb_request_plain(request, i);

		cores = choose_plain(asked, test, &plain, view);
	}
	return cores;
}

/* ---- when ---- */

struct until {
	struct tb_view *view;
	time_t start;
};

/* As Slurm has it: a job that ends at that second is in the way. */
static int end_job(void *item, void *arg)
{
	const job_record_t *job = item;
	struct until *until = arg;

	if (tb_ledger_has(job) && job->end_time < until->start)
		tb_view_end_job(until->view, job);
	return 0;
}

static struct tb_view *view_at(time_t start)
{
	struct until until = { tb_view_now(), start };

	if (job_list && start > time(NULL))
		list_for_each(job_list, end_job, &until);
	return until.view;
}

bitstr_t *tb_unit_reservation_choose(const struct tb_unit_reservation *asked)
{
	const struct tb_reserved_request *wanted = asked->wanted;
	job_details_t details = {
		.num_tasks = wanted->slots,
		.min_nodes = MAX(wanted->nodes, 1),
		.max_nodes = wanted->nodes ? wanted->nodes : wanted->slots,
		.ntasks_per_node = MIN(wanted->per_node, NO_VAL16 - 1),
		.cpus_per_task = 1,
		.pn_min_cpus = 1,
	};
	job_record_t job = { .details = &details,
			     .part_ptr = asked->partition,
			     .bit_flags = JOB_NTASKS_SET };
	struct tb_test test = {
		.job = &job,
		.nodes = asked->nodes,
		.min_nodes = details.min_nodes,
		.max_nodes = details.max_nodes,
		.req_nodes = details.min_nodes,
		.excluded = asked->excluded,
	};
	struct tb_view *view;
	bitstr_t *cores;

	if (asked->all_nodes &&
	    wanted->nodes != (uint32_t)bit_set_count(asked->nodes))
		return NULL;
	tb_test_set_will_run(&test);
	tb_nodes_freeze();
	view = view_at(asked->start);
	cores = choose_any(asked, &test, view);
	tb_view_destroy(view);
	tb_nodes_thaw();
	return cores;
}

bitstr_t *tb_unit_reservation_nodes(const bitstr_t *cores)
{
	bitstr_t *nodes = bit_alloc(tb_node_count());

	for (uint32_t node = 0; node < tb_node_count(); node++) {
		uint32_t first = tb_node_first_core(node);

		if (node_record_table_ptr[node] &&
		    bit_set_count_range((bitstr_t *)cores, first,
					first + node_record_table_ptr[node]
							->tot_cores))
			bit_set(nodes, node);
	}
	return nodes;
}

/* ---- whose text ---- */

struct search {
	time_t start;
	uint32_t cores;
	const char *text;    /* of the first one */
	const char *carried; /* of the one that is about to be made */
	bool unlike;
};

static bool is_carried(const slurmctld_resv_t *reservation, time_t start)
{
	struct tb_reserved_request reserved;
	const char *text = tb_reservation_text(reservation);
	bool found = !xstrcmp(reservation->name, TB_RESERVE_CARRIER) &&
		     !tb_reserved_request_read(&reserved, text, NULL);

	if (!found)
		return false;
	found = reserved.start == (int64_t)start;
	tb_reserved_request_clear(&reserved);
	return found;
}

/* One on a node that is out of service. */
static bool lost_its_node(const slurmctld_resv_t *reservation,
			  const struct search *search)
{
	return reservation->core_bitmap && reservation->node_bitmap &&
	       reservation->node_cnt == 1 &&
	       reservation->start_time == search->start &&
	       reservation->core_cnt == search->cores &&
	       !bit_super_set(reservation->node_bitmap, avail_node_bitmap);
}

static int look_at(void *item, void *arg)
{
	const slurmctld_resv_t *reservation = item;
	struct search *search = arg;
	const char *text = tb_reservation_text(reservation);

	if (is_carried(reservation, search->start))
		search->carried = text;
	if (!lost_its_node(reservation, search))
		return 0;
	search->unlike = search->unlike ||
			 (search->text && xstrcmp(search->text, text));
	search->text = text;
	return 0;
}

const char *tb_unit_reservation_find_text(time_t start, uint32_t cores,
					  bool *again)
{
	struct search search = { .start = start, .cores = cores };

	if (resv_list)
		list_for_each(resv_list, look_at, &search);
	*again = !search.carried;
	if (search.carried)
		return search.carried;
	return search.unlike ? NULL : search.text;
}

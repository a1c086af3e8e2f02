/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger.h"

#include <string.h>

#include "src/common/xhash.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"

#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/request/hetjob.h"

#include "holders.h"
#include "memory_books.h"
#include "one_row.h"

/* What a job holds. */
struct ledger_entry {
	uint32_t job_id; /* its key */
	bool bound;
	const void *turns; /* the partition in which it takes turns, or NULL */
	const void *row;   /* one_row.h; or NULL */
	uint32_t node_count;
	uint32_t *nodes;   /* ascending */
	uint64_t *cores;   /* of these nodes, one after another */
	uint32_t words;	   /* of cores */
	uint64_t ended_in; /* serial number of the view in which it has ended */
	uint64_t excepted_in; /* and of the visit that leaves it out */
};

static xhash_t *entries;
static unsigned bound_entries;
static struct tb_holders present;
static uint32_t *drops; /* by node: how many jobs have left it */
static uint32_t node_count;

struct tb_view {
	uint64_t serial;
	const struct tb_holders *counts; /* NULL: idle */
	struct tb_holders copy;
	struct tb_gres_back *gres; /* of the jobs that have ended */
};

static void get_entry_key(void *item, const char **key, uint32_t *length)
{
	struct ledger_entry *entry = item;

	*key = (const char *)&entry->job_id;
	*length = sizeof(entry->job_id);
}

static void destroy_entry(void *item)
{
	struct ledger_entry *entry = item;

	xfree(entry->cores);
	xfree(entry->nodes);
	xfree(entry);
}

void tb_ledger_fini(void)
{
	if (entries)
		xhash_free(entries);
	entries = NULL;
	bound_entries = 0;
	tb_holders_clear(&present);
	tb_holders_forget_places();
	tb_one_row_reset();
	xfree(drops);
	node_count = 0;
}

void tb_ledger_reset(void)
{
	tb_ledger_fini();
	node_count = tb_node_count();
	entries = xhash_init(get_entry_key, destroy_entry);
	tb_holders_find_places();
	tb_holders_init(&present);
	drops = xcalloc(node_count + 1, sizeof(*drops));
}

/* Call visit for each word of cores that the entry holds. */
static void visit_words(const struct ledger_entry *entry,
			tb_cores_visitor visit, void *arg)
{
	const uint64_t *at = entry->cores;

	for (uint32_t i = 0; i < entry->node_count; i++) {
		uint32_t words = tb_words_of_node(entry->nodes[i]);

		for (uint32_t word = 0; word < words; word++, at++)
			if (*at)
				visit(entry->nodes[i], word, *at, arg);
	}
}

struct each_core {
	tb_core_visitor visit;
	void *arg;
};

static void visit_cores_of_word(uint32_t node, uint32_t word, uint64_t cores,
				void *arg)
{
	const struct each_core *each = arg;

	for (; cores; cores &= cores - 1)
		each->visit(node, word * 64 + __builtin_ctzll(cores),
			    each->arg);
}

static uint64_t core_bit(uint32_t core)
{
	return (uint64_t)1 << core % 64;
}

/* --- entries ----------------------------------------------------------------- */

static struct ledger_entry *find_entry(uint32_t job_id)
{
	return xhash_get(entries, (const char *)&job_id, sizeof(job_id));
}

/*
 * Has the job's allocation the sizes of its nodes?  Not when nodes were changed
 * while it ran; Slurm is about to end it.
 */
static bool sizes_agree(const job_resources_t *allocated)
{
	struct tb_allocated_node at = { 0 };
	uint32_t cores = 0;

	if (!allocated || !allocated->core_bitmap || !allocated->node_bitmap ||
	    bit_size(allocated->node_bitmap) != node_count)
		return false;
	while (tb_allocated_node_next(allocated, &at))
		cores += tb_cores_of_node(at.node);
	return cores == bit_size(allocated->core_bitmap);
}

/* From Slurm's bitmap, where no space is between nodes. */
static void copy_cores(struct ledger_entry *entry, bitstr_t *cores)
{
	uint64_t *at;
	uint32_t bit = 0;

	for (uint32_t i = 0; i < entry->node_count; i++)
		entry->words += tb_words_of_node(entry->nodes[i]);
	at = entry->cores = xcalloc(entry->words + 1, sizeof(*entry->cores));
	for (uint32_t i = 0; i < entry->node_count; i++) {
		uint32_t node = entry->nodes[i];

		for (uint32_t core = 0; core < tb_cores_of_node(node);
		     core++, bit++)
			if (bit_test(cores, bit))
				at[core / 64] |= core_bit(core);
		at += tb_words_of_node(node);
	}
}

static struct ledger_entry *create_entry(const job_record_t *job, bool bound,
					 const void *turns)
{
	const job_resources_t *allocated = job->job_resrcs;
	struct ledger_entry *entry = xmalloc(sizeof(*entry));
	struct tb_allocated_node at = { 0 };

	entry->job_id = job->job_id;
	entry->bound = bound;
	entry->turns = turns;
	entry->row = tb_one_row_of(job);
	entry->nodes = xcalloc(bit_set_count(allocated->node_bitmap) + 1,
			       sizeof(*entry->nodes));
	while (tb_allocated_node_next(allocated, &at))
		entry->nodes[entry->node_count++] = at.node;
	copy_cores(entry, allocated->core_bitmap);
	return entry;
}

bool tb_ledger_has(const job_record_t *job)
{
	return entries && find_entry(job->job_id);
}

bool tb_ledger_is_bound(const job_record_t *job)
{
	const struct ledger_entry *entry = entries ? find_entry(job->job_id)
						   : NULL;

	return entry && entry->bound;
}

/* Must topobind keep plain jobs like these from its cores? */
static bool is_apart(const struct ledger_entry *entry, const void *turns,
		     const void *row)
{
	return entry->bound && !(turns && entry->turns == turns) &&
	       !(row && entry->row == row);
}

bool tb_ledger_is_apart(const job_record_t *job, const void *turns,
			const void *row)
{
	const struct ledger_entry *entry = entries ? find_entry(job->job_id)
						   : NULL;

	return entry && is_apart(entry, turns, row);
}

bool tb_ledger_remove(const job_record_t *job)
{
	struct ledger_entry *entry = entries ? find_entry(job->job_id) : NULL;

	if (!entry)
		return false;
	tb_holders_drop(&present, entry->nodes, entry->node_count,
			entry->cores);
	for (uint32_t i = 0; i < entry->node_count; i++)
		drops[entry->nodes[i]]++;
	bound_entries -= entry->bound;
	tb_one_row_count(entry->row, -(int)entry->bound);
	xhash_delete(entries, (const char *)&job->job_id, sizeof(job->job_id));
	return true;
}

uint32_t tb_ledger_drops(uint32_t node)
{
	return drops[node];
}

static bool is_same_entry(const struct ledger_entry *a,
			  const struct ledger_entry *b)
{
	return a->bound == b->bound && a->turns == b->turns &&
	       a->row == b->row && a->node_count == b->node_count &&
	       !memcmp(a->nodes, b->nodes, sizeof(*a->nodes) * a->node_count) &&
	       !memcmp(a->cores, b->cores, sizeof(*a->cores) * a->words);
}

static bool words_intersect(const uint64_t *a, const uint64_t *b,
			    uint32_t words)
{
	for (uint32_t word = 0; word < words; word++)
		if (a[word] & b[word])
			return true;
	return false;
}

/* Is there a core that both hold?  Their nodes are in ascending order. */
static bool entries_overlap(const struct ledger_entry *a,
			    const struct ledger_entry *b)
{
	const uint64_t *of_a = a->cores, *of_b = b->cores;
	uint32_t i = 0, j = 0;

	while (i < a->node_count && j < b->node_count) {
		uint32_t left = a->nodes[i], right = b->nodes[j];

		if (left == right &&
		    words_intersect(of_a, of_b, tb_words_of_node(left)))
			return true;
		if (left <= right) {
			of_a += tb_words_of_node(left);
			i++;
		}
		if (right <= left) {
			of_b += tb_words_of_node(right);
			j++;
		}
	}
	return false;
}

struct row_mate {
	const struct ledger_entry *own;
	bool found;
};

static void compare_in_row(void *item, void *arg)
{
	const struct ledger_entry *entry = item;
	struct row_mate *mate = arg;

	mate->found = mate->found || (entry->row == mate->own->row &&
				      entries_overlap(entry, mate->own));
}

/* A new entry, in the one row of its partition: all are looked at if it shares cores. */
static void look_for_row_mate(const struct ledger_entry *entry)
{
	struct row_mate mate = { .own = entry };

	tb_one_row_count(entry->row, entry->bound);
	if (!tb_one_row_bound(entry->row) ||
	    !tb_holders_have_some(&present, entry->nodes, entry->node_count,
				  entry->cores))
		return;
	xhash_walk(entries, compare_in_row, &mate);
	if (mate.found)
		tb_one_row_is_shared(entry->row);
}

bool tb_ledger_put(job_record_t *job, bool bound, const void *turns)
{
	struct ledger_entry *old, *entry;

	if (!entries)
		return false;
	if (!sizes_agree(job->job_resrcs))
		return tb_ledger_remove(job);
	entry = create_entry(job, bound, turns);
	old = find_entry(job->job_id);
	if (old && is_same_entry(old, entry)) {
		destroy_entry(entry);
		return false;
	}
	tb_ledger_remove(job);
	look_for_row_mate(entry);
	xhash_add(entries, entry);
	tb_holders_add(&present, entry->nodes, entry->node_count, entry->cores);
	bound_entries += bound;
	return true;
}

/* Are they never to run at the same time on a core that both have? */
static bool keep_apart(const struct ledger_entry *a,
		       const struct ledger_entry *b)
{
	return (a->bound || b->bound) && !(a->turns && a->turns == b->turns);
}

/* One job compared with all others. */
struct clash {
	const struct ledger_entry *own;
	bool found;
};

static void look_for_clash(void *item, void *arg)
{
	const struct ledger_entry *entry = item;
	struct clash *clash = arg;

	if (entry->job_id != clash->own->job_id &&
	    keep_apart(entry, clash->own))
		clash->found = clash->found ||
			       entries_overlap(entry, clash->own);
}

bool tb_ledger_clashes(const job_record_t *job, bool bound, const void *turns)
{
	struct clash clash = { 0 };
	struct ledger_entry *own;

	if (!entries || !sizes_agree(job->job_resrcs))
		return false;
	own = create_entry(job, bound, turns);
	clash.own = own;
	xhash_walk(entries, look_for_clash, &clash);
	destroy_entry(own);
	return clash.found;
}

static void look_for_runner(void *item, void *arg)
{
	const struct ledger_entry *entry = item;
	struct clash *clash = arg;
	const job_record_t *job;

	if (clash->found || entry == clash->own || !entry->turns ||
	    entry->turns != clash->own->turns ||
	    (!entry->bound && !clash->own->bound) ||
	    !entries_overlap(entry, clash->own))
		return;
	job = find_job_record(entry->job_id);
	clash->found = job && IS_JOB_RUNNING(job);
}

bool tb_ledger_runs_beside(const job_record_t *job)
{
	struct clash clash = { .own = entries ? find_entry(job->job_id)
					      : NULL };

	if (clash.own)
		xhash_walk(entries, look_for_runner, &clash);
	return clash.found;
}

/* --- views ------------------------------------------------------------------- */

struct tb_view *tb_view_now(void)
{
	static uint64_t serial;
	struct tb_view *view = xmalloc(sizeof(*view));

	view->serial = ++serial;
	view->counts = &present;
	return view;
}

struct tb_view *tb_view_idle(void)
{
	return xmalloc(sizeof(struct tb_view));
}

void tb_view_end_job(struct tb_view *view, const job_record_t *job)
{
	struct ledger_entry *entry = find_entry(job->job_id);

	if (view->counts)
		tb_memory_books_end(job, view->serial);
	if (!entry || !view->counts || entry->ended_in == view->serial)
		return;
	if (view->counts == &present) {
		tb_holders_copy(&view->copy, &present);
		view->counts = &view->copy;
	}
	tb_holders_drop(&view->copy, entry->nodes, entry->node_count,
			entry->cores);
	tb_gres_give_back(&view->gres, job);
	entry->ended_in = view->serial;
}

bool tb_view_has_ended(const struct tb_view *view, const job_record_t *job)
{
	struct ledger_entry *entry = find_entry(job->job_id);

	return entry && view->counts && entry->ended_in == view->serial;
}

void tb_view_restore_job(struct tb_view *view, const job_record_t *job)
{
	struct ledger_entry *entry = find_entry(job->job_id);

	if (view->counts)
		tb_memory_books_restore(job);
	if (!entry || !view->counts || entry->ended_in != view->serial)
		return;
	tb_holders_add(&view->copy, entry->nodes, entry->node_count,
		       entry->cores);
	tb_gres_take_back(&view->gres, job);
	entry->ended_in = 0;
}

void tb_view_destroy(struct tb_view *view)
{
	if (!view)
		return;
	tb_holders_clear(&view->copy);
	tb_gres_back_destroy(view->gres);
	xfree(view);
}

uint64_t tb_view_number(const struct tb_view *view)
{
	return view->counts ? view->serial : 0;
}

uint16_t tb_view_core_holders(const struct tb_view *view, uint32_t node,
			      uint32_t core)
{
	return view->counts ? tb_holders_of_core(view->counts, node, core) : 0;
}

void tb_view_taken(const struct tb_view *view, uint32_t node,
		   struct tb_bitset *cores)
{
	if (!view->counts)
		tb_bitset_clear_all(cores);
	else
		memcpy(cores->words,
		       view->counts->taken + tb_first_word_of_node(node),
		       sizeof(*cores->words) * tb_words_of_node(node));
}

bool tb_view_node_idle(const struct tb_view *view, uint32_t node)
{
	return !view->counts || tb_holders_are_none(view->counts, node);
}

struct tb_gres_view tb_view_gres(const struct tb_view *view)
{
	return (struct tb_gres_view){ .back = view->gres,
				      .idle = !view->counts };
}

void tb_ledger_visit(const job_record_t *job, tb_core_visitor visit, void *arg)
{
	struct ledger_entry *entry = entries ? find_entry(job->job_id) : NULL;

	struct each_core each = { visit, arg };

	if (entry)
		visit_words(entry, visit_cores_of_word, &each);
}

void tb_ledger_visit_words(const job_record_t *job, tb_cores_visitor visit,
			   void *arg)
{
	struct ledger_entry *entry = entries ? find_entry(job->job_id) : NULL;

	if (entry)
		visit_words(entry, visit, arg);
}

bool tb_ledger_has_bound(const void *row)
{
	return bound_entries > tb_one_row_bound(row);
}

struct bound_visit {
	uint64_t serial;
	const void *turns, *row;
	bool of_row; /* also those in the row, bound or not */
	tb_cores_visitor visit;
	void *arg;
};

static int except_component(void *item, void *arg)
{
	const job_record_t *job = item;
	const struct bound_visit *bound = arg;
	struct ledger_entry *entry = find_entry(job->job_id);

	if (entry)
		entry->excepted_in = bound->serial;
	return 0;
}

/* Slurm names a heterogeneous job by its leader. */
static int except_job(void *item, void *arg)
{
	tb_for_each_component(item, except_component, arg);
	return 0;
}

static bool is_visited(const struct ledger_entry *entry,
		       const struct bound_visit *bound)
{
	if (entry->excepted_in == bound->serial)
		return false;
	if (bound->row && entry->row == bound->row)
		return bound->of_row;
	return is_apart(entry, bound->turns, NULL);
}

static void visit_entry(void *item, void *arg)
{
	const struct bound_visit *bound = arg;

	if (is_visited(item, bound))
		visit_words(item, bound->visit, bound->arg);
}

static void visit_all(list_t *except, struct bound_visit *bound)
{
	static uint64_t serial;

	bound->serial = ++serial;
	if (except)
		list_for_each(except, except_job, bound);
	xhash_walk(entries, visit_entry, bound);
}

void tb_ledger_visit_bound(list_t *except, const void *turns, const void *row,
			   tb_cores_visitor visit, void *arg)
{
	struct bound_visit bound = { .turns = turns,
				     .row = row,
				     .visit = visit,
				     .arg = arg };

	visit_all(except, &bound);
}

void tb_ledger_visit_kept(list_t *except, const void *turns, const void *row,
			  tb_cores_visitor visit, void *arg)
{
	struct bound_visit bound = { .turns = turns,
				     .row = row,
				     .of_row = true,
				     .visit = visit,
				     .arg = arg };

	visit_all(except, &bound);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "devices.h"

#include <string.h>

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "core/plan/near_devices.h"

#include "select_topobind/nodes/job_nodes.h"
#include "select_topobind/request/job_asked.h"

#include "device_layout.h"

/* One entry of what the job asks for. */
struct entry {
	uint32_t index;
	struct tb_gres_ask ask;
	uint32_t *selected; /* by node, or NULL */
	struct tb_device_layouts layouts;
	struct tb_device_layout *layout; /* of the last tb_devices_find() */
};

struct tb_devices {
	const struct tb_test *test; /* borrowed: it lives longer */
	uint32_t nodes;		    /* that it can be on, at most */
	uint32_t assumed; /* of those for all nodes, on each; 0: an even share */
	bool anywhere;	  /* --gres-flags=disable-binding */
	uint32_t count;
	struct entry *entries;
	struct tb_device_kind *kinds; /* for some of the entries: */
	struct entry **of_kind;
	struct tb_affinity affinity;
	struct tb_bitset state; /* the last tb_devices_state() */
	uint32_t room;		/* in words */
};

struct tb_devices *tb_devices_create(const struct tb_test *test)
{
	uint32_t count = tb_gres_entries(test->job);
	struct tb_devices *devices;

	if (!count)
		return NULL;
	devices = xmalloc(sizeof(*devices));
	devices->anywhere = test->job->bit_flags & GRES_DISABLE_BIND;
	devices->test = test;
	devices->nodes = tb_job_most_nodes(test->job, test->max_nodes);
	devices->count = count;
	devices->entries = xcalloc(count, sizeof(*devices->entries));
	devices->kinds = xcalloc(count, sizeof(*devices->kinds));
	devices->of_kind = xcalloc(count, sizeof(*devices->of_kind));
	devices->affinity.kinds = devices->kinds;
	devices->affinity.must = test->job->bit_flags & GRES_ENFORCE_BIND;
	for (uint32_t i = 0; i < count; i++) {
		devices->entries[i].index = i;
		devices->entries[i].ask = tb_gres_asked(test->job, i);
	}
	return devices;
}

void tb_devices_destroy(struct tb_devices *devices)
{
	if (!devices)
		return;
	for (uint32_t i = 0; i < devices->count; i++)
		tb_device_layouts_clear(&devices->entries[i].layouts);
	for (uint32_t i = 0; i < devices->count; i++)
		xfree(devices->entries[i].selected);
	xfree(devices->state.words);
	xfree(devices->entries);
	xfree(devices->kinds);
	xfree(devices->of_kind);
	xfree(devices);
}

bool tb_devices_must_be_near(const struct tb_devices *devices)
{
	return devices && devices->affinity.must;
}

/* Tasks of each device; 0: any number. */
static uint32_t count_tasks_each(const struct tb_devices *devices,
				 const struct tb_gres_ask *ask)
{
	const job_record_t *job = devices->test->job;

	return ask->tasks_each == NO_VAL16
		       ? 0
		       : tb_devices_tasks_each(ask->per_job, ask->tasks_each,
					       tb_job_exact_slots(job),
					       job->details->overcommit);
}

bool tb_devices_asked_one(const struct tb_devices *devices,
			  struct tb_devices_asked *asked)
{
	const struct tb_gres_ask *ask;

	if (!devices || devices->count > 1)
		return false;
	ask = &devices->entries[0].ask;
	*asked = (struct tb_devices_asked){
		.per_node = ask->per_node,
		.per_task = ask->per_task,
		.per_job = ask->per_job,
		.tasks_each = count_tasks_each(devices, ask),
		.megabytes = ask->megabytes,
	};
	/* Later Slurms reckon from the others how many these are together. */
	if (asked->per_node || asked->per_task)
		asked->per_job = asked->tasks_each = 0;
	return !(asked->per_node && asked->per_task) &&
	       (asked->per_node || asked->per_task || asked->per_job) &&
	       asked->per_job < UINT32_MAX;
}

bool tb_devices_are_for_nodes(const struct tb_devices *devices)
{
	return devices->nodes > 1;
}

bool tb_devices_are_for_tasks_of_slots(const struct tb_devices *devices)
{
	struct tb_asked job = tb_job_asked(devices->test->job);
	struct tb_devices_asked asked;

	return tb_devices_asked_one(devices, &asked) &&
	       tb_devices_count_tasks(&asked, &job);
}

void tb_devices_assume(struct tb_devices *devices, uint32_t number)
{
	devices->assumed = number;
}

/* --- the devices of a node --------------------------------------------------- */

/*
 * How many devices the job asks for on the node.  --gpus for several nodes: how
 * many are where is for select/cons_tres to say.
 */
static void set_numbers(const struct tb_devices *devices,
			const struct entry *entry, uint32_t node,
			uint32_t tasks, struct tb_device_kind *kind)
{
	const struct tb_devices_asked asked = {
		.per_node = entry->ask.per_node,
		.per_task = entry->ask.per_task,
		.per_job = entry->ask.per_job,
	};
	/* With --overcommit these are for all tasks that share the slot. */
	bool shared = devices->test->job->details->overcommit;
	bool by_slot = asked.per_task && !tasks && !shared;

	if (!entry->selected || by_slot) {
		tb_devices_set_numbers(&asked, devices->nodes, devices->assumed,
				       tasks, kind);
		return;
	}
	kind->per_slot = 0;
	kind->per_node = entry->selected[node];
}

static void add_kind(struct tb_devices *devices, struct entry *entry,
		     uint32_t node, struct tb_shape *shape,
		     const struct tb_gres_view *view, uint32_t tasks,
		     struct tb_bitset *cores)
{
	struct tb_device_kind *kind = &devices->kinds[devices->affinity.nkinds];
	struct tb_device_layout *layout =
		tb_device_layout_find(&entry->layouts, devices->test->job,
				      entry->index, node, shape, view, cores);

	kind->npools = layout->npools;
	kind->pools = layout->pools;
	set_numbers(devices, entry, node, tasks, kind);
	if ((!kind->per_slot && !kind->per_node) || !layout->npools)
		return;
	entry->layout = layout;
	devices->of_kind[devices->affinity.nkinds++] = entry;
}

struct tb_affinity *tb_devices_find(struct tb_devices *devices, uint32_t node,
				    struct tb_shape *shape,
				    const struct tb_view *view, uint32_t tasks,
				    struct tb_bitset *cores)
{
	struct tb_gres_view of_gres = tb_view_gres(view);

	of_gres.test = devices->test;
	devices->affinity.nkinds = 0;
	for (uint32_t i = 0; !devices->anywhere && i < devices->count; i++)
		add_kind(devices, &devices->entries[i], node, shape, &of_gres,
			 tasks, cores);
	return devices->affinity.nkinds ? &devices->affinity : NULL;
}

uint32_t tb_devices_free(const struct tb_devices *devices)
{
	return devices->affinity.nkinds
		       ? tb_devices_free_in_pools(&devices->kinds[0])
		       : 0;
}

uint32_t tb_devices_most_tasks(const struct tb_devices *devices)
{
	uint32_t most = UINT32_MAX;

	for (uint32_t k = 0; k < devices->affinity.nkinds; k++) {
		const struct entry *entry = devices->of_kind[k];
		const struct tb_devices_asked asked = {
			.per_task = entry->ask.per_task,
		};

		if (!entry->selected)
			most = MIN(most,
				   tb_devices_tasks_in_pools(&asked,
							     &devices->kinds[k]));
	}
	return most;
}

static void add_free(uint32_t place, const bitstr_t *cores, uint32_t free,
		     void *sum)
{
	(void)place;
	(void)cores;
	*(uint32_t *)sum += free;
}

uint32_t tb_devices_count(const struct tb_devices *devices, uint32_t node,
			  const struct tb_view *view)
{
	struct tb_gres_view of_gres = tb_view_gres(view);
	uint32_t sum = 0;

	of_gres.test = devices->test;
	tb_gres_visit(devices->test->job, 0, node, &of_gres, add_free, &sum);
	return sum;
}

/* --- what a placement depends on --------------------------------------------- */

static uint32_t count_words(const struct tb_bitset *set)
{
	return (set->nbits + 63) / 64;
}

static uint64_t *add_words(uint64_t *to, const struct tb_bitset *set)
{
	memcpy(to, set->words, count_words(set) * sizeof(*to));
	return to + count_words(set);
}

static uint32_t count_state_words(const struct tb_affinity *affinity)
{
	uint32_t words = 0;

	for (uint32_t k = 0; k < affinity->nkinds; k++) {
		const struct tb_device_kind *kind = &affinity->kinds[k];

		words += 2;
		for (uint32_t i = 0; i < kind->npools; i++)
			words += 1 + count_words(kind->pools[i].threads);
	}
	return words;
}

/* Where numbers were selected they do not go with the tasks. */
static uint64_t *add_kind_words(uint64_t *to, const struct tb_device_kind *kind,
				const struct entry *entry, bool must)
{
	*to++ = (uint64_t)kind->per_slot << 32 | kind->per_node;
	*to++ = (uint64_t)entry->index << 34 | (uint64_t)must << 33 |
		(uint64_t) !!entry->selected << 32 | kind->npools;
	for (uint32_t i = 0; i < kind->npools; i++) {
		*to++ = kind->pools[i].free;
		to = add_words(to, kind->pools[i].threads);
	}
	return to;
}

const struct tb_bitset *tb_devices_state(struct tb_devices *devices,
					 const struct tb_affinity *affinity,
					 const struct tb_bitset *cores)
{
	uint32_t words = count_words(cores);
	uint64_t *at;

	if (affinity)
		words += count_state_words(affinity);
	if (words > devices->room) {
		xrecalloc(devices->state.words, words,
			  sizeof(*devices->state.words));
		devices->room = words;
	}
	devices->state.nbits = words * 64;
	at = add_words(devices->state.words, cores);
	for (uint32_t k = 0; affinity && k < affinity->nkinds; k++)
		at = add_kind_words(at, &affinity->kinds[k],
				    devices->of_kind[k], affinity->must);
	return &devices->state;
}

uint32_t tb_devices_pools(const struct tb_devices *devices)
{
	uint32_t pools = 0;

	for (uint32_t k = 0; k < devices->affinity.nkinds; k++)
		pools += devices->kinds[k].npools;
	return pools;
}

void tb_devices_get_taken(const struct tb_devices *devices, uint32_t *taken)
{
	for (uint32_t k = 0; k < devices->affinity.nkinds; k++)
		for (uint32_t i = 0; i < devices->kinds[k].npools; i++)
			*taken++ = devices->kinds[k].pools[i].taken;
}

void tb_devices_set_taken(struct tb_devices *devices, const uint32_t *taken)
{
	for (uint32_t k = 0; k < devices->affinity.nkinds; k++)
		for (uint32_t i = 0; i < devices->kinds[k].npools; i++)
			devices->kinds[k].pools[i].taken = *taken++;
}

/* --- what the job gets ------------------------------------------------------- */

void tb_devices_count_selected(struct tb_devices *devices)
{
	for (uint32_t i = 0; i < devices->count; i++) {
		struct entry *entry = &devices->entries[i];

		if (!entry->selected)
			entry->selected = xcalloc(tb_node_count() + 1,
						  sizeof(*entry->selected));
		for (uint32_t node = 0; node < tb_node_count(); node++)
			entry->selected[node] =
				tb_gres_selected(devices->test->job,
						 entry->index, node);
	}
}

void tb_devices_forget_selected(struct tb_devices *devices)
{
	for (uint32_t i = 0; i < devices->count; i++)
		xfree(devices->entries[i].selected);
}

bool tb_devices_selected_are_free(const struct tb_devices *devices,
				  const struct tb_view *view)
{
	const job_record_t *job = devices->test->job;
	struct tb_allocated_node at = { 0 };

	while (tb_allocated_node_next(job->job_resrcs, &at))
		if (tb_gres_places(job, 0, at.node) &&
		    tb_gres_selected(job, 0, at.node) >
			    tb_devices_count(devices, at.node, view))
			return false;
	return true;
}

static bool select_from_layout(struct tb_devices *devices,
			       const struct entry *entry, uint32_t node)
{
	const struct tb_device_layout *layout = entry->layout;
	uint32_t *pool_of = xcalloc(layout->nplaces + 1, sizeof(*pool_of));
	uint32_t *taken = xcalloc(layout->npools, sizeof(*taken));
	bool done;

	for (uint32_t i = 0; i < layout->nplaces; i++)
		pool_of[i] = layout->places[i].pool;
	for (uint32_t i = 0; i < layout->npools; i++)
		taken[i] = layout->pools[i].taken;
	done = tb_gres_select(devices->test, entry->index, node, pool_of, taken,
			      layout->npools, entry->selected[node]);
	xfree(pool_of);
	xfree(taken);
	return done;
}

bool tb_devices_select(struct tb_devices *devices, uint32_t node)
{
	bool all = true;

	for (uint32_t k = 0; k < devices->affinity.nkinds; k++)
		all = select_from_layout(devices, devices->of_kind[k], node) &&
		      all;
	return all;
}

/* --- devices that are dealt out ------------------------------------------------ */

void tb_devices_begin_deal(struct tb_devices *devices)
{
	struct entry *entry = &devices->entries[0];

	tb_devices_forget_selected(devices);
	entry->selected = xcalloc(tb_node_count() + 1,
				  sizeof(*entry->selected));
}

void tb_devices_deal(struct tb_devices *devices, uint32_t node, uint32_t number)
{
	devices->entries[0].selected[node] = number;
}

struct tb_gres_ask tb_devices_ask_per_node(const struct tb_devices *devices,
					   uint32_t number)
{
	return tb_gres_ask_per_node(devices->test->job, 0, number);
}

void tb_devices_ask_again(const struct tb_devices *devices,
			  const struct tb_gres_ask *before)
{
	tb_gres_ask_again(devices->test->job, 0, before);
}

/* Wherever they are. */
static bool select_any(struct tb_devices *devices, uint32_t node,
		       uint32_t number)
{
	const job_record_t *job = devices->test->job;
	uint32_t *pool_of = xcalloc(tb_gres_places(job, 0, node) + 1,
				    sizeof(*pool_of));
	uint32_t of_pool = number;
	bool done = tb_gres_select(devices->test, 0, node, pool_of, &of_pool, 1,
				   number);

	xfree(pool_of);
	return done;
}

bool tb_devices_select_dealt(struct tb_devices *devices, uint32_t node)
{
	uint32_t number = devices->entries[0].selected[node];
	bool near = tb_devices_select(devices, node);

	if (near && tb_gres_selected(devices->test->job, 0, node) == number)
		return true;
	return (near || !devices->affinity.must) &&
	       select_any(devices, node, number);
}

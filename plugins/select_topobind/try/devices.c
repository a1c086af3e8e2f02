/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "devices.h"

#include "src/common/macros.h"
#include "src/common/xmalloc.h"

#include "compat/select_gres.h"
#include "scale.h"

#define NO_POOL UINT32_MAX

/* One entry of what the job asks for. */
struct entry {
	uint32_t index;
	struct tb_gres_ask ask;
	uint32_t *selected; /* by node, or NULL */
	/* On the node of the last tb_devices_find(): */
	uint32_t places, room; /* in pool_of */
	uint32_t *pool_of;     /* by place */
	struct tb_device_pool *pools;
	uint32_t npools, nsets; /* pools with a set of threads: so many first */
};

struct tb_devices {
	job_record_t *job;
	uint32_t nodes; /* that it can be on, at most */
	uint32_t share; /* of devices for all nodes, on each; 0: an even one */
	uint32_t count;
	struct entry *entries;
	struct tb_device_kind *kinds; /* for some of the entries: */
	struct entry **of_kind;
	struct tb_affinity affinity;
};

struct tb_devices *tb_devices_create(const struct tb_test *test)
{
	uint32_t count = tb_gres_entries(test->job);
	struct tb_devices *devices;

	/* --gres-flags=disable-binding: the user wants other cores. */
	if (!count || test->job->bit_flags & GRES_DISABLE_BIND)
		return NULL;
	devices = xmalloc(sizeof(*devices));
	devices->job = test->job;
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

static void destroy_entry(struct entry *entry)
{
	for (uint32_t i = 0; i < entry->nsets; i++)
		tb_bitset_destroy(entry->pools[i].threads);
	xfree(entry->pools);
	xfree(entry->pool_of);
	xfree(entry->selected);
}

void tb_devices_destroy(struct tb_devices *devices)
{
	if (!devices)
		return;
	for (uint32_t i = 0; i < devices->count; i++)
		destroy_entry(&devices->entries[i]);
	xfree(devices->entries);
	xfree(devices->kinds);
	xfree(devices->of_kind);
	xfree(devices);
}

bool tb_devices_must_be_near(const struct tb_devices *devices)
{
	return devices && devices->affinity.must;
}

uint32_t tb_devices_ask_least(struct tb_devices *devices, uint32_t slots,
			      uint32_t nodes)
{
	const struct tb_gres_ask *ask = &devices->entries[0].ask;

	devices->share = 0;
	if (!slots || nodes < 2 || devices->count > 1)
		return 0;
	if (ask->per_node)
		return slots / nodes;
	if (ask->per_task || !ask->per_job)
		return 0;
	devices->share = (ask->per_job + slots - 1) / slots;
	return 1;
}

/* --- the pools of a node ----------------------------------------------------- */

struct filling {
	struct entry *entry;
	struct tb_shape *shape;
	struct tb_bitset *near; /* Slurm's cores, of one place */
};

/* The threads near a place, into the set of the pool after the last one. */
static struct tb_device_pool *spare_pool(struct filling *filling,
					 const bitstr_t *cores)
{
	struct entry *entry = filling->entry;
	struct tb_shape *shape = filling->shape;
	struct tb_device_pool *pool = &entry->pools[entry->npools];
	unsigned threads = tb_topology_threads(shape->topology);
	struct tb_bitset *near = filling->near;

	if (entry->npools == entry->nsets) {
		pool->threads = tb_bitset_create(threads);
		entry->nsets++;
	} else if (pool->threads->nbits != threads) {
		tb_bitset_destroy(pool->threads);
		pool->threads = tb_bitset_create(threads);
	}
	tb_bitset_clear_all(near);
	for (unsigned core = 0; core < near->nbits; core++)
		if (!cores || (core < bit_size((bitstr_t *)cores) &&
			       bit_test((bitstr_t *)cores, core)))
			tb_bitset_set(near, core);
	tb_shape_threads(shape, near, pool->threads);
	return pool;
}

/* Places that are near the same cores are one pool. */
static void add_place(uint32_t place, const bitstr_t *cores, uint32_t free,
		      void *arg)
{
	struct filling *filling = arg;
	struct entry *entry = filling->entry;
	struct tb_device_pool *spare = spare_pool(filling, cores);
	uint32_t pool = 0;

	while (pool < entry->npools &&
	       !tb_bitset_equal(entry->pools[pool].threads, spare->threads))
		pool++;
	if (pool == entry->npools) {
		spare->free = 0;
		entry->npools++;
	}
	entry->pools[pool].free += free;
	entry->pool_of[place] = pool;
}

static void make_room(struct entry *entry, uint32_t places)
{
	entry->places = places;
	entry->npools = 0;
	if (places > entry->room) {
		xrecalloc(entry->pool_of, places, sizeof(*entry->pool_of));
		/* One more, in which a place is compared. */
		xrecalloc(entry->pools, places + 1, sizeof(*entry->pools));
		entry->room = places;
	}
	for (uint32_t place = 0; place < places; place++)
		entry->pool_of[place] = NO_POOL;
}

/* Of so many for all nodes, an even share; or all that the node has free. */
static uint32_t find_share(const struct tb_devices *devices,
			   const struct entry *entry)
{
	uint64_t share = (entry->ask.per_job + devices->nodes - 1) /
			 devices->nodes;
	uint64_t free = 0;

	for (uint32_t i = 0; i < entry->npools; i++)
		free += entry->pools[i].free;
	return devices->share ? devices->share : MAX(MIN(share, free), 1);
}

/*
 * How many devices the job asks for on the node.  --gpus for several nodes: how
 * many are where is for select/cons_tres to say.
 */
static void set_numbers(const struct tb_devices *devices,
			const struct entry *entry, uint32_t node,
			uint32_t tasks, struct tb_device_kind *kind)
{
	const struct tb_gres_ask *ask = &entry->ask;

	kind->per_slot = kind->per_node = 0;
	if (ask->per_task && !tasks)
		kind->per_slot = ask->per_task;
	else if (entry->selected)
		kind->per_node = entry->selected[node];
	else if (ask->per_task)
		kind->per_node = ask->per_task * tasks;
	else if (ask->per_node)
		kind->per_node = ask->per_node;
	else if (ask->per_job)
		kind->per_node = devices->nodes == 1
					 ? ask->per_job
					 : find_share(devices, entry);
}

static void add_kind(struct tb_devices *devices, struct entry *entry,
		     uint32_t node, struct tb_shape *shape,
		     const struct tb_gres_view *view, uint32_t tasks,
		     struct tb_bitset *cores)
{
	struct filling filling = { entry, shape, cores };
	struct tb_device_kind *kind = &devices->kinds[devices->affinity.nkinds];

	make_room(entry, tb_gres_places(devices->job, entry->index, node));
	tb_gres_visit(devices->job, entry->index, node, view, add_place,
		      &filling);
	set_numbers(devices, entry, node, tasks, kind);
	if (!entry->npools || (!kind->per_slot && !kind->per_node))
		return;
	kind->npools = entry->npools;
	kind->pools = entry->pools;
	devices->of_kind[devices->affinity.nkinds++] = entry;
}

struct tb_affinity *tb_devices_find(struct tb_devices *devices, uint32_t node,
				    struct tb_shape *shape,
				    const struct tb_view *view, uint32_t tasks,
				    struct tb_bitset *cores)
{
	struct tb_gres_view of_gres = tb_view_gres(view);

	devices->affinity.nkinds = 0;
	for (uint32_t i = 0; i < devices->count; i++)
		add_kind(devices, &devices->entries[i], node, shape, &of_gres,
			 tasks, cores);
	return devices->affinity.nkinds ? &devices->affinity : NULL;
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
			entry->selected[node] = tb_gres_selected(devices->job,
								 entry->index,
								 node);
	}
}

void tb_devices_select(struct tb_devices *devices, uint32_t node)
{
	for (uint32_t k = 0; k < devices->affinity.nkinds; k++) {
		const struct entry *entry = devices->of_kind[k];
		uint32_t *taken = xcalloc(entry->npools, sizeof(*taken));

		for (uint32_t i = 0; i < entry->npools; i++)
			taken[i] = entry->pools[i].taken;
		tb_gres_select(devices->job, entry->index, node, entry->pool_of,
			       taken, entry->npools);
		xfree(taken);
	}
}

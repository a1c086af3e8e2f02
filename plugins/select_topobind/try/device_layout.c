/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "device_layout.h"

#include "src/common/xmalloc.h"

/* --- a node ------------------------------------------------------------------ */

static void note_place(uint32_t place, const bitstr_t *cores, uint32_t free,
		       void *arg)
{
	struct tb_device_place *seen = arg;

	seen[place] = (struct tb_device_place){ true, cores, free, TB_NO_POOL };
}

static void make_room(struct tb_device_layouts *layouts, uint32_t places)
{
	if (places > layouts->room) {
		xrecalloc(layouts->seen, places, sizeof(*layouts->seen));
		layouts->room = places;
	}
	for (uint32_t i = 0; i < places; i++)
		layouts->seen[i].listed = false;
}

static bool is_same_place(const struct tb_device_place *a,
			  const struct tb_device_place *b)
{
	if (!a->listed || !b->listed)
		return a->listed == b->listed;
	if (!a->cores || !b->cores)
		return a->cores == b->cores;
	return bit_size((bitstr_t *)a->cores) ==
		       bit_size((bitstr_t *)b->cores) &&
	       bit_equal((bitstr_t *)a->cores, (bitstr_t *)b->cores);
}

static bool has_layout(const struct tb_device_layout *layout,
		       const struct tb_shape *shape,
		       const struct tb_device_place *seen, uint32_t places)
{
	bool same = layout->shape == shape && layout->nplaces == places;

	for (uint32_t i = 0; same && i < places; i++)
		same = is_same_place(&layout->places[i], &seen[i]);
	return same;
}

/* --- a new layout -------------------------------------------------------------- */

static void clear_layout(struct tb_device_layout *layout)
{
	for (uint32_t i = 0; i < layout->npools; i++)
		tb_bitset_destroy(layout->pools[i].threads);
	for (uint32_t i = 0; i < layout->nplaces; i++)
		FREE_NULL_BITMAP(layout->places[i].cores);
	xfree(layout->places);
	xfree(layout->pools);
	layout->nplaces = layout->npools = 0;
}

/* The threads near a place. */
static struct tb_bitset *find_threads(const struct tb_shape *shape,
				      const bitstr_t *cores,
				      struct tb_bitset *near)
{
	struct tb_bitset *threads = tb_bitset_create(
		tb_topology_threads(shape->topology));

	tb_bitset_clear_all(near);
	for (unsigned core = 0; core < near->nbits; core++)
		if (!cores || (core < bit_size((bitstr_t *)cores) &&
			       bit_test((bitstr_t *)cores, core)))
			tb_bitset_set(near, core);
	if (threads)
		tb_shape_threads(shape, near, threads);
	return threads;
}

/* Places that are near the same cores are one pool. */
static void add_to_pool(struct tb_device_layout *layout,
			struct tb_device_place *place, struct tb_bitset *near)
{
	struct tb_bitset *threads = find_threads(layout->shape, place->cores,
						 near);
	uint32_t pool = 0;

	if (!threads)
		return;
	while (pool < layout->npools &&
	       !tb_bitset_equal(layout->pools[pool].threads, threads))
		pool++;
	if (pool < layout->npools)
		tb_bitset_destroy(threads);
	else
		layout->pools[layout->npools++].threads = threads;
	place->pool = pool;
}

static struct tb_device_layout *add_layout(struct tb_device_layouts *layouts,
					   const struct tb_shape *shape,
					   uint32_t places,
					   struct tb_bitset *near)
{
	struct tb_device_layout *layout = &layouts->list[layouts->next];

	layouts->next = (layouts->next + 1) % TB_LAYOUTS_MAX;
	if (layouts->count < TB_LAYOUTS_MAX)
		layouts->count++;
	clear_layout(layout);
	layout->shape = shape;
	layout->nplaces = places;
	layout->places = xcalloc(places + 1, sizeof(*layout->places));
	layout->pools = xcalloc(places + 1, sizeof(*layout->pools));
	for (uint32_t i = 0; i < places; i++) {
		struct tb_device_place *place = &layout->places[i];

		*place = layouts->seen[i];
		place->pool = TB_NO_POOL;
		if (!place->listed) {
			place->cores = NULL;
			continue;
		}
		if (place->cores)
			place->cores = bit_copy((bitstr_t *)place->cores);
		add_to_pool(layout, place, near);
	}
	return layout;
}

static void count_free(struct tb_device_layout *layout,
		       const struct tb_device_place *seen)
{
	for (uint32_t i = 0; i < layout->npools; i++)
		layout->pools[i].free = 0;
	for (uint32_t i = 0; i < layout->nplaces; i++)
		if (layout->places[i].pool != TB_NO_POOL)
			layout->pools[layout->places[i].pool].free +=
				seen[i].free;
}

struct tb_device_layout *
tb_device_layout_find(struct tb_device_layouts *layouts,
		      const job_record_t *job, uint32_t entry, uint32_t node,
		      const struct tb_shape *shape,
		      const struct tb_gres_view *view, struct tb_bitset *cores)
{
	uint32_t places = tb_gres_places(job, entry, node), i = 0;
	struct tb_device_layout *layout;

	make_room(layouts, places);
	tb_gres_visit(job, entry, node, view, note_place, layouts->seen);
	while (i < layouts->count &&
	       !has_layout(&layouts->list[i], shape, layouts->seen, places))
		i++;
	layout = i < layouts->count ? &layouts->list[i]
				    : add_layout(layouts, shape, places, cores);
	count_free(layout, layouts->seen);
	return layout;
}

void tb_device_layouts_clear(struct tb_device_layouts *layouts)
{
	for (uint32_t i = 0; i < layouts->count; i++)
		clear_layout(&layouts->list[i]);
	layouts->count = 0;
	xfree(layouts->seen);
}

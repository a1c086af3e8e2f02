/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "devices_shown.h"

#include <stddef.h>

#include "compat/select_gres.h"
#include "core/topology/device_places.h"

/* The places of a node, as they are visited. */
struct listing {
	struct tb_device_places places;
	struct tb_bitset *devices, *cores; /* scratch */
	bool failed;
};

/* False: there are none. */
static bool copy_bits(const bitstr_t *from, struct tb_bitset *to)
{
	bitoff_t bits = bit_size((bitstr_t *)from);

	tb_bitset_clear_all(to);
	for (bitoff_t bit = 0; bit < bits && bit < to->nbits; bit++)
		if (bit_test((bitstr_t *)from, bit))
			tb_bitset_set(to, bit);
	return !tb_bitset_is_empty(to);
}

static void add_place(const char *name, const char *type,
		      const bitstr_t *devices, const bitstr_t *cores, void *arg)
{
	struct listing *listing = arg;
	bool near_some = false;

	if (!copy_bits(devices, listing->devices))
		return;
	if (cores) {
		copy_bits(cores, listing->cores);
		near_some = tb_bitset_count(listing->cores) <
			    listing->cores->nbits;
	}
	if (tb_device_places_add(&listing->places, name, type, listing->devices,
				 near_some ? listing->cores : NULL))
		listing->failed = true;
}

char *tb_devices_print(uint32_t node, unsigned ncores)
{
	struct listing listing = { .places = { 0 } };
	char *text = NULL;

	if (!node_record_table_ptr[node]->gres_list)
		return NULL;
	listing.devices = tb_bitset_create(TB_DEVICES_OF_NAME);
	listing.cores = tb_bitset_create(ncores);
	if (listing.devices && listing.cores)
		tb_gres_visit_places(node, add_place, &listing);
	if (!listing.failed && tb_device_places_are_near(&listing.places))
		text = tb_device_places_print(&listing.places, NULL);
	tb_device_places_clear(&listing.places);
	tb_bitset_destroy(listing.devices);
	tb_bitset_destroy(listing.cores);
	return text;
}

static void mix(uint64_t number, uint64_t *digest)
{
	*digest = (*digest ^ number) * UINT64_C(0x100000001b3);
}

/* The first, the last and how many: nearly all changes show in these. */
static void mix_bits(const bitstr_t *bits, uint64_t *digest)
{
	if (!bits)
		return;
	mix((uint64_t)bit_ffs((bitstr_t *)bits), digest);
	mix((uint64_t)bit_fls((bitstr_t *)bits), digest);
	mix((uint64_t)bit_set_count((bitstr_t *)bits), digest);
}

static void add_to_digest(const char *name, const char *type,
			  const bitstr_t *devices, const bitstr_t *cores,
			  void *digest)
{
	mix((unsigned char)*name, digest);
	mix(type ? (unsigned char)*type : 0, digest);
	mix_bits(devices, digest);
	mix_bits(cores, digest);
}

uint64_t tb_devices_digest(uint32_t node)
{
	uint64_t digest = UINT64_C(0xcbf29ce484222325);

	tb_gres_visit_places(node, add_to_digest, &digest);
	return digest;
}

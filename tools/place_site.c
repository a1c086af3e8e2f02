/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place_site.c - topologies to place on, and what comes out; see place.h */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "place.h"

#define SITES 256 /* a power of two */

struct tb_sites {
	struct tb_site site[SITES];
};

static void site_clear(struct tb_site *site)
{
	tb_placer_destroy(site->placer);
	tb_topology_destroy(site->topology);
	tb_bitset_destroy(site->used);
	free(site->shape);
	free(site->marks);
	memset(site, 0, sizeof(*site));
}

struct tb_sites *tb_sites_create(void)
{
	return calloc(1, sizeof(struct tb_sites));
}

void tb_sites_destroy(struct tb_sites *sites)
{
	for (size_t i = 0; sites && i < SITES; i++)
		site_clear(&sites->site[i]);
	free(sites);
}

/* FNV-1a of the string in capitals. */
static uint64_t hash_shape(const char *string)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (; *string; string++)
		hash = (hash ^ toupper((unsigned char) *string)) *
		       0x100000001b3u;
	return hash ^ hash >> 32;
}

static char *shape_of(const char *string)
{
	char *shape = strdup(string);

	for (char *c = shape; c && *c; c++)
		*c = toupper((unsigned char) *c);
	return shape;
}

/*
 * Which threads each letter of the string stands for: the i-th N is the i-th N
 * object, and so on.  Only threads can be left out of a string.
 */
static struct tb_mark *make_marks(const struct tb_topology *topology,
				  const char *shape)
{
	static const char letters[] = "NSXYCE";
	unsigned next[sizeof(letters)] = { 0 };
	struct tb_mark *marks = calloc(strlen(shape), sizeof(*marks));
	unsigned next_thread = 0;

	for (size_t i = 0; marks && shape[i]; i++) {
		const char *letter = strchr(letters, shape[i]);
		struct tb_mark *mark = &marks[i];

		if (letter)
			tb_topology_object(topology, shape[i],
					   next[letter - letters]++,
					   &mark->first_thread, &mark->threads);
		if (shape[i] == 'C' || shape[i] == 'E')
			next_thread = mark->first_thread;
		if (shape[i] == 'T')
			*mark = (struct tb_mark) { next_thread++, 1 };
	}
	return marks;
}

/* A new shape in place of an old one. */
static int site_set(struct tb_site *site, const char *string,
		    struct tb_error *err)
{
	site_clear(site);
	site->topology = tb_topology_parse(string, NULL, err);
	if (!site->topology)
		return -1;
	site->placer = tb_placer_create(site->topology);
	site->used = tb_bitset_create(tb_topology_threads(site->topology));
	site->shape = shape_of(string);
	if (site->shape)
		site->marks = make_marks(site->topology, site->shape);
	if (site->placer && site->used && site->marks)
		return 0;
	site_clear(site);
	return tb_fail(err, "out of memory while preparing a placement");
}

const struct tb_site *tb_sites_get(struct tb_sites *sites, const char *string,
				   struct tb_error *err)
{
	struct tb_site *site = &sites->site[hash_shape(string) % SITES];

	if ((!site->shape || strcasecmp(site->shape, string)) &&
	    site_set(site, string, err))
		return NULL;
	tb_bitset_clear_all(site->used);
	for (size_t i = 0; string[i]; i++)
		if (islower((unsigned char) string[i]))
			tb_bitset_set_range(site->used,
					    site->marks[i].first_thread,
					    site->marks[i].threads);
	return site;
}

void tb_outcome_clear(struct tb_outcome *outcome)
{
	for (unsigned i = 0; i < outcome->groups; i++)
		free(outcome->group_lists[i]);
	free(outcome->group_lists);
	free(outcome->granted);
	free(outcome->inuse_after);
	memset(outcome, 0, sizeof(*outcome));
}

/* The lists of threads of the placed groups; -1 when out of memory. */
static int list_groups(const struct tb_site *site, struct tb_outcome *outcome)
{
	unsigned groups = tb_placed_groups(site->placer);
	struct tb_bitset *threads =
		tb_bitset_create(tb_topology_threads(site->topology));
	int rc = 0;

	outcome->group_lists = calloc(groups, sizeof(*outcome->group_lists));
	if (!threads || !outcome->group_lists)
		rc = -1;
	else
		outcome->groups = groups;
	for (unsigned i = 0; i < outcome->groups; i++) {
		tb_placed_group(site->placer, i, threads);
		outcome->group_lists[i] = tb_bitset_print_list(threads);
		if (!outcome->group_lists[i])
			rc = -1;
	}
	tb_bitset_destroy(threads);
	return rc;
}

static int describe(const struct tb_site *site, tb_printer *print,
		    struct tb_outcome *outcome)
{
	const struct tb_bitset *placed = tb_placed_threads(site->placer);
	struct tb_bitset *after = tb_bitset_copy(site->used);

	if (!after)
		return -1;
	tb_bitset_or(after, placed);
	outcome->granted = print(site->topology, placed);
	outcome->inuse_after = print(site->topology, after);
	tb_bitset_destroy(after);
	if (!outcome->granted || !outcome->inuse_after)
		return -1;
	return list_groups(site, outcome);
}

int tb_outcome_of(const struct tb_site *site, const struct tb_request *request,
		  unsigned nslots, tb_printer *print,
		  struct tb_outcome *outcome, struct tb_error *err)
{
	int slots = tb_place(site->placer, request, site->used, nslots);

	memset(outcome, 0, sizeof(*outcome));
	outcome->mismatch = slots == TB_PLACE_FILTER_MISMATCH;
	outcome->other_shape = slots == TB_PLACE_TOPOLOGY_MISMATCH;
	if (slots <= 0)
		return 0;
	outcome->slots = slots;
	if (!describe(site, print, outcome))
		return 0;
	tb_outcome_clear(outcome);
	return tb_fail(err, "out of memory while describing a placement");
}

int tb_slots_parse(const char *text, unsigned *nslots, struct tb_error *err)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char) *text))
		return tb_fail(err, "\"%.60s\" is not a number of slots, give 1 to %d",
			       text, TB_SLOTS_MAX);
	value = strtoul(text, &end, 10);
	if (*end || value < 1 || value > TB_SLOTS_MAX)
		return tb_fail(err, "\"%.60s\" is not a number of slots, give 1 to %d",
			       text, TB_SLOTS_MAX);
	*nslots = value;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units near devices: a table, what must be true on random machines, and a search
 * of all possibilities on small ones.
 */
#include "unit_test.h"

#include "core/place/device_affinity.h"
#include "random_case.h"

#define KINDS 2
#define POOLS 8

struct machine {
	struct tb_topology *topology;
	struct tb_bitset *used;
	struct tb_placer *placer;
	struct tb_affinity affinity;
	struct tb_device_kind kinds[KINDS];
	struct tb_device_pool pools[KINDS][POOLS];
};

static void set_up(struct machine *m, const char *text)
{
	memset(m, 0, sizeof(*m));
	m->topology = tb_topology_parse(text, &m->used, NULL);
	assert_non_null(m->topology);
	m->placer = tb_placer_create(m->topology);
	m->affinity.kinds = m->kinds;
	for (unsigned k = 0; k < KINDS; k++)
		m->kinds[k].pools = m->pools[k];
}

static struct tb_device_pool *add_pool(struct machine *m, unsigned kind,
				       uint32_t free)
{
	struct tb_device_kind *k = &m->kinds[kind];
	struct tb_device_pool *pool = &k->pools[k->npools++];

	assert_true(k->npools <= POOLS);
	pool->free = free;
	pool->threads = tb_bitset_create(tb_topology_threads(m->topology));
	return pool;
}

static void tear_down(struct machine *m)
{
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < m->kinds[k].npools; i++)
			tb_bitset_destroy(m->pools[k][i].threads);
	tb_placer_destroy(m->placer);
	tb_bitset_destroy(m->used);
	tb_topology_destroy(m->topology);
}

/*
 * "2 of 1@0-3 1@4-7": two for the node, one near each half; "1 each of ...": for
 * each slot.  Kinds are separated by ";".
 */
static void add_devices(struct machine *m, const char *text)
{
	char copy[200], *kind, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", text);
	while ((kind = strtok_r(rest, ";", &rest))) {
		struct tb_device_kind *k = &m->kinds[m->affinity.nkinds];
		char *word = strtok_r(kind, " ", &kind);

		k->per_node = strtoul(word, NULL, 10);
		while ((word = strtok_r(kind, " ", &kind))) {
			char *threads = strchr(word, '@');
			struct tb_device_pool *pool;

			if (strcmp(word, "each") == 0) {
				k->per_slot = k->per_node;
				k->per_node = 0;
			}
			if (!threads)
				continue;
			pool = add_pool(m, m->affinity.nkinds,
					strtoul(word, NULL, 10));
			tb_bitset_destroy(pool->threads);
			pool->threads =
				tb_bitset_parse_list(threads + 1,
						     tb_topology_threads(
							     m->topology),
						     NULL);
			assert_non_null(pool->threads);
		}
		m->affinity.nkinds++;
	}
}

static void print_taken(const struct machine *m, char text[100])
{
	text[0] = '\0';
	for (unsigned k = 0; k < m->affinity.nkinds; k++)
		for (unsigned i = 0; i < m->kinds[k].npools; i++)
			sprintf(text + strlen(text), "%s%u",
				i   ? " "
				: k ? ";"
				    : "",
				m->pools[k][i].taken);
}

static int place(struct machine *m, const struct tb_request *request, bool must,
		 unsigned nslots)
{
	m->affinity.must = must;
	return tb_place_with_devices(m->placer, request, m->used, NULL, 0,
				     &m->affinity, nslots);
}

/* Four NUMA nodes of four cores, in two sockets. */
#define QUAD "SNCCCCNCCCCSNCCCCNCCCC"
#define FOUR "1@0-3 1@4-7 1@8-11 1@12-15"
#define EIGHT "2@0-3 2@4-7 2@8-11 2@12-15"

static const struct {
	const char *topology, *devices, *request;
	bool must;
	unsigned nslots;
	int slots;
	const char *threads, *taken;
} table[] = {
	/* all in one place, where just enough is free */
	{ QUAD, "1 of " FOUR, "bamount=1", true, 4, 4, "0-3", "1 0 0 0" },
	{ QUAD, "2 of 1@0-3 2@4-7 1@8-11 3@12-15", "bamount=1", true, 3, 3,
	  "4-6", "0 2 0 0" },
	{ QUAD, "1 of 3@0-3 2@4-7 1@8-11 1@12-15", "bamount=1", true, 1, 1, "8",
	  "0 0 1 0" },
	/* in the order of the string, not of the devices */
	{ QUAD, "1 of 1@12-15 1@8-11 1@4-7", "bamount=1", true, 1, 1, "4",
	  "0 0 1" },
	/* devices in use are no reason to be there */
	{ QUAD, "1 of 0@0-3 0@4-7 1@8-11 0@12-15", "bamount=1", true, 4, 4,
	  "8-11", "0 0 1 0" },
	{ QUAD, "1 of 0@0-3 0@4-7 1@8-11 0@12-15", "bamount=1", true, 5, 4,
	  "8-11", "0 0 1 0" },
	/* units in use */
	{ "SNCCCCNCCCCSNccccNCCCC", "1 of 0@0-3 0@4-7 1@8-11 0@12-15",
	  "bamount=1", true, 1, 0, "", "0 0 0 0" },
	{ "SNCCCCNCCCCSNccccNCCCC", "1 of 0@0-3 0@4-7 1@8-11 0@12-15",
	  "bamount=1", false, 1, 1, "0", "0 0 1 0" },
	{ "SNCCCCNCCCCSNcccCNCCCC", "1 of 0@0-3 0@4-7 1@8-11 0@12-15",
	  "bamount=1", false, 3, 3, "0-1,11", "0 0 1 0" },
	/* one unit near two devices of two places: a larger one */
	{ QUAD, "2 of " FOUR, "bamount=1", true, 1, 0, "", "0 0 0 0" },
	{ QUAD, "2 of " FOUR, "bamount=1", false, 1, 1, "0", "1 1 0 0" },
	{ QUAD, "2 of " FOUR, "bunit=S,bamount=1", true, 2, 2, "0-15",
	  "1 0 1 0" },
	{ QUAD, "2 of " FOUR, "bunit=S,bamount=1", true, 1, 1, "0-7",
	  "1 1 0 0" },
	/* each slot has its share */
	{ QUAD, "4 of " FOUR, "bamount=1", true, 4, 4, "0,4,8,12", "1 1 1 1" },
	{ QUAD, "4 of " FOUR, "bamount=1", true, 8, 8, "0-1,4-5,8-9,12-13",
	  "1 1 1 1" },
	{ QUAD, "4 of " EIGHT, "bamount=1", true, 2, 2, "0,4", "2 2 0 0" },
	{ QUAD, "4 of " EIGHT, "bamount=1", true, 4, 4, "0-1,4-5", "2 2 0 0" },
	{ QUAD, "2 of " FOUR, "bamount=1", true, 8, 8, "0-7", "1 1 0 0" },
	{ QUAD, "2 of " FOUR, "bamount=1", true, 99, 8, "0-7", "1 1 0 0" },
	{ QUAD, "2 of 1@4-7 1@0-3", "bamount=1,bstrategy=linear", true, 4, 4,
	  "0-1,4-5", "1 1" },
	{ QUAD, "4 of " FOUR, "bunit=N,bamount=1", true, 4, 4, "0-15",
	  "1 1 1 1" },
	{ QUAD, "4 of " FOUR, "bunit=N,bamount=4,btype=host", true, 1, 1,
	  "0-15", "1 1 1 1" },
	{ QUAD, "3 of " FOUR, "bunit=N,bamount=4,btype=host", true, 1, 0, "",
	  "0 0 0 0" },
	/* for each slot */
	{ QUAD, "1 each of " EIGHT, "bamount=1", true, 3, 3, "0-1,4",
	  "2 1 0 0" },
	{ QUAD, "1 each of " EIGHT, "bamount=1", true, 99, 8,
	  "0-1,4-5,8-9,12-13", "2 2 2 2" },
	{ QUAD, "2 each of 1@0-3 2@4-7 1@8-11 2@12-15", "bamount=2", true, 9, 2,
	  "4-5,12-13", "0 2 0 2" },
	{ QUAD, "2 each of " FOUR, "bunit=N,bamount=2", true, 9, 2, "0-15",
	  "1 1 1 1" },
	{ QUAD, "1 each of 1@0-3", "bamount=1", false, 3, 3, "0-2", "1" },
	/* a sort and scatter are heard first */
	{ QUAD, "1 of " FOUR, "bamount=1,bstrategy=scatter", true, 2, 2, "0-1",
	  "1 0 0 0" },
	{ QUAD, "2 of " EIGHT, "bamount=1,bstrategy=scatter", true, 2, 2, "0,8",
	  "1 0 1 0" },
	{ "SNcCCCNCCCCSNCCCCNCCCC", "1 of 1@0-3 2@4-7", "bamount=1,bsort=SN",
	  true, 1, 1, "4", "0 1" },
	/* linear finds the one place that is large enough */
	{ "SNccCCNCCccSNCCCCNCCCC", "1 of " FOUR, "bamount=4,bstrategy=linear",
	  true, 1, 1, "8-11", "0 0 1 0" },
	/* lists of CPUs: each is one */
	{ QUAD, "2 of " FOUR, "bcpus=0+5", true, 1, 1, "0,5", "1 1 0 0" },
	{ QUAD, "1 of " FOUR, "bcpus=0+5", true, 1, 0, "", "0 0 0 0" },
	{ QUAD, "1 of " FOUR, "bcpus=0+5", false, 1, 1, "0,5", "1 0 0 0" },
	/* two kinds */
	{ QUAD, "1 of " FOUR ";1 of 1@8-15", "bamount=1", true, 4, 4, "8-11",
	  "0 0 1 0;1" },
	{ QUAD, "1 each of " EIGHT ";1 of 0@0-7 1@8-15", "bamount=1", true, 9,
	  4, "8-9,12-13", "0 0 2 2;0 1" },
	/* near everything */
	{ QUAD, "1 of 1@0-15", "bamount=1", true, 9, 9, "0-8", "1" },
	/* only units of the kind of core count */
	{ "NSXCCEEXCCEE", "1 of 1@2-3 1@6-7", "bunit=E,bamount=1", true, 4, 2,
	  "2-3", "1 0" },
	{ "NSXCCEEXCCEE", "1 of 1@2-3 1@6-7", "bunit=X,bamount=1", true, 1, 0,
	  "", "0 0" },
};

static void check_row(unsigned i)
{
	struct tb_request request;
	struct machine m;
	char taken[100], *threads;
	int slots;

	set_up(&m, table[i].topology);
	add_devices(&m, table[i].devices);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, table[i].request, NULL), 0);
	slots = place(&m, &request, table[i].must, table[i].nslots);
	threads = tb_bitset_print_list(tb_placed_threads(m.placer));
	print_taken(&m, taken);
	if (slots != table[i].slots || strcmp(taken, table[i].taken) != 0 ||
	    (slots && strcmp(threads, table[i].threads) != 0))
		fail_msg("row %u (%s, %s): %d slots, threads %s, taken %s", i,
			 table[i].request, table[i].devices, slots, threads,
			 taken);
	free(threads);
	tb_request_clear(&request);
	tear_down(&m);
}

static void test_table(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		check_row(i);
}

/* --- what must hold ---------------------------------------------------------- */

/* Does a device of the job that is in some pool lie near some of the threads? */
static bool threads_are_near(const struct tb_device_kind *kind,
			     const struct tb_bitset *threads)
{
	for (unsigned i = 0; i < kind->npools; i++)
		if (kind->pools[i].taken &&
		    tb_bitset_intersects(kind->pools[i].threads, threads))
			return true;
	return false;
}

/* The threads of the unit that has this one. */
static void unit_of(const uint32_t *unit_of_thread,
		    const struct tb_bitset *granted, unsigned thread,
		    struct tb_bitset *unit)
{
	tb_bitset_clear_all(unit);
	for (unsigned i = 0; i < unit->nbits; i++)
		if (tb_bitset_test(granted, i) &&
		    unit_of_thread[i] == unit_of_thread[thread])
			tb_bitset_set(unit, i);
}

static void check_units_near(const struct machine *m,
			     const struct tb_request *request)
{
	const struct tb_bitset *granted = tb_placed_threads(m->placer);
	uint32_t *of = calloc(granted->nbits, sizeof(*of));
	struct tb_bitset *unit = tb_bitset_create(granted->nbits);

	assert_non_null(of);
	tb_units_of_threads(m->topology, request->unit, of);
	TB_BITSET_EACH(t, granted) {
		unit_of(of, granted, t, unit);
		for (unsigned k = 0; k < m->affinity.nkinds; k++)
			assert_true(threads_are_near(&m->kinds[k], unit));
	}
	tb_bitset_destroy(unit);
	free(of);
}

static void check_devices(const struct machine *m, int slots, bool all_near)
{
	for (unsigned k = 0; k < m->affinity.nkinds; k++) {
		const struct tb_device_kind *kind = &m->kinds[k];
		unsigned wanted = kind->per_slot ? kind->per_slot * slots
						 : kind->per_node;
		unsigned taken = 0;

		for (unsigned i = 0; i < kind->npools; i++) {
			const struct tb_device_pool *pool = &kind->pools[i];

			assert_true(pool->taken <= pool->free);
			taken += pool->taken;
			if (all_near && pool->taken)
				assert_true(
					tb_bitset_intersects(pool->threads,
							     tb_placed_threads(
								     m->placer)));
		}
		assert_true(taken <= wanted);
		if (all_near)
			assert_int_equal(taken, wanted);
	}
}

static void random_devices(struct machine *m, struct random *random)
{
	unsigned threads = tb_topology_threads(m->topology);

	m->affinity.nkinds = 1 + random_below(random, KINDS);
	for (unsigned k = 0; k < m->affinity.nkinds; k++) {
		unsigned pools = 1 + random_below(random, 4);

		if (random_percent(random, 30))
			m->kinds[k].per_slot = 1 + random_below(random, 3);
		else
			m->kinds[k].per_node = 1 + random_below(random, 5);
		for (unsigned i = 0; i < pools; i++) {
			unsigned first = i * threads / pools;
			unsigned end = (i + 1) * threads / pools;

			tb_bitset_set_range(add_pool(m, k,
						     random_below(random, 4))
						    ->threads,
					    first,
					    random_percent(random, 10)
						    ? threads - first
						    : end - first);
		}
	}
}

static unsigned check_case(struct machine *m, const struct tb_request *request,
			   unsigned nslots)
{
	int anywhere = tb_place(m->placer, request, m->used, nslots);
	int must, prefer;

	must = place(m, request, true, nslots);
	assert_true(must <= anywhere);
	if (must > 0) {
		assert_false(tb_bitset_intersects(tb_placed_threads(m->placer),
						  m->used));
		check_units_near(m, request);
		check_devices(m, must, true);
	}
	prefer = place(m, request, false, nslots);
	assert_int_equal(prefer, anywhere);
	if (prefer > 0) {
		assert_false(tb_bitset_intersects(tb_placed_threads(m->placer),
						  m->used));
		check_devices(m, prefer, must == prefer);
		if (must == prefer)
			check_units_near(m, request);
	}
	return must > 0;
}

static void test_many_cases(void **state)
{
	const struct random_shape shape = { 64, false };
	struct random random = { 7 };
	unsigned near = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct random_case c;
		struct tb_request request;
		struct machine m;

		random_case(&random, &shape, &c);
		random_case_request(&c, &request);
		set_up(&m, c.topology);
		random_devices(&m, &random);
		if (request.type == TB_SLOT)
			near += check_case(&m, &request, 1 + i % 6);
		tb_request_clear(&request);
		tear_down(&m);
	}
	assert_true(near > 400);
}

/* --- all possibilities ------------------------------------------------------- */

/*
 * Cores of which each is near one pool: so many slots of one core each, how many
 * of them in each pool?  Tries every way to deal them out.
 */
static bool can_be_near(const struct machine *m, const unsigned *cores,
			unsigned pool, unsigned slots, unsigned devices)
{
	const struct tb_device_kind *kind = &m->kinds[0];
	unsigned most;

	if (pool == kind->npools)
		return !slots && !devices;
	most = cores[pool] < slots ? cores[pool] : slots;
	if (can_be_near(m, cores, pool + 1, slots, devices))
		return true;
	for (unsigned here = 1; here <= most; here++)
		for (unsigned of = 1;
		     of <= kind->pools[pool].free && of <= devices; of++)
			if ((!kind->per_slot || of == here * kind->per_slot) &&
			    can_be_near(m, cores, pool + 1, slots - here,
					devices - of))
				return true;
	return false;
}

static unsigned check_small(struct random *random, bool *missed)
{
	unsigned cores[POOLS] = { 0 }, slots = 1 + random_below(random, 6),
		 want;
	struct tb_request request;
	struct machine m;
	char text[RANDOM_TEXT] = "S";
	int placed;

	for (unsigned i = 0; i < 4; i++) {
		strcat(text, "N");
		for (unsigned c = 0; c < 3; c++)
			strcat(text, random_percent(random, 40) ? "c" : "C");
	}
	set_up(&m, text);
	m.affinity.nkinds = 1;
	if (random_percent(random, 40))
		m.kinds[0].per_slot = 1 + random_below(random, 2);
	else
		m.kinds[0].per_node = 1 + random_below(random, 5);
	for (unsigned i = 0; i < 4; i++) {
		tb_bitset_set_range(add_pool(&m, 0, random_below(random, 4))
					    ->threads,
				    3 * i, 3);
		cores[i] = 3 - tb_bitset_count_range(m.used, 3 * i, 3);
	}
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=1", NULL), 0);
	placed = place(&m, &request, true, slots);
	want = m.kinds[0].per_slot ? m.kinds[0].per_slot * slots
				   : m.kinds[0].per_node;
	*missed = false;
	if (can_be_near(&m, cores, 0, slots, want) && placed < (int)slots)
		*missed = true;
	if (!can_be_near(&m, cores, 0, slots, want) && placed == (int)slots)
		fail_msg("%s: %u slots, %u each, %u in all, free %u %u %u %u: %d placed",
			 text, slots, m.kinds[0].per_slot, m.kinds[0].per_node,
			 m.pools[0][0].free, m.pools[0][1].free,
			 m.pools[0][2].free, m.pools[0][3].free, placed);
	tb_request_clear(&request);
	tear_down(&m);
	return placed == (int)slots;
}

/* Single cores near single pools: of a hundred ways at most one is missed. */
static void test_finds_what_there_is(void **state)
{
	struct random random = { 11 };
	unsigned found = 0, misses = 0;

	(void)state;
	for (unsigned i = 0; i < 5000; i++) {
		bool missed;

		found += check_small(&random, &missed);
		misses += missed;
	}
	assert_true(found > 1000);
	assert_true(found < 4500);
	assert_true(misses * 100 < found);
}

/* Units that others have may be shared, those near a device first. */
static void test_shared_units(void **state)
{
	struct tb_thread_use use[6] = { [0] = { 1, 0, 0 },
					[3] = { 1, 3, 3 },
					[4] = { TB_SHARE_NEVER, 4, 4 } };
	struct tb_request request;
	struct machine m;

	(void)state;
	set_up(&m, "NSXCCXCCXCC");
	add_devices(&m, "1 of 1@2-3 1@0-1");
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, "bamount=1", NULL), 0);
	m.affinity.must = true;
	assert_int_equal(tb_place_with_devices(m.placer, &request, m.used, use,
					       1, &m.affinity, 3),
			 1);
	assert_true(tb_bitset_test(tb_placed_threads(m.placer), 1));
	assert_int_equal(tb_place_with_devices(m.placer, &request, m.used, use,
					       2, &m.affinity, 3),
			 2);
	assert_int_equal(tb_bitset_next(tb_placed_threads(m.placer), 0), 0);
	assert_int_equal(m.pools[0][1].taken, 1);
	m.affinity.must = false;
	assert_int_equal(tb_place_with_devices(m.placer, &request, m.used, use,
					       2, &m.affinity, 9),
			 5);
	tb_request_clear(&request);
	tear_down(&m);
}

/* A device near everything changes nothing. */
static void test_near_everything(void **state)
{
	const struct random_shape shape = { 64, true };
	struct random random = { 23 };

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct random_case c;
		struct tb_request request;
		struct tb_bitset *granted;
		struct machine m;
		int slots;

		random_case(&random, &shape, &c);
		random_case_request(&c, &request);
		set_up(&m, c.topology);
		m.affinity.nkinds = 1;
		m.kinds[0].per_node = 1;
		tb_bitset_set_range(add_pool(&m, 0, 1)->threads, 0,
				    tb_topology_threads(m.topology));
		slots = tb_place(m.placer, &request, m.used, c.nslots);
		granted = tb_bitset_copy(tb_placed_threads(m.placer));
		assert_int_equal(place(&m, &request, i % 2, c.nslots), slots);
		if (slots > 0)
			assert_true(
				tb_bitset_equal(granted,
						tb_placed_threads(m.placer)));
		tb_bitset_destroy(granted);
		tb_request_clear(&request);
		tear_down(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_many_cases),
		cmocka_unit_test(test_shared_units),
		cmocka_unit_test(test_near_everything),
		cmocka_unit_test(test_finds_what_there_is),
	};

	return cmocka_run_group_tests_name("device affinity", tests, NULL,
					   NULL);
}

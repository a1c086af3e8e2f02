/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is true for every placement, on random machines of up to 128 threads.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "core/place/share.h"
#include "random_case.h"

#define CASES 20000

struct setting {
	struct random_case text;
	struct tb_topology *topology;
	struct tb_bitset *used, *free, *scratch;
	struct tb_placer *placer;
	struct tb_request request;
};

static void set_up(struct setting *s)
{
	s->topology = tb_topology_parse(s->text.topology, &s->used, NULL);
	assert_non_null(s->topology);
	s->free = tb_bitset_create(s->used->nbits);
	tb_bitset_set_range(s->free, 0, s->free->nbits);
	tb_bitset_andnot(s->free, s->used);
	s->scratch = tb_bitset_create(s->used->nbits);
	s->placer = tb_placer_create(s->topology);
	random_case_request(&s->text, &s->request);
}

static void tear_down(struct setting *s)
{
	tb_request_clear(&s->request);
	tb_placer_destroy(s->placer);
	tb_bitset_destroy(s->used);
	tb_bitset_destroy(s->free);
	tb_bitset_destroy(s->scratch);
	tb_topology_destroy(s->topology);
}

static int place(struct setting *s)
{
	return tb_place(s->placer, &s->request, s->used, s->text.nslots);
}

/* Run a check on many random settings; some must have placed something. */
static void for_random(uint64_t seed, bool nested,
		       void (*adjust)(struct random_case *),
		       void (*check)(struct setting *, struct random *))
{
	struct random random = { seed };
	unsigned placed = 0;

	for (int i = 0; i < CASES; i++) {
		const struct random_shape shape = { 1 + (unsigned)i % 128,
						    nested };
		struct setting s;

		random_case(&random, &shape, &s.text);
		if (adjust)
			adjust(&s.text);
		set_up(&s);
		placed += place(&s) > 0;
		check(&s, &random);
		tear_down(&s);
	}
	assert_true(placed > CASES / 5);
}

/* How many units of the request a set of threads is made of. */
static unsigned units_in(const struct setting *s,
			 const struct tb_bitset *threads)
{
	struct tb_bitset *others = tb_bitset_create(threads->nbits);
	unsigned units;

	tb_bitset_set_range(others, 0, others->nbits);
	tb_bitset_andnot(others, threads);
	units = tb_units_available(s->topology, s->request.unit, others, NULL);
	tb_bitset_destroy(others);
	return units;
}

/* Within the free threads, disjoint groups, all of the kind, exact amounts. */
static void check_grant(struct setting *s, struct random *random)
{
	struct tb_bitset *seen = tb_bitset_create(s->used->nbits);
	struct tb_bitset *group = tb_bitset_create(s->used->nbits);
	int slots = place(s);
	unsigned groups = s->request.type == TB_HOST ? slots > 0
						     : (unsigned)slots;

	(void)random;
	if (slots > 0) {
		assert_in_range(slots, 1, s->text.nslots);
		assert_int_equal(tb_placed_groups(s->placer), groups);
		for (unsigned i = 0; i < groups; i++) {
			tb_placed_group(s->placer, i, group);
			assert_false(tb_bitset_intersects(seen, group));
			if (units_in(s, group) != s->request.amount)
				random_case_print(&s->text);
			assert_int_equal(units_in(s, group), s->request.amount);
			tb_bitset_or(seen, group);
		}
		assert_true(
			tb_bitset_equal(seen, tb_placed_threads(s->placer)));
		assert_true(tb_bitset_contains(s->free, seen));
	}
	tb_bitset_destroy(seen);
	tb_bitset_destroy(group);
}

static void test_grants(void **state)
{
	(void)state;
	for_random(11, false, NULL, check_grant);
}

/* Two placers, and one placer after other work, say the same. */
static void check_same_again(struct setting *s, struct random *random)
{
	struct tb_placer *other = tb_placer_create(s->topology);
	struct tb_request simple;
	int first = tb_place(other, &s->request, s->used, s->text.nslots);

	tb_request_init(&simple);
	simple.amount = 1 + random_below(random, 3);
	tb_place(s->placer, &simple, NULL, 3);
	assert_int_equal(place(s), first);
	if (first > 0) {
		assert_true(tb_bitset_equal(tb_placed_threads(other),
					    tb_placed_threads(s->placer)));
		for (unsigned i = 0; i < tb_placed_groups(other); i++) {
			tb_placed_group(other, i, s->scratch);
			tb_placed_group(s->placer, i, s->free);
			assert_true(tb_bitset_equal(s->scratch, s->free));
		}
	}
	tb_placer_destroy(other);
}

static void test_deterministic(void **state)
{
	(void)state;
	for_random(12, false, NULL, check_same_again);
	for_random(13, true, NULL, check_same_again);
}

/* Taking what was granted and giving it back leaves the node as it was. */
static void check_take_and_release(struct setting *s, struct random *random)
{
	struct tb_bitset *used = tb_bitset_copy(s->used);
	int slots = place(s);

	(void)random;
	if (slots > 0) {
		tb_bitset_assign(s->scratch, tb_placed_threads(s->placer));
		tb_bitset_or(s->used, s->scratch);
		/* What is taken is not given a second time. */
		if (place(s) > 0)
			assert_false(tb_bitset_intersects(s->scratch,
							  tb_placed_threads(
								  s->placer)));
		tb_bitset_andnot(s->used, s->scratch);
		assert_true(tb_bitset_equal(s->used, used));
		assert_int_equal(place(s), slots);
		assert_true(tb_bitset_equal(s->scratch,
					    tb_placed_threads(s->placer)));
	} else {
		assert_true(tb_bitset_equal(s->used, used));
	}
	tb_bitset_destroy(used);
}

static void test_take_and_release(void **state)
{
	(void)state;
	for_random(14, false, NULL, check_take_and_release);
	for_random(15, true, NULL, check_take_and_release);
}

static void no_window(struct random_case *c)
{
	c->bstart[0] = c->bstop[0] = '\0';
}

static void linear_without_window(struct random_case *c)
{
	no_window(c);
	strcpy(c->bstrategy, "linear");
}

/* More in use never gives more slots; an idle node gives the most. */
static void check_monotone(struct setting *s, struct random *random)
{
	int before = place(s);

	for (unsigned i = 0; i < 4; i++) {
		int after;

		tb_bitset_set(s->used, random_below(random, s->used->nbits));
		after = place(s);
		assert_true(after <= before);
		before = after;
	}
}

static void test_monotone(void **state)
{
	(void)state;
	for_random(16, false, linear_without_window, check_monotone);
}

static void no_filter(struct random_case *c)
{
	no_window(c);
	c->bfilter[0] = c->btopology[0] = '\0';
}

/* Without window and filter all strategies find what is available. */
static void check_counts(struct setting *s, struct random *random)
{
	unsigned total = tb_units_total(s->topology, s->request.unit);
	unsigned available = tb_units_available(s->topology, s->request.unit,
						s->used, NULL);
	unsigned fit = available / s->request.amount;
	int slots = place(s);

	(void)random;
	assert_true(available <= total);
	assert_int_equal(tb_units_available(s->topology, s->request.unit, NULL,
					    NULL),
			 total);
	assert_int_equal(units_in(s, s->free), available);
	/* A single unit, or all at once: nothing can be cut off. */
	if (s->request.amount == 1 && s->request.type == TB_SLOT)
		assert_int_equal(slots,
				 fit < s->text.nslots ? fit : s->text.nslots);
	assert_int_equal(slots > 0, fit > 0);
}

/* Each unit keeps its threads to itself, and there are as many as are counted. */
static void check_units_of_threads(struct setting *s, struct random *random)
{
	unsigned threads = tb_topology_threads(s->topology), units = 0;
	uint32_t *unit_of = malloc(threads * sizeof(*unit_of));

	(void)random;
	assert_non_null(unit_of);
	tb_units_of_threads(s->topology, s->request.unit, unit_of);
	for (unsigned i = 0; i < threads; i++) {
		bool first = unit_of[i] != TB_NO_UNIT &&
			     (i == 0 || unit_of[i - 1] != unit_of[i]);

		for (unsigned before = 0; first && before < i; before++)
			first = unit_of[before] != unit_of[i];
		units += first;
	}
	assert_int_equal(units, tb_units_total(s->topology, s->request.unit));
	free(unit_of);
}

/* The power cores of a cache with both kinds are a unit, its others are not. */
static void test_units_of_threads(void **state)
{
	static const uint32_t caches[] = { 0,	       0,	   TB_NO_UNIT,
					   TB_NO_UNIT, TB_NO_UNIT, 5 };
	struct tb_unit unit = { .letter = 'X', .kind = TB_POWER };
	struct tb_topology *topology = tb_topology_parse("NSXCTTEXEEXC", NULL,
							 NULL);
	uint32_t unit_of[6];

	(void)state;
	assert_non_null(topology);
	tb_units_of_threads(topology, unit, unit_of);
	assert_memory_equal(unit_of, caches, sizeof(caches));
	tb_topology_destroy(topology);
	for_random(19, false, no_filter, check_units_of_threads);
}

static void test_counts(void **state)
{
	(void)state;
	for_random(17, false, no_filter, check_counts);
}

static void slots_only(struct random_case *c)
{
	strcpy(c->btype, "slot");
}

/* The node has whole cores of Slurm, and so has who uses it. */
static void widen_to_cores(struct setting *s, struct tb_bitset *threads)
{
	struct tb_bitset *cores = tb_bitset_create(
		tb_topology_cores(s->topology));

	tb_cores_of_threads(s->topology, threads, cores);
	tb_threads_of_cores(s->topology, cores, threads);
	tb_bitset_destroy(cores);
}

/* Is this group of the placer among those of the other, at all? */
static bool has_group(const struct tb_placer *placer,
		      const struct tb_bitset *group, struct tb_bitset *scratch)
{
	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		tb_placed_group(placer, i, scratch);
		if (tb_bitset_equal(scratch, group))
			return true;
	}
	return false;
}

/* What the header of tb_place_again() promises for this request here. */
enum promise { SAME_UNITS, MOSTLY_SAME, SAME_SLOTS, SAME_ORDER };

/* How often the slots were others where they are mostly the same. */
static unsigned other_slots;

static enum promise promise_of(const struct setting *s)
{
	bool idle = tb_bitset_is_empty(s->used);

	if (s->request.sort[0] && !idle)
		return SAME_UNITS;
	if (s->request.amount > 1 && s->request.strategy != TB_LINEAR)
		return MOSTLY_SAME;
	if (idle)
		return SAME_ORDER;
	return s->request.strategy == TB_SCATTER ? SAME_SLOTS : SAME_ORDER;
}

/* The slots that the node makes of the granted threads are those placed. */
static void check_again(struct setting *s, const struct tb_bitset *granted,
			bool exact)
{
	struct tb_placer *node = tb_placer_create(s->topology);
	struct tb_bitset *group = tb_bitset_create(s->used->nbits);
	unsigned slots = tb_placed_groups(s->placer);
	enum promise promise = promise_of(s);
	bool same = true;

	if (exact)
		assert_int_equal(tb_place_again(node, &s->request, granted),
				 slots);
	else
		assert_in_range(tb_place_again(node, &s->request, granted),
				slots, s->used->nbits);
	assert_true(tb_bitset_contains(granted, tb_placed_threads(node)));
	if (exact)
		assert_true(tb_bitset_equal(granted, tb_placed_threads(node)));
	for (unsigned i = 0; i < slots; i++) {
		tb_placed_group(s->placer, i, group);
		tb_placed_group(node, i, s->scratch);
		if (promise == SAME_ORDER || promise == MOSTLY_SAME)
			same = same && tb_bitset_equal(group, s->scratch);
		if (promise == SAME_SLOTS)
			same = same && has_group(node, group, s->scratch);
	}
	if (!same && promise == MOSTLY_SAME) {
		other_slots++;
	} else {
		if (!same)
			random_case_print(&s->text);
		assert_true(same);
	}
	tb_bitset_destroy(group);
	tb_placer_destroy(node);
}

static void check_slots(struct setting *s, struct random *random)
{
	(void)random;
	if (place(s) > 0)
		check_again(s, tb_placed_threads(s->placer), true);
}

static void test_slots_of_the_grant(void **state)
{
	(void)state;
	other_slots = 0;
	for_random(18, false, slots_only, check_slots);
	assert_in_range(other_slots, 0, CASES / 100);
}

static void check_slots_of_cores(struct setting *s, struct random *random)
{
	struct tb_bitset *granted;

	(void)random;
	widen_to_cores(s, s->used);
	if (place(s) <= 0)
		return;
	granted = tb_bitset_copy(tb_placed_threads(s->placer));
	widen_to_cores(s, granted);
	check_again(s, granted, false);
	tb_bitset_destroy(granted);
}

static void threads_only(struct random_case *c)
{
	slots_only(c);
	strcpy(c->bunit, "T");
}

static void test_slots_of_threads_in_cores(void **state)
{
	(void)state;
	for_random(22, false, threads_only, check_slots_of_cores);
}

/* Counted by the linker's --wrap, see Makefile.inc. */
static unsigned allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
	allocations++;
	return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	allocations++;
	return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	allocations++;
	return __real_realloc(memory, size);
}

/* What is in use has two jobs, each thread as a unit of its own. */
static void place_shared(struct setting *s)
{
	struct tb_thread_use use[128] = { { 0 } };

	for (unsigned i = 0; i < s->used->nbits; i++)
		use[i] = (struct tb_thread_use){ tb_bitset_test(s->used, i) ? 2
									    : 0,
						 (uint16_t)i, (uint16_t)i };
	tb_share_only_units(s->topology, s->request.unit, use);
	tb_place_shared(s->placer, &s->request, use, 3, s->text.nslots);
}

static void check_allocations(struct setting *s, struct random *random)
{
	unsigned before = allocations;

	(void)random;
	assert_true(before > 0);
	place(s);
	place_shared(s);
	assert_int_equal(allocations, before);
}

static void test_no_allocation(void **state)
{
	(void)state;
	for_random(20, true, NULL, check_allocations);
}

/* Nested letters: still free threads only, and none twice. */
static void check_nested(struct setting *s, struct random *random)
{
	struct tb_bitset *seen = tb_bitset_create(s->used->nbits);
	int slots = place(s);

	(void)random;
	for (unsigned i = 0; slots > 0 && i < tb_placed_groups(s->placer);
	     i++) {
		tb_placed_group(s->placer, i, s->scratch);
		assert_false(tb_bitset_is_empty(s->scratch));
		assert_false(tb_bitset_intersects(seen, s->scratch));
		tb_bitset_or(seen, s->scratch);
	}
	assert_true(tb_bitset_contains(s->free, seen));
	tb_bitset_destroy(seen);
}

static void test_nested(void **state)
{
	(void)state;
	for_random(19, true, NULL, check_nested);
}

/* A list of CPUs: all of them, or nothing when one is in use or not there. */
static void check_list(struct setting *s, struct random *random)
{
	unsigned threads = s->used->nbits;
	struct tb_request request;
	char *list;
	bool fits;

	tb_bitset_clear_all(s->scratch);
	tb_bitset_set_range(s->scratch, random_below(random, threads), 1);
	tb_bitset_set_range(s->scratch, random_below(random, threads), 1);
	list = tb_bitset_print_list(s->scratch);
	tb_request_init(&request);
	assert_int_equal(tb_request_set(&request, "bcpus", list, NULL), 0);
	free(list);
	fits = !tb_bitset_intersects(s->scratch, s->used);
	assert_int_equal(tb_place(s->placer, &request, s->used, 3),
			 fits ? 3 : 0);
	assert_int_equal(tb_placed_groups(s->placer), fits);
	if (fits) {
		assert_true(tb_bitset_equal(tb_placed_threads(s->placer),
					    s->scratch));
		tb_placed_group(s->placer, 0, s->free);
		assert_true(tb_bitset_equal(s->free, s->scratch));
		assert_int_equal(tb_place_again(s->placer, &request,
						s->scratch),
				 1);
	}
	tb_request_clear(&request);
}

static void test_lists(void **state)
{
	(void)state;
	for_random(21, false, NULL, check_list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grants),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_take_and_release),
		cmocka_unit_test(test_monotone),
		cmocka_unit_test(test_units_of_threads),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_slots_of_the_grant),
		cmocka_unit_test(test_slots_of_threads_in_cores),
		cmocka_unit_test(test_no_allocation),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is true for every placement, on random machines of up to 128 threads; and
 * decisions that test/data/binding_vectors.tsv does not show.
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

/* --- examples ------------------------------------------------------------- */

/* The node's used threads in lower case; the grant as "0-1;2-3", or "". */
static void check_places(const char *node, const char *line, unsigned nslots,
			 const unsigned *distances, const char *expected)
{
	struct tb_bitset *used;
	struct tb_topology *topology = tb_topology_parse(node, &used, NULL);
	struct tb_placer *placer;
	struct tb_request request;
	char got[256] = "";

	assert_non_null(topology);
	if (distances)
		assert_int_equal(tb_topology_set_distances(
					 topology, distances,
					 tb_topology_count(topology, 'N'),
					 NULL),
				 0);
	placer = tb_placer_create(topology);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	if (tb_place(placer, &request, used, nslots) > 0)
		for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
			char *list;

			tb_placed_group(placer, i, used);
			list = tb_bitset_print_list(used);
			snprintf(got + strlen(got), sizeof(got) - strlen(got),
				 "%s%s", i ? ";" : "", list);
			free(list);
		}
	if (strcmp(got, expected) != 0)
		fail_msg("%s %s: %s, expected %s", node, line, got, expected);
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

/* NUMA nodes in a square: N1-N2, N1-N3, N2-N4, N3-N4 near, diagonals far. */
static void test_distances(void **state)
{
	static const unsigned quadrants[16] = {
		10, 20, 20, 30, 20, 10, 30, 20, 20, 30, 10, 20, 30, 20, 20, 10,
	};
	static const char node[] = "NSxccXCCNSXCCXCCNSXcCXCCNSXCCXCC";

	(void)state;
	/* N2 N1 N4 N3, in them the least loaded X and C first */
	check_places(node, "bamount=1,bsort=NXC", 16, quadrants,
		     "4;5;6;7;2;3;12;13;14;15;10;11;9");
	/* By load alone N3 and N1 come last. */
	check_places(node, "bamount=1,bsort=NXC", 16, NULL,
		     "4;5;6;7;12;13;14;15;10;11;9;2;3");
	/* Most used first: N1, its neighbours N2 and N3, then N4. */
	check_places(node, "bamount=1,bsort=n", 16, quadrants,
		     "2;3;4;5;6;7;9;10;11;12;13;14;15");
	/* N1 N2 N3 N4, the window from the used one on. */
	check_places("NCCNcCNCCNCC", "bamount=1,bsort=N,bstart=n", 8, quadrants,
		     "3;4;5;6;7");
}

/* N1 and N3 are neighbours, and so are N2 and N4. */
static void test_near_numa_nodes(void **state)
{
	static const unsigned crosswise[16] = {
		10, 30, 12, 30, 30, 10, 30, 12, 12, 30, 10, 30, 30, 12, 30, 10,
	};

	(void)state;
	check_places("NSCCNSCCNSCCNSCC", "bunit=N,bamount=2", 2, crosswise,
		     "0-1,4-5;2-3,6-7");
	check_places("NSCCNSCCNSCCNSCC", "bamount=4,btype=host", 1, crosswise,
		     "0-1,4-5");
	check_places("NSCcNSCCNSCCNSCC", "bamount=4", 1, crosswise, "2-3,6-7");
	/* The sort says which come first. */
	check_places("NSCcNSCCNSCCNSCC", "bamount=4,bsort=n", 1, crosswise,
		     "0,2,4-5");
	check_places("NSCCNSCCNSCCNSCC", "bunit=N,bamount=2", 1, NULL, "0-3");
}

static void test_fewest_containers(void **state)
{
	static const char node[] = "NSXcccCXcccCXCCCCXCCCC";

	(void)state;
	check_places(node, "bamount=6", 1, NULL, "8-13");
	check_places(node, "bamount=6,bsort=X", 1, NULL, "8-13");
	/* The most used ones first, as the sort says. */
	check_places(node, "bamount=6,bsort=x", 1, NULL, "3,7-11");
	/* The second one is taken in part, but was not whole before. */
	check_places("SXCCCCXCCCCXcCCC", "bamount=6", 1, NULL, "0-3,9-10");
}

static void test_nested_letters(void **state)
{
	static const char nested[] =
		"(S(N(N(C(T))(C(T)))(N(C(T))(C(T))))(N(C(T))(C(T))))";

	(void)state;
	/* the outer one first, then what is not in it */
	check_places(nested, "bunit=N,bamount=1", 4, NULL, "0-3;4-5");
	/* the inner ones, when something in the outer one is in use */
	check_places("(S(N(N(C(t))(C(T)))(N(C(T))(C(T))))(N(C(T))(C(T))))",
		     "bunit=N,bamount=1", 4, NULL, "2-3;4-5");
	/* two cores fit into an inner N, four into the outer one */
	check_places(nested, "bamount=2,bstrategy=packed", 1, NULL, "0-1");
	check_places("(S(N(C(T))(N(C(T))(C(T)))))", "bamount=2", 1, NULL,
		     "1-2");
	check_places(nested, "bamount=4", 1, NULL, "0-3");
}

static void test_units_without_threads(void **state)
{
	(void)state;
	/* The first X has no power core: it is no X unit, and no place. */
	check_places("NSXEEXCC", "bunit=X,bamount=1", 2, NULL, "2-3");
	check_places("NSXEEXCC", "bunit=EX,bamount=1", 2, NULL, "0-1");
	check_places("NSXEEXEE", "bunit=X,bamount=1", 2, NULL, "");
	check_places("NSXEEXCCXCC", "bamount=1,bstrategy=scatter", 3, NULL,
		     "2;4;3");
	check_places("SEEEE", "bunit=T,bamount=1", 1, NULL, "");
}

static void test_mixed_kinds(void **state)
{
	(void)state;
	/* A unit is its threads of the kind; the other kind may be in use. */
	check_places("NSXCCeeXCCEE", "bunit=X,bamount=1", 2, NULL, "0-1;4-5");
	check_places("NSXCCeEXCCEE", "bunit=EX,bamount=1", 2, NULL, "6-7");
	check_places("NSXCTTEETTXCTTE", "bunit=T,bamount=2", 3, NULL,
		     "0-1;5-6");
	check_places("NSXCTTEETTXCTTE", "bunit=ET,bamount=2", 3, NULL,
		     "3-4;2,7");
	check_places("NSXCTTEETTXCTTE", "bunit=ET,bamount=1,bstrategy=linear",
		     9, NULL, "2;3;4;7");
}

static void test_many_threads_per_core(void **state)
{
	(void)state;
	/* a core each as long as one has three, then what is left */
	check_places("SCTTTTCTTTTCTTTT", "bunit=T,bamount=3", 4, NULL,
		     "0-2;4-6;8-10;3,7,11");
	check_places("SCTtTTCTTTTCTTTT", "bunit=T,bamount=3", 4, NULL,
		     "0,2-3;4-6;8-10");
	check_places("SCTtTTCTTTTCTTTT", "bamount=1", 4, NULL, "4-7;8-11");
}

/* Core 21 of 30 with three threads each is 63-65, in two words of a set. */
static void test_cores_across_words(void **state)
{
	static const char core[] = "CTTT";
	struct tb_bitset *used = tb_bitset_create(90);
	char node[4 * 30 + 1] = "";
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_request request;
	char *list;

	(void)state;
	for (int i = 0; i < 30; i++)
		strcat(node, core);
	topology = tb_topology_parse(node, NULL, NULL);
	placer = tb_placer_create(topology);
	tb_request_init(&request);
	request.amount = 1;
	for (unsigned thread = 63; thread <= 65; thread++) {
		tb_bitset_clear_all(used);
		tb_bitset_set(used, thread);
		assert_int_equal(tb_place(placer, &request, used, 30), 29);
		list = tb_bitset_print_list(tb_placed_threads(placer));
		assert_string_equal(list, "0-62,66-89");
		free(list);
	}
	assert_int_equal(tb_place(placer, &request, NULL, 30), 30);
	tb_bitset_destroy(used);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

static void test_listed_cpus(void **state)
{
	(void)state;
	check_places("SCTTCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "1,4-5");
	check_places("SCtTCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "1,4-5");
	check_places("SCTtCTTSCTTCTT", "bcpus=1+4-5", 4, NULL, "");
	check_places("SCTTCTTSCTTCTT", "bcpus=7", 1, NULL, "7");
	check_places("SCTTCTTSCTTCTT", "bcpus=7-8", 1, NULL, "");
	check_places("SCTTCTTSCTTCTT", "bcpus=65535", 1, NULL, "");
	check_places("SCTTEE", "bcpus=1-2", 1, NULL, "1-2");
	check_places("SCTTCTT", "bcpus=0,bamount=0", 1, NULL, "");
	check_places("SCTTCTT", "bcpus=0", 0, NULL, "");
	check_places("SCCC", "bcpus=0-1,btopology=SCCC", 1, NULL, "0-1");
}

static int result_of(const char *node, const char *line)
{
	struct tb_topology *topology = tb_topology_parse(node, NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request;
	int result;

	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	result = tb_place(placer, &request, NULL, 2);
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	return result;
}

static void test_asked_topology(void **state)
{
	(void)state;
	assert_int_equal(result_of("NSCC", "bamount=1,btopology=NSCC"), 2);
	assert_int_equal(result_of("nscC", "bamount=1,btopology=NSCC"), 2);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=(N(S(C(T))(C(T))))"),
			 2);
	assert_int_equal(result_of("NSCCC", "bamount=1,btopology=NSCC"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC", "bcpus=0,btopology=SNCC"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=NSC,bfilter=NSc"),
			 TB_PLACE_TOPOLOGY_MISMATCH);
	assert_int_equal(result_of("NSCC",
				   "bamount=1,btopology=NSCC,bfilter=NSc"),
			 TB_PLACE_FILTER_MISMATCH);
}

static void test_nothing_asked(void **state)
{
	(void)state;
	check_places("SCCCC", "bamount=0", 4, NULL, "");
	check_places("SCCCC", "bamount=0,bstrategy=linear", 4, NULL, "");
	check_places("SCCCC", "bamount=1", 0, NULL, "");
	check_places("SCCCC", "bamount=1,btype=host", 0, NULL, "");
}

static void test_idle_without_a_set(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SCCCC", NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request;

	(void)state;
	tb_request_init(&request);
	request.amount = 2;
	assert_int_equal(tb_place(placer, &request, NULL, 9), 2);
	assert_int_equal(tb_place(placer, &request, NULL, 9), 2);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
	tb_placer_destroy(NULL);
	tb_topology_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grants),
		cmocka_unit_test(test_deterministic),
		cmocka_unit_test(test_take_and_release),
		cmocka_unit_test(test_monotone),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_units_of_threads),
		cmocka_unit_test(test_slots_of_the_grant),
		cmocka_unit_test(test_slots_of_threads_in_cores),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_no_allocation),
		cmocka_unit_test(test_distances),
		cmocka_unit_test(test_near_numa_nodes),
		cmocka_unit_test(test_fewest_containers),
		cmocka_unit_test(test_nested_letters),
		cmocka_unit_test(test_units_without_threads),
		cmocka_unit_test(test_mixed_kinds),
		cmocka_unit_test(test_many_threads_per_core),
		cmocka_unit_test(test_cores_across_words),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_listed_cpus),
		cmocka_unit_test(test_asked_topology),
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_idle_without_a_set),
	};

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}

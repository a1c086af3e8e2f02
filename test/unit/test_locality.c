/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How near the threads of jobs are to each other: a table, and random machines on
 * which all sets of containers are tried.
 */
#include "unit_test.h"

#include "random_case.h"

#include "core/topology/fragmentation.h"
#include "core/topology/locality.h"

/* The threads in lower case; *topology is new where it is NULL. */
static struct tb_bitset *read_lower(const char *text,
				    struct tb_topology **topology)
{
	struct tb_bitset *lower;
	struct tb_error err;
	struct tb_topology *read = tb_topology_parse(text, &lower, &err);

	if (!read)
		fail_msg("%s: %s", text, err.text);
	if (*topology)
		tb_topology_destroy(read);
	else
		*topology = read;
	return lower;
}

/* ---- a table ---- */

/* What a job has is lower case in its string. */
static const struct row {
	const char *job, *other, *kept; /* the second ones: NULL, none */
	char letter;
	struct tb_locality wanted; /* in the order of its fields */
} rows[] = {
	/* touched, fewest, shared, strangers, threads, together */
	{ "NSXccXCC", NULL, NULL, 'X', { 1, 1, 0, 0, 2, 2 } },
	{ "NSXcCXcC", NULL, NULL, 'X', { 2, 1, 0, 0, 2, 1 } },
	{ "NSXcCXcC", NULL, NULL, 'S', { 1, 1, 0, 0, 2, 2 } },
	{ "NSXccXcC", NULL, NULL, 'X', { 2, 2, 0, 0, 3, 3 } },
	{ "NSXccCXcCC", NULL, NULL, 'X', { 2, 1, 0, 0, 3, 2 } },
	{ "NSXCCXCC", NULL, NULL, 'X', { 0, 0, 0, 0, 0, 0 } },
	/* The other is in one of the two, or in none. */
	{ "NSXcCXcC", "NSXCcXCC", NULL, 'X', { 2, 1, 1, 1, 2, 1 } },
	{ "NSXccXCC", "NSXCCXcc", NULL, 'X', { 1, 1, 0, 0, 2, 2 } },
	{ "NSXccXCC", "NSXCCXcc", NULL, 'S', { 1, 1, 1, 1, 2, 2 } },
	/* Also on the same core. */
	{ "NSXCtTXCTT", "NSXCTtXCTT", NULL, 'X', { 1, 1, 1, 1, 1, 1 } },
	/* No L3 cache: the sockets. */
	{ "ScCScC", NULL, NULL, 'X', { 2, 1, 0, 0, 2, 1 } },
	{ "ScCScC", NULL, NULL, 'N', { 2, 1, 0, 0, 2, 1 } },
	/* The larger one would do. */
	{ "NSXcXcXCCC", NULL, NULL, 'X', { 2, 1, 0, 0, 2, 1 } },
	/* Not where the system has a core of it; but where it is the job's. */
	{ "NSXcCXcCC", NULL, "NSXCCXCCc", 'X', { 2, 1, 0, 0, 2, 1 } },
	{ "NSXcCCXccC", NULL, "NSXCCcXCCc", 'X', { 2, 2, 0, 0, 3, 3 } },
	{ "NSXcccXCCC", NULL, "NSXCCcXCCc", 'X', { 1, 1, 0, 0, 3, 3 } },
	/* Power and efficiency cores do not stand for each other. */
	{ "NSXcCEEXcCEE", NULL, NULL, 'X', { 2, 1, 0, 0, 2, 1 } },
	{ "NSXccEEXcCEE", NULL, NULL, 'X', { 2, 2, 0, 0, 3, 3 } },
	{ "NSXcCeEXCCEE", NULL, NULL, 'X', { 1, 1, 0, 0, 2, 2 } },
	{ "NSXccXeeXCCEE", NULL, NULL, 'X', { 2, 1, 0, 0, 4, 2 } },
	{ "NSXccXeeXCEE", NULL, NULL, 'X', { 2, 2, 0, 0, 4, 4 } },
	/* Outside of all L3 caches. */
	{ "NSXccee", NULL, NULL, 'X', { 1, 1, 0, 0, 4, 4 } },
	{ "(N(S(X(c(t)))(e(t))))", NULL, NULL, 'X', { 1, 1, 0, 0, 1, 1 } },
	/* Inside each other: the outermost. */
	{ "(N(N(S(c(t))))(N(S(c(t)))))", NULL, NULL, 'N', { 1, 1, 0, 0, 2, 2 } },
};

static void check_row(const struct row *row)
{
	struct tb_topology *topology = NULL;
	struct tb_bitset *job = read_lower(row->job, &topology);
	struct tb_bitset *other = read_lower(row->other ? row->other : row->job,
					     &topology);
	struct tb_bitset *kept = row->kept ? read_lower(row->kept, &topology)
					   : NULL;
	const struct tb_tenant tenants[] = { { job, 1 }, { other, 2 } };
	struct tb_locality seen;

	assert_int_equal(tb_locality_measure(topology, row->letter, kept,
					     tenants, row->other ? 2 : 1, 0,
					     &seen),
			 0);
	if (memcmp(&seen, &row->wanted, sizeof(seen)))
		fail_msg("%s %c: %u %u %u %u %u %u", row->job, row->letter,
			 seen.touched, seen.fewest, seen.shared, seen.strangers,
			 seen.threads, seen.together);
	tb_bitset_destroy(job);
	tb_bitset_destroy(other);
	tb_bitset_destroy(kept);
	tb_topology_destroy(topology);
}

static void measures_a_job(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

static void knows_its_own(void **state)
{
	struct tb_topology *topology = NULL;
	struct tb_bitset *a = read_lower("NSXcCCXCCC", &topology);
	struct tb_bitset *b = read_lower("NSXCcCXcCC", &topology);
	struct tb_bitset *c = read_lower("NSXCCcXCCc", &topology);
	const struct tb_tenant tenants[] = { { a, 7 }, { b, 7 }, { c, 9 } };
	struct tb_locality seen;

	(void)state;
	assert_int_equal(tb_locality_measure(topology, 'X', NULL, tenants, 3, 0,
					     &seen),
			 0);
	assert_int_equal(seen.strangers, 1);
	assert_int_equal(tb_locality_measure(topology, 'X', NULL, tenants, 3, 2,
					     &seen),
			 0);
	assert_int_equal(seen.strangers, 2);
	assert_int_equal(seen.shared, 2);
	tb_bitset_destroy(a);
	tb_bitset_destroy(b);
	tb_bitset_destroy(c);
	tb_topology_destroy(topology);
}

static void scores(void **state)
{
	struct tb_locality sum = { .touched = 4,
				   .fewest = 2,
				   .threads = 8,
				   .together = 4 };
	const struct tb_locality more = { 1, 1, 1, 3, 8, 8 };

	(void)state;
	assert_true(tb_locality_score(&sum) == 0.5);
	tb_locality_add(&sum, &more);
	assert_true(tb_locality_score(&sum) == 0.75);
	assert_int_equal(sum.touched, 5);
	assert_int_equal(sum.fewest, 3);
	assert_int_equal(sum.shared, 1);
	assert_int_equal(sum.strangers, 3);
	tb_locality_add(&sum, &more);
	assert_int_equal(sum.strangers, 3);
	sum = (struct tb_locality){ 0 };
	assert_true(tb_locality_score(&sum) == 1);
}

static void counts_containers(void **state)
{
	struct tb_topology *topology = NULL;
	struct tb_bitset *none = read_lower("NSXYcYCXYCYc", &topology);

	(void)state;
	/* Where all could be broken, all but L2 caches of one core are. */
	assert_int_equal(tb_locality_containers(topology), 1 + 1 + 1 + 2 + 4);
	assert_int_equal(tb_broken_containers(topology, none, none), 5);
	tb_bitset_destroy(none);
	tb_topology_destroy(topology);
}

/* ---- all sets of containers ---- */

#define MOST_THREADS 12

struct oracle {
	unsigned first[MOST_THREADS], threads[MOST_THREADS], count;
};

/* Outermost objects of the letter, sockets where there are none. */
static void find_containers(const struct tb_topology *topology, char letter,
			    struct oracle *oracle)
{
	unsigned end = 0;

	oracle->count = 0;
	if (!tb_topology_count(topology, letter))
		letter = 'S';
	for (unsigned i = 0; i < tb_topology_count(topology, letter); i++) {
		unsigned *first = &oracle->first[oracle->count];
		unsigned *threads = &oracle->threads[oracle->count];

		tb_topology_object(topology, letter, i, first, threads);
		if (oracle->count && *first < end)
			continue;
		end = *first + *threads;
		oracle->count++;
		assert_true(oracle->count < MOST_THREADS);
	}
}

static enum tb_core_kind kind_of(const struct tb_topology *topology,
				 unsigned thread)
{
	unsigned core = 0;

	while (tb_core_first_thread(topology, core) +
		       tb_core_threads(topology, core) <=
	       thread)
		core++;
	return tb_core_kind(topology, core);
}

/* In the containers of a set: threads of a kind that are in any of two sets. */
static unsigned count_in(const struct oracle *oracle, unsigned set,
			 const struct tb_topology *topology, int kind,
			 const struct tb_bitset *a, const struct tb_bitset *b)
{
	unsigned count = 0;

	for (unsigned i = 0; i < oracle->count; i++)
		for (unsigned t = 0; set & 1u << i && t < oracle->threads[i];
		     t++) {
			unsigned thread = oracle->first[i] + t;

			count += (int)kind_of(topology, thread) == kind &&
				 (tb_bitset_test(a, thread) ||
				  (b && tb_bitset_test(b, thread)));
		}
	return count;
}

static void ask_oracle(const struct tb_topology *topology, char letter,
		       const struct tb_bitset *job,
		       const struct tb_bitset *usable,
		       const struct tb_bitset *other,
		       struct tb_locality *wanted)
{
	struct oracle oracle;
	unsigned all, need[2];

	find_containers(topology, letter, &oracle);
	all = (1u << oracle.count) - 1;
	*wanted = (struct tb_locality){ .fewest = UINT32_MAX };
	for (int kind = 0; kind < 2; kind++) {
		need[kind] = count_in(&oracle, all, topology, kind, job, NULL);
		wanted->threads += need[kind];
	}
	for (unsigned i = 0; i < oracle.count; i++) {
		bool mine = tb_bitset_any_in_range(job, oracle.first[i],
						   oracle.threads[i]);

		wanted->touched += mine;
		wanted->shared += mine &&
				  tb_bitset_any_in_range(other, oracle.first[i],
							 oracle.threads[i]);
	}
	wanted->strangers = wanted->shared > 0;
	for (unsigned set = 0; set <= all; set++) {
		unsigned size = (unsigned)__builtin_popcount(set);

		if (size < wanted->fewest &&
		    count_in(&oracle, set, topology, 0, job, usable) >=
			    need[0] &&
		    count_in(&oracle, set, topology, 1, job, usable) >= need[1])
			wanted->fewest = size;
	}
	for (unsigned set = 0; set <= all; set++) {
		unsigned there = count_in(&oracle, set, topology, 0, job,
					  NULL) +
				 count_in(&oracle, set, topology, 1, job, NULL);

		if ((unsigned)__builtin_popcount(set) == wanted->fewest &&
		    there > wanted->together)
			wanted->together = there;
	}
}

static struct tb_bitset *random_threads(struct random *random, unsigned nbits)
{
	struct tb_bitset *set = tb_bitset_create(nbits);
	unsigned percent = random_below(random, 101);

	assert_non_null(set);
	for (unsigned i = 0; i < nbits; i++)
		if (random_percent(random, percent))
			tb_bitset_set(set, i);
	return set;
}

static void check_random(struct random *random, bool nested)
{
	static const char letters[] = "XNS";
	const struct random_shape shape = { MOST_THREADS - 2, nested };
	char text[RANDOM_TEXT];
	struct tb_topology *topology;
	struct tb_bitset *job, *usable, *kept, *other;

	random_topology(random, &shape, text);
	topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(topology);
	job = random_threads(random, tb_topology_threads(topology));
	other = random_threads(random, job->nbits);
	kept = random_threads(random, job->nbits);
	usable = tb_bitset_create(job->nbits);
	assert_non_null(usable);
	tb_bitset_set_range(usable, 0, job->nbits);
	tb_bitset_andnot(usable, kept);
	for (const char *letter = letters; *letter; letter++) {
		const struct tb_tenant tenants[] = { { other, 1 }, { job, 2 } };
		struct tb_locality seen, wanted;

		ask_oracle(topology, *letter, job, usable, other, &wanted);
		assert_int_equal(tb_locality_measure(topology, *letter, kept,
						     tenants, 2, 1, &seen),
				 0);
		if (memcmp(&seen, &wanted, sizeof(seen)))
			fail_msg("%s %c: %s of %s, %u for %u, %u", text,
				 *letter, tb_bitset_print_list(job),
				 tb_bitset_print_list(usable), seen.fewest,
				 wanted.fewest, seen.together);
		assert_true((tb_locality_score(&seen) == 1) ==
			    (seen.touched == seen.fewest));
	}
	tb_bitset_destroy(job);
	tb_bitset_destroy(other);
	tb_bitset_destroy(kept);
	tb_bitset_destroy(usable);
	tb_topology_destroy(topology);
}

static void agrees_with_all_sets(void **state)
{
	struct random random = { 22 };

	(void)state;
	for (int i = 0; i < 4000; i++)
		check_random(&random, i % 3 == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measures_a_job),
		cmocka_unit_test(knows_its_own),
		cmocka_unit_test(scores),
		cmocka_unit_test(counts_containers),
		cmocka_unit_test(agrees_with_all_sets),
	};

	return cmocka_run_group_tests_name("locality", tests, NULL, NULL);
}

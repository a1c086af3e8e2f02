/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembered results: in whatever order keys are looked up, each has the value that
 * it got first; and a remembered placement is the one that would be found again.
 */
#include "unit_test.h"

#include "core/base/memo.h"
#include "core/place/place.h"
#include "random_case.h"

#define KEYS 3000
#define BITS 130

/* A key of a few kinds, so that many are the same, and many nearly. */
static void random_key(struct random *random, struct tb_memo_key *key,
		       struct tb_bitset *cores)
{
	static const char place[1];

	*key = (struct tb_memo_key){
		.shape = random_below(random, 3),
		.filter = random_percent(random, 50) ? place : NULL,
		.numbers = { random_below(random, 2), random_below(random, 3),
			     random_below(random, 2) },
		.cores = cores,
	};
	tb_bitset_clear_all(cores);
	for (unsigned i = random_below(random, 3); i; i--)
		tb_bitset_set(cores, random_below(random, BITS));
}

static bool is_same(const struct tb_memo_key *a, const struct tb_memo_key *b)
{
	return a->shape == b->shape && a->filter == b->filter &&
	       !memcmp(a->numbers, b->numbers, sizeof(a->numbers)) &&
	       tb_bitset_equal(a->cores, b->cores);
}

struct seen {
	struct tb_memo_key key;
	unsigned *value;
};

/* By looking at all of them. */
static struct seen *find_seen(struct seen *seen, unsigned count,
			      const struct tb_memo_key *key)
{
	for (unsigned i = 0; i < count; i++)
		if (is_same(&seen[i].key, key))
			return &seen[i];
	return NULL;
}

static void test_find(void **state)
{
	struct random random = { 7 };
	struct tb_memo *memo = tb_memo_create(sizeof(unsigned));
	struct tb_bitset *cores = tb_bitset_create(BITS);
	struct seen *seen = calloc(KEYS, sizeof(*seen));
	unsigned count = 0;

	(void)state;
	assert_true(memo && cores && seen);
	for (unsigned i = 1; i <= KEYS; i++) {
		struct tb_memo_key key;
		struct seen *before;
		unsigned *value;
		bool is_new;

		random_key(&random, &key, cores);
		before = find_seen(seen, count, &key);
		value = tb_memo_find(memo, &key, &is_new);
		assert_non_null(value);
		assert_int_equal(is_new, !before);
		if (before) {
			assert_ptr_equal(value, before->value);
			assert_int_not_equal(*value, 0);
			continue;
		}
		assert_int_equal(*value, 0);
		*value = i;
		seen[count] = (struct seen){ key, value };
		seen[count++].key.cores = tb_bitset_copy(cores);
	}
	assert_in_range(count, KEYS / 4, KEYS * 9 / 10);
	for (unsigned i = 0; i < count; i++)
		tb_bitset_destroy((struct tb_bitset *)seen[i].key.cores);
	free(seen);
	tb_bitset_destroy(cores);
	tb_memo_destroy(memo);
}

/* The same words in sets of another size are another key. */
static void test_sizes(void **state)
{
	struct tb_memo *memo = tb_memo_create(1);
	uint64_t word = 5;
	bool is_new;

	(void)state;
	for (unsigned bits = 10; bits < 64; bits++) {
		struct tb_bitset cores = { bits, &word };
		struct tb_memo_key key = { .cores = &cores };

		assert_non_null(tb_memo_find(memo, &key, &is_new));
		assert_true(is_new);
		assert_non_null(tb_memo_find(memo, &key, &is_new));
		assert_false(is_new);
	}
	tb_memo_destroy(memo);
	tb_memo_destroy(NULL);
}

static void test_sets(void **state)
{
	struct tb_memo *memo = tb_memo_create(1);
	struct tb_bitset sets[200];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		sets[i].nbits = 1 + i * 40;
		assert_true(tb_memo_make_set(memo, &sets[i]));
		assert_true(tb_bitset_is_empty(&sets[i]));
		tb_bitset_set_range(&sets[i], 0, sets[i].nbits);
	}
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(tb_bitset_count(&sets[i]), sets[i].nbits);
	tb_memo_destroy(memo);
}

/* All that was asked for is counted, and not much more. */
static void test_bytes(void **state)
{
	struct tb_memo *memo = tb_memo_create(1);
	size_t asked = 0, empty = tb_memo_size(memo);

	(void)state;
	assert_in_range(empty, 1, 4096);
	for (size_t i = 1; i < 20; i++) {
		assert_non_null(tb_memo_keep(memo, i * 4000));
		asked += i * 4000;
		assert_in_range(tb_memo_size(memo), empty + asked,
				empty + 2 * asked + 40000);
	}
	tb_memo_destroy(memo);
}

/* What a placement came to. */
struct result {
	int slots;
	struct tb_bitset granted;
};

static void place_remembered(struct tb_memo *memo, struct tb_placer *placer,
			     const struct tb_request *request,
			     const struct tb_bitset *used, unsigned slots)
{
	struct tb_memo_key key = { .shape = (uintptr_t)placer,
				   .numbers = { slots },
				   .cores = used };
	struct result *result;
	bool is_new;
	int placed = tb_place(placer, request, used, slots);

	result = tb_memo_find(memo, &key, &is_new);
	assert_non_null(result);
	if (is_new) {
		result->slots = placed;
		result->granted.nbits = used->nbits;
		assert_true(tb_memo_make_set(memo, &result->granted));
		if (placed > 0)
			tb_bitset_assign(&result->granted,
					 tb_placed_threads(placer));
		return;
	}
	assert_int_equal(result->slots, placed);
	if (placed > 0)
		assert_true(tb_bitset_equal(&result->granted,
					    tb_placed_threads(placer)));
}

struct machine {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *used;
};

static void make_machine(struct random *random, struct machine *m)
{
	const struct random_shape shape = { .most_threads = 24 };
	char text[RANDOM_TEXT];

	random_topology(random, &shape, text);
	m->topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(m->topology);
	m->placer = tb_placer_create(m->topology);
	m->used = tb_bitset_create(tb_topology_threads(m->topology));
	assert_true(m->placer && m->used);
}

static void change_use(struct random *random, struct tb_bitset *used)
{
	unsigned thread = random_below(random, used->nbits);

	if (random_percent(random, 10))
		tb_bitset_clear_all(used);
	else if (tb_bitset_test(used, thread))
		tb_bitset_clear(used, thread);
	else
		tb_bitset_set(used, thread);
}

/* Units come and go on machines that live as long as the memo. */
static void play(struct random *random)
{
	const struct random_shape shape = { .most_threads = 24 };
	struct tb_memo *memo = tb_memo_create(sizeof(struct result));
	struct random_case random_request;
	struct machine machines[3];
	struct tb_request request;

	random_case(random, &shape, &random_request);
	random_request.bfilter[0] = random_request.btopology[0] = '\0';
	random_case_request(&random_request, &request);
	for (unsigned i = 0; i < 3; i++)
		make_machine(random, &machines[i]);
	for (unsigned i = 0; i < 180; i++) {
		struct machine *m = &machines[random_below(random, 3)];

		change_use(random, m->used);
		place_remembered(memo, m->placer, &request, m->used,
				 1 + random_below(random, 2));
	}
	for (unsigned i = 0; i < 3; i++) {
		tb_bitset_destroy(machines[i].used);
		tb_placer_destroy(machines[i].placer);
		tb_topology_destroy(machines[i].topology);
	}
	tb_request_clear(&request);
	tb_memo_destroy(memo);
}

static void test_placements(void **state)
{
	struct random random = { 11 };

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		play(&random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),	   cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sets),	   cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_placements),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

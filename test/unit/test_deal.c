/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dealing, against all ways to deal out a few slots to a few nodes.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/plan/deal.h"

#define NODES 3
#define MOST 4

struct wanted {
	uint32_t slots[NODES];
	bool found;
};

static uint32_t add_up(const uint32_t *numbers)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < NODES; i++)
		sum += numbers[i];
	return sum;
}

/*
 * Nobody has two more than another who could have more, and of two nodes with one
 * more and one less the first has more.
 */
static bool is_fair(const uint32_t *had, const uint32_t *most,
		    const uint32_t *slots)
{
	for (unsigned i = 0; i < NODES; i++)
		for (unsigned j = 0; j < NODES; j++) {
			uint32_t more = slots[i] - had[i];
			uint32_t less = slots[j] - had[j];

			if (slots[j] < most[j] &&
			    (more > less + 1 || (more > less && i > j)))
				return false;
		}
	return true;
}

/* Of all ways to deal out so many in all, the fair one. */
static void find_fair(const uint32_t *had, const uint32_t *most, uint32_t sum,
		      struct wanted *wanted)
{
	uint32_t slots[NODES];

	wanted->found = false;
	for (slots[0] = had[0]; slots[0] <= most[0]; slots[0]++)
		for (slots[1] = had[1]; slots[1] <= most[1]; slots[1]++)
			for (slots[2] = had[2]; slots[2] <= most[2];
			     slots[2]++) {
				if (add_up(slots) != sum ||
				    !is_fair(had, most, slots))
					continue;
				assert_false(wanted->found);
				wanted->found = true;
				memcpy(wanted->slots, slots, sizeof(slots));
			}
	assert_true(wanted->found);
}

static void check_deal(const uint32_t *had, const uint32_t *most,
		       uint32_t slots)
{
	struct tb_dealt nodes[NODES];
	uint32_t room = add_up(most) - add_up(had);
	uint32_t left = slots > room ? slots - room : 0;
	struct wanted wanted;

	for (unsigned i = 0; i < NODES; i++)
		nodes[i] = (struct tb_dealt){ had[i], most[i], 0 };
	assert_int_equal(tb_deal(nodes, NODES, slots), left);
	find_fair(had, most, add_up(had) + slots - left, &wanted);
	for (unsigned i = 0; i < NODES; i++)
		assert_int_equal(nodes[i].slots, wanted.slots[i]);
}

/* The digits of a number, each below MOST + 1. */
static void take_digits(unsigned number, uint32_t *digits)
{
	for (unsigned i = 0; i < NODES; i++, number /= MOST + 1)
		digits[i] = number % (MOST + 1);
}

#define WAYS ((MOST + 1) * (MOST + 1) * (MOST + 1))

static void test_turns(void **state)
{
	uint32_t had[NODES], most[NODES];

	(void)state;
	for (unsigned i = 0; i < WAYS; i++)
		for (unsigned j = 0; j < WAYS; j++) {
			take_digits(i, had);
			take_digits(j, most);
			for (unsigned k = 0; k < NODES; k++)
				most[k] = most[k] > had[k] ? most[k] : had[k];
			for (uint32_t slots = 0; slots < 10; slots++)
				check_deal(had, most, slots);
		}
}

/* What fits stays; the rest is dealt to the others. */
static void test_again(void **state)
{
	uint32_t had[NODES], most[NODES], kept[NODES];

	(void)state;
	for (unsigned i = 0; i < WAYS; i++)
		for (unsigned j = 0; j < WAYS; j++) {
			struct tb_dealt nodes[NODES];
			uint32_t moved = 0, left;

			take_digits(i, had);
			take_digits(j, most);
			for (unsigned k = 0; k < NODES; k++) {
				nodes[k] = (struct tb_dealt){ had[k], most[k],
							      0 };
				kept[k] = had[k] < most[k] ? had[k] : most[k];
				moved += had[k] - kept[k];
			}
			left = tb_deal_again(nodes, NODES);
			for (unsigned k = 0; k < NODES; k++) {
				assert_in_range(nodes[k].slots, kept[k],
						most[k]);
				moved -= nodes[k].slots - kept[k];
			}
			assert_int_equal(left, moved);
			for (unsigned k = 0; left && k < NODES; k++)
				assert_int_equal(nodes[k].slots, most[k]);
		}
}

/* Each has what it must; what a node has beside is no more than others would get. */
static void check_between(const struct tb_dealt *nodes)
{
	for (unsigned i = 0; i < NODES; i++) {
		assert_in_range(nodes[i].slots, nodes[i].least, nodes[i].most);
		for (unsigned j = 0; j < NODES; j++)
			if (nodes[i].slots > nodes[i].least &&
			    nodes[j].slots < nodes[j].most)
				assert_in_range(nodes[i].slots, 0,
						nodes[j].slots + (i < j));
	}
}

static void test_between(void **state)
{
	uint32_t least[NODES], most[NODES];

	(void)state;
	for (unsigned i = 0; i < WAYS; i++)
		for (unsigned j = 0; j < WAYS; j++) {
			struct tb_dealt nodes[NODES];
			bool sound = true;

			take_digits(i, least);
			take_digits(j, most);
			for (unsigned k = 0; k < NODES; k++) {
				nodes[k] = (struct tb_dealt){ 7, most[k],
							      least[k] };
				sound = sound && least[k] <= most[k];
			}
			for (uint32_t slots = 0; slots < 14; slots++) {
				bool fits = sound && slots >= add_up(least) &&
					    slots <= add_up(most);

				assert_int_equal(tb_deal_between(nodes, NODES,
								 slots),
						 fits);
				if (fits)
					check_between(nodes);
			}
		}
}

static void test_limit(void **state)
{
	(void)state;
	assert_int_equal(tb_deal_limit(5, 0), 5);
	assert_int_equal(tb_deal_limit(5, 3), 3);
	assert_int_equal(tb_deal_limit(2, 3), 2);
	assert_int_equal(tb_deal(NULL, 0, 4), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_turns),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

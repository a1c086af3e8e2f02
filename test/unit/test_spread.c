/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bspread: slots in different containers, against counting by hand on random nodes of
 * up to 16 threads.
 */
#include "unit_test.h"

#include <stdbool.h>

#include "core/place/place.h"
#include "placed_slots.h"
#include "random_case.h"

/* ---- examples ---- */

static const struct {
	const char *node, *request;
	unsigned slots;
	const char *placed; /* slots as "0;4" */
} table[] = {
	{ "SCCCCSCCCC", "bamount=1", 2, "0;1" },
	{ "SCCCCSCCCC", "bamount=1,bspread=S", 2, "0;4" },
	{ "SCCCCSCCCC", "bamount=2,bspread=S", 2, "0-1;4-5" },
	{ "SCCCCSCCCC", "bamount=1,bspread=S", 3, "0;4;1" },
	{ "SCCCCSCCCC", "bamount=1,bspread=S", 5, "0;4;1;5;2" },
	{ "SCCCCSCCCC", "bamount=1,bspread=S,bstrategy=linear", 3, "0;4;1" },
	/* a socket in use still counts: its turn does not go to another */
	{ "SccccSCCCC", "bamount=1,bspread=S", 2, "4" },
	{ "ScccCSCCCC", "bamount=1,bspread=S", 4, "3;4;5" },
	{ "ScccCSCCCC", "bamount=2,bspread=S", 2, "4-5" },
	/* one that can never hold a slot does not */
	{ "SCSCCCC", "bamount=2,bspread=S", 2, "1-2;3-4" },
	{ "SEESCCCC", "bamount=1,bspread=S", 2, "2;3" },
	{ "SCCSCCSCC", "bamount=1,bspread=S,bfilter=SCCSccSCC", 3, "0;4;1" },
	/* a slot never lies in two */
	{ "SCCCSCCC", "bamount=4,bspread=S", 1, "" },
	/* containers of other letters */
	{ "NSXCCXCCNSXCCXCC", "bamount=1,bspread=X", 4, "0;2;4;6" },
	{ "NSXCCXCCNSXCCXCC", "bamount=1,bspread=N", 3, "0;4;1" },
	{ "NSXCCXCCNSXCCXCC", "bunit=X,bamount=1,bspread=S", 3, "0-1;4-5;2-3" },
	{ "NSXCCXCCNSXCCXCC", "bamount=1,bspread=S,bsort=s", 2, "0;4" },
	{ "NSXCCXCCNSXCcXCC", "bamount=1,bspread=S,bsort=n", 2, "4;0" },
	{ "SCTTCTTSCTTCTT", "bunit=T,bamount=1,bspread=S", 3, "0;4;1" },
	/* N and X of a node without them are sockets */
	{ "SCCSCC", "bamount=1,bspread=X", 2, "0;2" },
	{ "SCCSCC", "bamount=1,bspread=N", 2, "0;2" },
	/* units that hold the containers, or there are none */
	{ "NSCCSCCNSCCSCC", "bunit=N,bamount=1,bspread=S", 2, "0-3;4-7" },
	{ "SCCSCC", "bunit=S,bamount=2,bspread=S", 1, "0-3" },
	{ "CCCC", "bamount=1,bspread=S", 2, "0;1" },
};

static void test_examples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *used;
		struct tb_topology *topology = tb_topology_parse(table[i].node,
								 &used, NULL);
		struct tb_placer *placer = tb_placer_create(topology);
		struct tb_request request;
		char *slots;

		tb_request_init(&request);
		assert_int_equal(tb_request_parse(&request, table[i].request,
						  NULL),
				 0);
		tb_place(placer, &request, used, table[i].slots);
		slots = print_slots(placer);
		if (strcmp(slots, table[i].placed) != 0)
			fail_msg("%s %s: %s, expected %s", table[i].node,
				 table[i].request, slots, table[i].placed);
		free(slots);
		tb_request_clear(&request);
		tb_placer_destroy(placer);
		tb_bitset_destroy(used);
		tb_topology_destroy(topology);
	}
}

/* ---- random nodes ---- */

/* A node as sets of threads, made without the core's trees. */
#define MOST 16

struct node {
	char text[256];
	unsigned containers, threads;
	unsigned container_of[MOST], cache_of[MOST], caches;
	unsigned core_of[MOST], cores;
	bool used[MOST];
};

static void add(struct node *node, const char *text)
{
	strcat(node->text, text);
}

/* A core with its threads; lower case: in use. */
static void make_core(struct random *random, struct node *node,
		      unsigned percent)
{
	unsigned count = 1 + random_below(random, 2);

	if (node->threads + count > MOST)
		count = MOST - node->threads;
	add(node, "(C");
	for (unsigned i = 0; i < count; i++) {
		unsigned thread = node->threads++;

		node->used[thread] = random_percent(random, percent);
		node->container_of[thread] = node->containers - 1;
		node->cache_of[thread] = node->caches - 1;
		node->core_of[thread] = node->cores;
		add(node, node->used[thread] ? "(t)" : "(T)");
	}
	add(node, ")");
	node->cores++;
}

static void make_node(struct random *random, struct node *node)
{
	unsigned sockets = 1 + random_below(random, 4);
	unsigned percent = random_below(random, 60);

	memset(node, 0, sizeof(*node));
	for (unsigned s = 0; s < sockets && node->threads < MOST; s++) {
		unsigned caches = 1 + random_below(random, 2);

		add(node, "(S");
		node->containers++;
		for (unsigned x = 0; x < caches && (!x || node->threads < MOST);
		     x++) {
			unsigned cores = 1 + random_below(random, 3);

			add(node, "(X");
			node->caches++;
			for (unsigned c = 0;
			     c < cores && (!c || node->threads < MOST); c++)
				make_core(random, node, percent);
			add(node, ")");
		}
		add(node, ")");
	}
}

/* Units: each thread's unit, and which of them are free. */
struct units {
	const unsigned *of;
	unsigned count;
	unsigned total[MOST + 1], free[MOST + 1]; /* by container */
};

static void count_units(const struct node *node, char unit, char spread,
			struct units *units)
{
	const unsigned *container = spread == 'X' ? node->cache_of
						  : node->container_of;
	bool busy[MOST] = { false }, seen[MOST] = { false };

	memset(units, 0, sizeof(*units));
	units->of = unit == 'X' ? node->cache_of : node->core_of;
	for (unsigned t = 0; t < node->threads; t++)
		busy[units->of[t]] |= node->used[t];
	for (unsigned t = 0; t < node->threads; t++) {
		if (seen[units->of[t]])
			continue;
		seen[units->of[t]] = true;
		units->total[container[t]]++;
		units->free[container[t]] += !busy[units->of[t]];
	}
	units->count = spread == 'X' ? node->caches : node->containers;
}

/* Rounds: in each every container that could hold a slot gets one, or it is the last. */
static unsigned count_possible(const struct units *units, unsigned amount,
			       unsigned wanted)
{
	unsigned slots = 0;

	for (unsigned round = 0;; round++) {
		unsigned could = 0, can = 0;

		for (unsigned i = 0; i < units->count; i++) {
			could += units->total[i] >= amount;
			can += units->total[i] >= amount &&
			       units->free[i] / amount > round;
		}
		slots += can;
		if (!can || can < could || slots >= wanted)
			return slots < wanted ? slots : wanted;
	}
}

/* Free units, whole ones, disjoint, each slot in one container, dealt out evenly. */
static void check_slots(const struct node *node, const struct units *units,
			const struct tb_placer *placer, unsigned amount,
			const unsigned *container)
{
	struct tb_bitset *slot = tb_bitset_create(node->threads);
	unsigned held[MOST + 1] = { 0 }, least = MOST, most = 0;
	bool taken[MOST] = { false };

	for (unsigned i = 0; i < tb_placed_groups(placer); i++) {
		bool unit[MOST] = { false };
		unsigned count = 0, first;

		tb_placed_group(placer, i, slot);
		first = tb_bitset_next(slot, 0);
		assert_true(first < node->threads);
		TB_BITSET_EACH(t, slot) {
			assert_false(node->used[t]);
			assert_false(taken[t]);
			taken[t] = true;
			assert_int_equal(container[t], container[first]);
			count += !unit[units->of[t]];
			unit[units->of[t]] = true;
		}
		for (unsigned t = 0; t < node->threads; t++)
			assert_true(!unit[units->of[t]] ||
				    tb_bitset_test(slot, t));
		assert_int_equal(count, amount);
		held[container[first]]++;
	}
	for (unsigned i = 0; i < units->count; i++) {
		if (units->total[i] < amount)
			continue;
		least = held[i] < least ? held[i] : least;
		most = held[i] > most ? held[i] : most;
	}
	if (tb_placed_groups(placer))
		assert_true(most <= least + 1);
	tb_bitset_destroy(slot);
}

static void check_node(struct random *random, const struct node *node)
{
	char spread = random_percent(random, 50) ? 'S' : 'X';
	char unit = spread == 'S' && random_percent(random, 40) ? 'X' : 'C';
	unsigned amount = 1 + random_below(random, unit == 'C' ? 3 : 2);
	unsigned wanted = 1 + random_below(random, 8), placed;
	struct tb_bitset *used, *granted;
	struct tb_topology *topology = tb_topology_parse(node->text, &used,
							 NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request;
	struct units units;
	char line[128];

	snprintf(line, sizeof(line),
		 "bunit=%c,bamount=%u,bspread=%c,bstrategy=%s,bsort=%s", unit,
		 amount, spread,
		 random_percent(random, 30) ? "linear" : "packed",
		 random_percent(random, 50) ? "s" : "Sx");
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	count_units(node, unit, spread, &units);
	placed = (unsigned)tb_place(placer, &request, used, wanted);
	if (placed != count_possible(&units, amount, wanted))
		fail_msg("%s %s, %u slots: %u, by hand %u", node->text, line,
			 wanted, placed,
			 count_possible(&units, amount, wanted));
	check_slots(node, &units, placer, amount,
		    spread == 'X' ? node->cache_of : node->container_of);
	/* The node finds as many slots in what was granted. */
	granted = tb_bitset_copy(tb_placed_threads(placer));
	if (placed)
		assert_int_equal(tb_place_again(placer, &request, granted),
				 placed);
	tb_bitset_destroy(granted);
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

static void test_random(void **state)
{
	struct random random = { 5 };
	struct node node;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		make_node(&random, &node);
		check_node(&random, &node);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}

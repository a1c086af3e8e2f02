/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes in the order of their network, and the policy CONTIGUOUS among them.  The
 * oracle knows the switch of each node at each level; it walks down from the top, and
 * tries all blocks.
 */
#include "unit_test.h"

#include "core/policy/allocation.h"
#include "core/policy/network.h"

#define NODES 14
#define LEVELS_MAX 3
#define NO_SWITCH UINT32_MAX

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	return (uint32_t)(tb_allocation_chance(seed++, 0) * below);
}

/* --- a network -------------------------------------------------------------------- */

struct world {
	uint32_t levels;
	uint32_t switches[NODES][LEVELS_MAX]; /* from the top */
	char places[NODES][64];
	uint32_t order[NODES], rank[NODES]; /* by the oracle */
	uint32_t ordered;
};

/* Switch i of a level is below switch i / 2 of that above it. */
static void make_switches(struct world *world)
{
	world->levels = 1 + draw(LEVELS_MAX);
	for (uint32_t node = 0; node < NODES; node++) {
		uint32_t at = draw(5);
		char *text = world->places[node];

		for (uint32_t i = world->levels; i--; at /= 2)
			world->switches[node][i] = at;
		*text = '\0';
		for (uint32_t i = 0; i < world->levels; i++)
			sprintf(text + strlen(text), "s%u%c.",
				world->switches[node][i], 'a' + (int)i);
	}
}

/* Some nodes are below no switch. */
static void cut_off(struct world *world)
{
	for (uint32_t node = 0; node < NODES; node++) {
		if (draw(10))
			continue;
		for (uint32_t i = 0; i < world->levels; i++)
			world->switches[node][i] = NO_SWITCH;
		strcpy(world->places[node],
		       draw(2) ? "" : &"..."[LEVELS_MAX - world->levels]);
	}
}

static bool are_together(const struct world *world, uint32_t a, uint32_t b,
			 uint32_t level)
{
	return a == b ||
	       (world->switches[a][level] != NO_SWITCH &&
		world->switches[a][level] == world->switches[b][level]);
}

/* The nodes of a switch, of which the first is the least; and so on below it. */
static void walk(struct world *world, const bool *in, uint32_t level)
{
	bool left[NODES];

	memcpy(left, in, sizeof(left));
	for (uint32_t node = 0; node < NODES; node++) {
		bool below[NODES] = { false };

		if (!left[node])
			continue;
		if (level == world->levels) {
			world->rank[node] = world->ordered;
			world->order[world->ordered++] = node;
			continue;
		}
		for (uint32_t i = node; i < NODES; i++)
			below[i] = left[i] &&
				   are_together(world, node, i, level);
		for (uint32_t i = node; i < NODES; i++)
			left[i] = left[i] && !below[i];
		walk(world, below, level + 1);
	}
}

static struct tb_network *make_world(struct world *world)
{
	const char *places[NODES];
	bool all[NODES];

	make_switches(world);
	cut_off(world);
	for (uint32_t i = 0; i < NODES; i++) {
		places[i] = world->places[i];
		all[i] = true;
	}
	world->ordered = 0;
	walk(world, all, 0);
	return tb_network_create(places, NODES);
}

static uint32_t find_height(const struct world *world, uint32_t a, uint32_t b)
{
	uint32_t height = 0;

	while (height < world->levels &&
	       !are_together(world, a, b, world->levels - 1 - height))
		height++;
	return height;
}

static void is_walked_from_the_top(void **state)
{
	(void)state;
	for (int round = 0; round < 1000; round++) {
		struct world world;
		struct tb_network *network = make_world(&world);

		assert_non_null(network);
		for (uint32_t a = 0; a < NODES; a++) {
			assert_int_equal(tb_network_rank(network, a),
					 world.rank[a]);
			for (uint32_t b = 0; b < NODES; b++)
				assert_int_equal(tb_network_height(network, a,
								   b),
						 find_height(&world, a, b));
		}
		tb_network_destroy(network);
	}
}

/* As Slurm says it where a leaf switch is directly below a higher one. */
static void knows_uneven_trees(void **state)
{
	static const char *const places[] = { "top..a.",  "top.m.b.", "top..a.",
					      "top.m.c.", "top..d.",  NULL,
					      "top.m.b." };
	static const uint32_t order[] = { 0, 2, 1, 6, 3, 4, 5 };
	struct tb_network *network = tb_network_create(places, 7);

	(void)state;
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(tb_network_rank(network, order[i]), i);
	assert_int_equal(tb_network_height(network, 0, 2), 0);
	assert_int_equal(tb_network_height(network, 1, 3), 1);
	assert_int_equal(tb_network_height(network, 0, 4), 2);
	assert_int_equal(tb_network_height(network, 0, 1), 2);
	assert_int_equal(tb_network_height(network, 5, 1), 3);
	assert_int_equal(tb_network_height(network, 5, 5), 0);
	tb_network_destroy(network);
}

/* Nothing that a place can be breaks it. */
static void takes_any_text(void **state)
{
	static const char *const places[] = { "",    ".",   "..", "a",
					      "a.b", "a..", ".a", "a.b.c.d." };
	struct tb_network *network = tb_network_create(places, 8);
	bool seen[8] = { false };

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		seen[tb_network_rank(network, i)] = true;
	for (uint32_t i = 0; i < 8; i++)
		assert_true(seen[i]);
	tb_network_destroy(network);
	network = tb_network_create(NULL, 0);
	assert_non_null(network);
	tb_network_destroy(network);
	tb_network_destroy(NULL);
}

/* --- the policy ------------------------------------------------------------------- */

/* What is compared of a block, in this order; all of them the less the better. */
struct block {
	uint32_t switches, height, has_gaps, span, first, last;
};

static bool holds_job(const struct world *world,
		      const struct tb_candidate *by_node, uint32_t first,
		      uint32_t last, const struct tb_node_need *need)
{
	uint32_t required = 0, wanted = 0, nodes = 0;
	uint64_t amount = 0;

	for (uint32_t node = 0; node < NODES; node++)
		wanted += by_node[node].required;
	for (uint32_t i = first; i <= last; i++) {
		const struct tb_candidate *one = &by_node[world->order[i]];

		amount += one->holds;
		nodes += one->holds > 0;
		required += one->required;
	}
	return amount >= need->amount && nodes >= need->nodes &&
	       required == wanted;
}

static struct block measure(const struct world *world,
			    const struct tb_candidate *by_node, uint32_t first,
			    uint32_t last)
{
	struct block block = { .height = find_height(world, world->order[first],
						     world->order[last]),
			       .span = last - first,
			       .first = first,
			       .last = last };
	uint32_t before = world->order[first];

	for (uint32_t i = first; i <= last; i++) {
		uint32_t node = world->order[i];

		if (!by_node[node].holds && !by_node[node].required) {
			block.has_gaps = 1;
			continue;
		}
		block.switches += find_height(world, before, node) > 0;
		before = node;
	}
	return block;
}

static int compare_blocks(const struct block *a, const struct block *b)
{
	const uint32_t *x = (const uint32_t *)a, *y = (const uint32_t *)b;

	for (unsigned i = 0; i < sizeof(*a) / sizeof(*x); i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* False: none holds it.  Its ends are nodes that the job can have. */
static bool find_block(const struct world *world,
		       const struct tb_candidate *by_node,
		       const struct tb_node_need *need, struct block *best)
{
	bool found = false;

	for (uint32_t first = 0; first < NODES; first++)
		for (uint32_t last = first; last < NODES; last++) {
			const struct tb_candidate *low =
				&by_node[world->order[first]];
			const struct tb_candidate *high =
				&by_node[world->order[last]];
			struct block block;

			if (!(low->holds || low->required) ||
			    !(high->holds || high->required) ||
			    !holds_job(world, by_node, first, last, need))
				continue;
			block = measure(world, by_node, first, last);
			if (!found || compare_blocks(&block, best) < 0)
				*best = block;
			found = true;
		}
	return found;
}

static void fill_candidates(struct tb_candidate *list)
{
	uint32_t busy = draw(4);

	for (uint32_t i = 0; i < NODES; i++)
		list[i] = (struct tb_candidate){ .node = i,
						 .holds = draw(4) < busy
								  ? 0
								  : 1 + draw(3),
						 .required = !draw(20),
						 .gap = TB_GAP_NONE };
}

static void assert_block(const struct world *world,
			 const struct tb_candidate *by_node,
			 const struct block *block,
			 const struct tb_candidate *list, uint32_t enough)
{
	uint32_t wanted = 0;

	for (uint32_t i = block->first; i <= block->last; i++) {
		uint32_t node = world->order[i];

		wanted += by_node[node].holds || by_node[node].required;
	}
	assert_int_equal(enough, wanted);
	for (uint32_t i = 0; i < enough; i++)
		assert_in_range(world->rank[list[i].node], block->first,
				block->last);
}

/* What is offered when the block does not suffice: the nearest switches first. */
static void assert_nearest(const struct world *world, const struct block *block,
			   const struct tb_candidate *list, uint32_t enough)
{
	uint32_t before = 0;

	for (uint32_t i = enough; i < NODES; i++) {
		uint32_t rank = world->rank[list[i].node];
		uint32_t end = rank < block->first ? block->first : block->last;
		uint32_t height = find_height(world, list[i].node,
					      world->order[end]);

		assert_true(height >= before);
		before = height;
	}
}

static void finds_the_best_block(void **state)
{
	uint32_t found = 0;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		struct world world;
		struct tb_network *network = make_world(&world);
		struct tb_node_need need = { .amount = 1 + draw(12),
					     .nodes = draw(4),
					     .network = network };
		struct tb_candidate by_node[NODES], list[NODES];
		struct block block;
		uint32_t enough;

		fill_candidates(by_node);
		memcpy(list, by_node, sizeof(list));
		enough = tb_allocation_order(TB_ALLOCATE_CONTIGUOUS, list,
					     NODES, &need);
		if (find_block(&world, by_node, &need, &block)) {
			found++;
			assert_block(&world, by_node, &block, list, enough);
			assert_nearest(&world, &block, list, enough);
		} else {
			assert_int_equal(enough, NODES);
		}
		tb_network_destroy(network);
	}
	assert_in_range(found, 1000, 2900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_walked_from_the_top),
		cmocka_unit_test(knows_uneven_trees),
		cmocka_unit_test(takes_any_text),
		cmocka_unit_test(finds_the_best_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

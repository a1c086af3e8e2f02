/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which nodes a job gets by each policy.  Some cases are those of Moab's page
 * on node allocation.
 */
#include "unit_test.h"

#include "core/policy/allocation.h"
#include "random_case.h"

#define HOUR 3600

static struct tb_candidate plain(uint32_t node)
{
	return (struct tb_candidate){ .node = node,
				      .holds = 1,
				      .gap = TB_GAP_NONE };
}

static const struct tb_node_need one = { .amount = 1, .nodes = 1 };

/* The nodes of the list, in its order, as "2 0 1". */
static void assert_order(const struct tb_candidate *list, uint32_t count,
			 const char *wanted)
{
	char seen[256] = "";

	for (uint32_t i = 0; i < count; i++)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen),
			 "%s%u", i ? " " : "", list[i].node);
	assert_string_equal(seen, wanted);
}

static void reads_names(void **state)
{
	enum tb_allocation policy;

	(void)state;
	for (int i = 0; i < TB_ALLOCATIONS; i++) {
		assert_true(
			tb_allocation_parse(tb_allocation_names[i], &policy));
		assert_int_equal(policy, i);
		assert_non_null(
			strstr(tb_allocation_list, tb_allocation_names[i]));
	}
	assert_true(tb_allocation_parse("bestFit", &policy));
	assert_int_equal(policy, TB_ALLOCATE_BESTFIT);
	assert_false(tb_allocation_parse("BEST", &policy));
	assert_false(tb_allocation_parse("BESTFITS", &policy));
	assert_false(tb_allocation_parse("", &policy));
}

static void reads_names_of_plugins(void **state)
{
	char name[TB_ALLOCATION_PLUGIN_MAX + 2];

	(void)state;
	assert_string_equal(tb_allocation_plugin("plugin:a_1"), "a_1");
	assert_string_equal(tb_allocation_plugin("plugin:"), "");
	assert_string_equal(tb_allocation_plugin("plugin:../x"), "../x");
	assert_null(tb_allocation_plugin("plugin"));
	assert_null(tb_allocation_plugin("SLURM"));
	assert_null(tb_allocation_plugin(""));
	assert_true(tb_allocation_plugin_fits("a"));
	assert_true(tb_allocation_plugin_fits("z_09"));
	assert_false(tb_allocation_plugin_fits(""));
	assert_false(tb_allocation_plugin_fits("../x"));
	assert_false(tb_allocation_plugin_fits("a.b"));
	assert_false(tb_allocation_plugin_fits("aB"));
	assert_false(tb_allocation_plugin_fits("a "));
	memset(name, 'a', sizeof(name));
	name[TB_ALLOCATION_PLUGIN_MAX] = '\0';
	assert_true(tb_allocation_plugin_fits(name));
	name[TB_ALLOCATION_PLUGIN_MAX] = 'a';
	name[TB_ALLOCATION_PLUGIN_MAX + 1] = '\0';
	assert_false(tb_allocation_plugin_fits(name));
}

/* By its scores alone; preferences come first. */
static void takes_what_a_plugin_says(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2), plain(3) };
	const struct tb_node_need two = { .amount = 2, .nodes = 2 };

	(void)state;
	list[0].priority = -1;
	list[1].priority = 0.5;
	list[2].priority = 1e300;
	list[3].priority = 0.5;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_PLUGIN, list, 4, &two),
			 2);
	assert_order(list, 4, "2 1 3 0");
	for (int i = 0; i < 4; i++)
		list[i].preferred = list[i].node == 0;
	tb_allocation_order(TB_ALLOCATE_PLUGIN, list, 4, &two);
	assert_order(list, 4, "0 2 1 3");
	assert_true(tb_policy_looks_at_fit(TB_ALLOCATE_PLUGIN));
}

/*
 * Job A runs on node 0, B on node 1; of each a processor is free, on node 0 for
 * 5 hours until reservation X, on node 1 for 3.  Job C needs 3 hours, D needs 5.
 */
static void jobs_a_to_d(enum tb_allocation policy, const char *wanted)
{
	struct tb_candidate list[] = { plain(0), plain(1) };

	list[0].gap = (5 - 3) * HOUR;
	list[1].gap = (3 - 3) * HOUR;
	assert_int_equal(tb_allocation_order(policy, list, 2, &one), 1);
	assert_order(list, 2, wanted);
}

static void fits_in_time(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2) };

	(void)state;
	/* C does not take D's place. */
	jobs_a_to_d(TB_ALLOCATE_LASTAVAILABLE, "1 0");
	jobs_a_to_d(TB_ALLOCATE_PRIORITY, "1 0");
	jobs_a_to_d(TB_ALLOCATE_FIRSTAVAILABLE, "0 1");
	/* D. */
	list[0].gap = -2 * HOUR;
	list[1].gap = 0;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     3, &one),
			 1);
	assert_order(list, 3, "1 2 0");
	tb_allocation_order(TB_ALLOCATE_LASTAVAILABLE, list, 3, &one);
	assert_order(list, 3, "1 2 0");
	/* Nothing follows: in reverse order. */
	list[0] = plain(0);
	list[1] = plain(1);
	list[2] = plain(2);
	tb_allocation_order(TB_ALLOCATE_LASTAVAILABLE, list, 3, &one);
	assert_order(list, 3, "2 1 0");
}

/* Nodes A and B have 768 and 512 MB; job X wants 256 MB, Y 640. */
static void takes_the_smaller_node(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1) };

	(void)state;
	list[0].size = 1;
	list[1].size = 512.0 / 768;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_MINRESOURCE, list, 2,
					     &one),
			 1);
	assert_order(list, 2, "1 0");
	/* Y fits on A alone. */
	list[0].holds = 0;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_MINRESOURCE, list, 2,
					     &one),
			 2);
}

/* Of 64 processors A has 24 free, B 12; X wants 10, Y 20. */
static void leaves_the_larger_gap(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1) };
	const struct tb_node_need ten = { .amount = 10,
					  .nodes = 1,
					  .most_nodes = 1 };

	(void)state;
	list[0].holds = list[1].holds = 10;
	list[0].left = 14;
	list[1].left = 2;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_BESTFIT, list, 2,
					     &ten),
			 1);
	assert_order(list, 2, "1 0");
	/* A placement that breaks up less counts more. */
	list[1].broken = -1;
	assert_int_equal(list[1].node, 0);
	tb_allocation_order(TB_ALLOCATE_BESTFIT, list, 2, &ten);
	assert_order(list, 2, "0 1");
}

/* Of nodes where CPUs and units fit alike, that with the least memory and disk. */
static void leaves_memory_and_disk(void **state)
{
	static const enum tb_allocation fits[] = { TB_ALLOCATE_BESTFIT,
						   TB_ALLOCATE_BESTTOPOLOGY };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct tb_candidate list[] = { plain(0), plain(1), plain(2) };

		list[0].rest = 1.5;
		list[1].rest = 0.5;
		list[2].rest = 1;
		tb_allocation_order(fits[i], list, 3, &one);
		assert_order(list, 3, "1 2 0");
		/* Node 1 keeps more CPUs free. */
		list[0].left = 1;
		tb_allocation_order(fits[i], list, 3, &one);
		assert_order(list, 3, "2 0 1");
		/* Node 2 is broken up. */
		list[0].broken = 1;
		tb_allocation_order(fits[i], list, 3, &one);
		assert_order(list, 3, "0 1 2");
	}
}

static void orders_by_one_thing(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2) };

	(void)state;
	for (int i = 0; i < 3; i++) {
		static const double worth[] = { 2, 3, 1 };

		list[i].idle = list[i].speed = list[i].priority = worth[i];
		list[i].diameter = 3 - (uint64_t)worth[i];
	}
	tb_allocation_order(TB_ALLOCATE_CPULOAD, list, 3, &one);
	assert_order(list, 3, "1 0 2");
	tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list, 3, &one);
	assert_order(list, 3, "0 1 2");
	tb_allocation_order(TB_ALLOCATE_FASTEST, list, 3, &one);
	assert_order(list, 3, "1 0 2");
	tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list, 3, &one);
	tb_allocation_order(TB_ALLOCATE_PRIORITY, list, 3, &one);
	assert_order(list, 3, "1 0 2");
	tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list, 3, &one);
	tb_allocation_order(TB_ALLOCATE_BESTTOPOLOGY, list, 3, &one);
	assert_order(list, 3, "1 0 2");
}

/* One thing after the other decides, where all before it are equal. */
static void orders_by_default(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2),
				       plain(3), plain(4), plain(5) };
	const struct tb_node_need four = { .amount = 4, .nodes = 1 };
	const struct tb_node_need pair = { .amount = 4, .nodes = 2 };

	(void)state;
	for (int i = 0; i < 6; i++) {
		list[i].weight = i == 0 ? 2 : 1;
		list[i].holds = i == 1 ? 2 : 8;
		list[i].diameter = i == 2 ? 9 : 7;
		list[i].broken = i == 3 ? 1 : -1;
		list[i].left = i == 4 ? 5 : 4;
	}
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_DEFAULT, list, 6,
					     &four),
			 1);
	assert_order(list, 6, "5 4 3 2 1 0");
	/* Of two nodes two suffice: now it is as good as the others, and first. */
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_DEFAULT, list, 6,
					     &pair),
			 2);
	assert_order(list, 6, "1 5 4 3 2 0");
}

/* Which of several nodes go together Slurm's switches say. */
static void leaves_several_nodes_to_switches(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2) };
	const struct tb_node_need two = { .amount = 2, .has_switches = true };
	const struct tb_node_need nodes = { .amount = 2,
					    .nodes = 2,
					    .has_switches = true };

	(void)state;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_DEFAULT, list, 3,
					     &two),
			 3);
	list[2].holds = 2;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_DEFAULT, list, 3,
					     &two),
			 1);
	assert_int_equal(list[0].node, 2);
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_DEFAULT, list, 3,
					     &nodes),
			 3);
}

#define MOST_CANDIDATES 12

static struct tb_node_need random_need(struct random *random)
{
	struct tb_node_need need = {
		.amount = 1 + random_below(random, 24),
		.nodes = random_below(random, 4),
		.has_switches = random_percent(random, 10),
	};

	if (random_percent(random, 50))
		need.most_nodes = need.nodes + random_below(random, 5);
	return need;
}

/* Whose fits[node] is known later. */
static struct tb_candidate
random_candidate(struct random *random, uint32_t node, struct tb_candidate *fit)
{
	struct tb_candidate candidate = plain(node);

	candidate.most = random_percent(random, 1) ? 2 : UINT64_MAX;
	candidate.holds = random_below(random, 9);
	candidate.weight = random_percent(random, 20);
	candidate.required = random_percent(random, 3);
	candidate.preferred = random_percent(random, 5) ? .5 : 0;
	*fit = candidate;
	fit->diameter = random_below(random, 4);
	fit->broken = (int32_t)random_below(random, 4) - 2;
	fit->left = random_below(random, 4);
	return candidate;
}

static void tell_fits(struct tb_candidate *list, uint32_t count,
		      const struct tb_candidate *fits)
{
	for (uint32_t i = 0; i < count; i++)
		list[i] = fits[list[i].node];
}

static void assert_same_order(const struct tb_candidate *a,
			      const struct tb_candidate *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(a[i].node, b[i].node);
}

/* Returns whether some fits need not be known. */
static bool compare_leaders(struct random *random)
{
	uint32_t count = 1 + random_below(random, MOST_CANDIDATES);
	struct tb_node_need need = random_need(random);
	struct tb_candidate list[MOST_CANDIDATES], fits[MOST_CANDIDATES];
	struct tb_candidate all[MOST_CANDIDATES];
	uint32_t leaders, enough, of_all;

	for (uint32_t i = 0; i < count; i++) {
		list[i] = random_candidate(random, i, &fits[i]);
		all[i] = fits[i];
	}
	of_all = tb_allocation_order(TB_ALLOCATE_DEFAULT, all, count, &need);
	leaders = tb_allocation_leaders(TB_ALLOCATE_DEFAULT, list, count,
					&need);
	assert_in_range(leaders, 1, count);
	tell_fits(list, leaders, fits);
	enough = tb_allocation_order(TB_ALLOCATE_DEFAULT, list, leaders, &need);
	assert_int_equal(enough, of_all);
	assert_same_order(list, all, enough);
	tell_fits(list, count, fits);
	tb_allocation_order(TB_ALLOCATE_DEFAULT, list, count, &need);
	assert_same_order(list, all, count);
	return leaders < count;
}

/* The fit of some decides, and that of the others could be anything. */
static void leaders_suffice(void **state)
{
	struct random random = { 5 };
	unsigned fewer = 0;

	(void)state;
	for (int i = 0; i < 100000; i++)
		fewer += compare_leaders(&random);
	assert_in_range(fewer, 20000, 80000);
}

static void only_the_default_has_leaders(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2) };

	(void)state;
	assert_int_equal(tb_allocation_leaders(TB_ALLOCATE_DEFAULT, list, 0,
					       &one),
			 0);
	assert_int_equal(tb_allocation_leaders(TB_ALLOCATE_BESTTOPOLOGY, list,
					       3, &one),
			 3);
	for (int i = 0; i < 3; i++)
		list[i].most = UINT64_MAX;
	list[2].holds = 2;
	list[1].holds = 0;
	assert_int_equal(tb_allocation_leaders(TB_ALLOCATE_DEFAULT, list, 3,
					       &one),
			 2);
	assert_order(list, 3, "0 2 1");
}

static void is_random_without_speeds(void **state)
{
	unsigned first[4] = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct tb_candidate list[] = { plain(0), plain(1), plain(2),
					       plain(3) };

		for (uint32_t i = 0; i < 4; i++) {
			list[i].chance = tb_allocation_chance(seed, i);
			assert_true(list[i].chance >= 0 && list[i].chance < 1);
		}
		tb_allocation_order(TB_ALLOCATE_FASTEST, list, 4, &one);
		first[list[0].node]++;
	}
	for (int i = 0; i < 4; i++)
		assert_in_range(first[i], 60, 140);
}

static void finds_neighbours(void **state)
{
	const struct tb_node_need three = { .amount = 3, .nodes = 3 };
	/* 5 is busy, as are 0 and 8: 1 2 3 4, 6 7 and 9 10 11 are free. */
	struct tb_candidate list[] = {
		plain(1), plain(2), plain(3),  plain(4),  plain(6),
		plain(7), plain(9), plain(10), plain(11),
	};
	struct tb_candidate apart[] = {
		plain(1), plain(5), plain(9), plain(11), plain(13), plain(20),
	};

	(void)state;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_CONTIGUOUS, list, 9,
					     &three),
			 3);
	assert_order(list, 3, "1 2 3");
	list[0].required = list[1].required = list[2].required = false;
	for (uint32_t i = 0; i < 9; i++)
		list[i].required = list[i].node == 10;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_CONTIGUOUS, list, 9,
					     &three),
			 3);
	assert_order(list, 3, "9 10 11");
	/* No block: those that span the fewest nodes, 9 to 13. */
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_CONTIGUOUS, apart, 6,
					     &three),
			 3);
	assert_order(apart, 3, "9 11 13");
}

static void finds_equals(void **state)
{
	static const double speeds[] = { 3000, 2000, 2600, 2500, 3000, 2400 };
	static const double pairs[] = { 1000, 1000, 3000, 2000, 3000, 3000 };
	const struct tb_node_need two = { .amount = 2, .nodes = 2 };
	const struct tb_node_need three = { .amount = 3, .nodes = 3 };
	struct tb_candidate list[6];

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		list[i] = plain(i);
		list[i].speed = speeds[i];
	}
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_MAXBALANCE, list, 6,
					     &two),
			 2);
	assert_order(list, 2, "0 4");
	/* 2400 to 2600 is less than 2600 to 3000. */
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_MAXBALANCE, list, 6,
					     &three),
			 3);
	assert_order(list, 6, "2 3 5 0 1 4");
	/* Of equals the fastest. */
	for (uint32_t i = 0; i < 6; i++)
		list[i].speed = pairs[list[i].node];
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_MAXBALANCE, list, 6,
					     &two),
			 2);
	assert_order(list, 2, "2 4");
}

/* Slurm's LLN: lighter nodes, then those of which more is free, then the first. */
static void takes_the_least_loaded(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2), plain(3) };
	const struct tb_node_need two = { .amount = 2, .nodes = 2 };

	(void)state;
	list[0].free = 0.25;
	list[1].free = list[2].free = 0.5;
	list[3].free = 1;
	list[3].weight = 10;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_LEASTLOADED, list, 4,
					     &two),
			 2);
	assert_order(list, 4, "1 2 0 3");
	list[2].required = true; /* node 0 */
	tb_allocation_order(TB_ALLOCATE_LEASTLOADED, list, 4, &two);
	assert_order(list, 4, "0 1 2 3");
}

static void leaves_small_nodes_out(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2), plain(3) };
	const struct tb_node_need three = { .amount = 3,
					    .nodes = 2,
					    .most_nodes = 2 };

	(void)state;
	list[2].holds = list[3].holds = 2;
	list[2].weight = list[3].weight = 10;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_LEASTLOADED, list, 4,
					     &three),
			 2);
	assert_order(list, 4, "2 3 0 1");
	/* They cannot be left out when the job may not do without. */
	list[3].required = true; /* node 1 */
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_LEASTLOADED, list, 4,
					     &three),
			 2);
	assert_order(list, 4, "1 2 3 0");
}

/* Only those that must be, wherever they are in the list. */
static void leaves_the_smallest_out_first(void **state)
{
	static const char *const wanted[] = { "1 2 0", "0 2 1", "0 1 2" };
	const struct tb_node_need six = { .amount = 6,
					  .nodes = 2,
					  .most_nodes = 2 };

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct tb_candidate list[] = { plain(0), plain(1), plain(2) };

		list[(i + 1) % 3].holds = 2;
		list[(i + 2) % 3].holds = 4;
		assert_int_equal(tb_allocation_order(TB_ALLOCATE_LEASTLOADED,
						     list, 3, &six),
				 2);
		assert_order(list, 3, wanted[i]);
	}
}

static void prefers(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2), plain(3) };
	const struct tb_node_need two = { .amount = 2, .nodes = 2 };

	(void)state;
	list[1].preferred = 0.5;
	list[2].preferred = 1;
	list[3].preferred = 1;
	for (int i = 0; i < TB_ALLOCATIONS; i++) {
		if (i == TB_ALLOCATE_PRIORITY)
			continue;
		tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list, 4, &one);
		tb_allocation_order((enum tb_allocation)i, list, 4, &two);
		if (list[0].preferred == 0 || list[1].preferred == 0)
			fail_msg("%s", tb_allocation_names[i]);
	}
	/* Slurm chooses among those that are preferred, else among all. */
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_SLURM, list, 4, &one),
			 3);
	assert_int_equal(tb_allocation_widen(TB_ALLOCATE_SLURM, 3, 4), 4);
	for (int i = 0; i < 4; i++)
		list[i].holds = list[i].preferred > 0 ? 0 : 2;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_SLURM, list, 4, &one),
			 4);
	/* In a priority function they have the weight that it gives them. */
	list[0].priority = 1;
	tb_allocation_order(TB_ALLOCATE_PRIORITY, list, 4, &one);
	assert_int_equal(list[0].priority, 1);
}

static void takes_as_many_as_it_needs(void **state)
{
	struct tb_candidate list[] = { plain(0), plain(1), plain(2), plain(3) };
	struct tb_node_need need = { .amount = 9, .nodes = 1 };

	(void)state;
	list[0].holds = 4;
	list[1].holds = 0;
	list[2].holds = 4;
	list[3].holds = 9;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     4, &need),
			 4);
	need.amount = 8;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     4, &need),
			 3);
	/* A node that holds nothing is none of the two. */
	need = (struct tb_node_need){ .amount = 4, .nodes = 2 };
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     4, &need),
			 3);
	need = (struct tb_node_need){ .amount = 5,
				      .nodes = 1,
				      .most_nodes = 1 };
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     4, &need),
			 4);
	list[3].required = true;
	need = one;
	assert_int_equal(tb_allocation_order(TB_ALLOCATE_FIRSTAVAILABLE, list,
					     4, &need),
			 1);
	assert_order(list, 1, "3");
}

/* Widening comes to an end soon, and at all of them. */
static void widens(void **state)
{
	uint32_t tried = 1, calls = 0;

	(void)state;
	while (tried < 10000) {
		uint32_t next = tb_allocation_widen(TB_ALLOCATE_FASTEST, tried,
						    10000);

		assert_true(next > tried && next <= 10000);
		tried = next;
		calls++;
	}
	assert_true(calls <= 14);
}

/* The same from any order; the result is a permutation of what came in. */
static void depends_on_nothing_else(void **state)
{
	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		enum tb_allocation policy = round % TB_ALLOCATIONS;
		struct tb_candidate a[40], b[40];
		const struct tb_node_need need = { .amount = 1 + round % 50,
						   .nodes = round % 7 };
		uint32_t count = 1 + round % 40, enough;
		uint64_t seen = 0;

		for (uint32_t i = 0; i < count; i++) {
			uint64_t x = round * 64 + i;

			a[i] = plain(i);
			a[i].holds = (uint64_t)(8 * tb_allocation_chance(x, 1));
			a[i].speed = (int)(4 * tb_allocation_chance(x, 2));
			a[i].chance = tb_allocation_chance(x, 3);
			a[i].gap = (int)(100 * tb_allocation_chance(x, 4)) - 9;
			a[i].size = a[i].idle = a[i].priority =
				(int)(5 * tb_allocation_chance(x, 5));
			a[i].preferred = round % 3
						 ? 0
						 : tb_allocation_chance(x, 6) >
							   0.5;
			a[i].broken = (int)(5 * tb_allocation_chance(x, 7)) - 2;
			b[count - 1 - i] = a[i];
		}
		enough = tb_allocation_order(policy, a, count, &need);
		assert_int_equal(tb_allocation_order(policy, b, count, &need),
				 enough);
		assert_in_range(enough, 1, count);
		for (uint32_t i = 0; i < count; i++) {
			if (policy != TB_ALLOCATE_SLURM)
				assert_int_equal(a[i].node, b[i].node);
			seen |= UINT64_C(1) << a[i].node;
		}
		assert_true(seen == (UINT64_C(1) << count) - 1);
	}
}

/* What splitmix64's reference gives for this seed, one number for each node. */
static void is_as_random_as_splitmix64(void **state)
{
	static const uint64_t numbers[] = {
		UINT64_C(6457827717110365317),	UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),	UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};

	(void)state;
	for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_true(tb_allocation_chance(1234567, i) ==
			    (double)(numbers[i] >> 11) / 9007199254740992.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_as_random_as_splitmix64),
		cmocka_unit_test(reads_names),
		cmocka_unit_test(reads_names_of_plugins),
		cmocka_unit_test(takes_what_a_plugin_says),
		cmocka_unit_test(fits_in_time),
		cmocka_unit_test(takes_the_smaller_node),
		cmocka_unit_test(leaves_the_larger_gap),
		cmocka_unit_test(leaves_memory_and_disk),
		cmocka_unit_test(orders_by_one_thing),
		cmocka_unit_test(orders_by_default),
		cmocka_unit_test(leaves_several_nodes_to_switches),
		cmocka_unit_test(is_random_without_speeds),
		cmocka_unit_test(leaders_suffice),
		cmocka_unit_test(only_the_default_has_leaders),
		cmocka_unit_test(finds_neighbours),
		cmocka_unit_test(finds_equals),
		cmocka_unit_test(takes_the_least_loaded),
		cmocka_unit_test(leaves_small_nodes_out),
		cmocka_unit_test(leaves_the_smallest_out_first),
		cmocka_unit_test(prefers),
		cmocka_unit_test(takes_as_many_as_it_needs),
		cmocka_unit_test(widens),
		cmocka_unit_test(depends_on_nothing_else),
	};

	return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bunit=X:1|N:1: how it is read and printed, what goes with it, what it stands for, and
 * which alternative a node holds, against brute force on nodes of up to 16 threads.
 */
#include "unit_test.h"

#include "core/place/choose.h"
#include "core/request/alternatives.h"
#include "core/request/combination.h"
#include "request_lines.h"

/* ---- reading ---- */

static const struct request_line lines[] = {
	/* clang-format off */
	{ "bunit=X:1|N:1", "bunit=X:1|N:1", NULL },
	{ "bunit=l3:1|numa:1", "bunit=X:1|N:1", NULL },
	{ "bunit=X:2|C:4|2", NULL, "'2' is not a unit" },
	{ "bunit=X:2|C:4|thread:2,btype=host", "bunit=X:2|C:4|T:2,btype=host",
	  NULL },
	{ "bunit=X|N", "bunit=X:1|N:1", NULL },
	{ "bunit=C:4", "bunit=C:4", NULL },
	{ "bunit=E:65535|ecore:1", "bunit=E:65535|E:1", NULL },
	{ "bunit=X:1|N:1,bamount=0", "bunit=X:1|N:1,bamount=0", NULL },
	{ "bamount=0,bunit=X:1|N:1", "bunit=X:1|N:1,bamount=0", NULL },
	{ "bunit=X:1|N:1,bunit=C", "bamount=1", NULL },
	{ "bunit=C,bunit=X:1|N:1", "bunit=X:1|N:1", NULL },
	{ "bunit=X:1|N:1,bamount=2", NULL,
	  "bamount=2 does not go with bunit=X:1|N:1" },
	{ "bamount=2,bunit=X:1|N:1", NULL,
	  "bamount=2 does not go with bunit=X:1|N:1" },
	{ "bunit=X:1|N:1,bcpus=0", NULL, "does not go with bcpus=0" },
	{ "bunit=X:1|T:1,bequal=no", NULL, "bunit=T: threads are all equal" },
	{ "bunit=X:1|", NULL, "'' is not a unit" },
	{ "bunit=|X:1", NULL, "'' is not a unit" },
	{ "bunit=:1", NULL, "'' is not a unit" },
	{ "bunit=X:1|numma:1", NULL, "(did you mean numa?)" },
	{ "bunit=Xaaaaaaaaaaaaaaaaaaaaaaa:1", NULL, "is not a unit" },
	{ "bunit=X:", NULL, "the amount '' is not allowed" },
	{ "bunit=X:1:2", NULL, "the amount '1:2' is not allowed" },
	{ "bunit=X:0|N:1", NULL, "the amount '0' is not allowed" },
	{ "bunit=X:-1", NULL, "the amount '-1' is not allowed" },
	{ "bunit=X:65536", NULL, "the amount '65536' is not allowed" },
	{ "bunit=X:99999999999999999999", NULL, "is not allowed" },
	{ "bunit=X:1|CX:1", NULL, "names 1 X twice" },
	{ "bunit=X:1|N:1|S:1|C:1|T:1", NULL, "at most 4 are allowed" },
	/* clang-format on */
};

static void test_reading(void **state)
{
	(void)state;
	check_request_lines(lines, sizeof(lines) / sizeof(*lines));
}

/* A value that is refused changes nothing. */
static void test_refused_value(void **state)
{
	struct tb_request request = make_request("bunit=X:1|N:2");
	char *printed;

	(void)state;
	assert_int_equal(-1,
			 tb_request_set(&request, "bunit", "S:1|Q:1", NULL));
	printed = tb_request_print(&request);
	assert_string_equal("bunit=X:1|N:2", printed);
	free(printed);
	tb_request_clear(&request);
}

/* ---- what it stands for ---- */

static void check_plain(const char *line, const char *const *plains,
			unsigned count)
{
	struct tb_request request = make_request(line);

	assert_int_equal(count, tb_request_plain_count(&request));
	for (unsigned i = 0; i < count; i++) {
		struct tb_request plain = tb_request_plain(&request, i);
		char *printed = tb_request_print(&plain);

		assert_string_equal(plains[i], printed);
		assert_true(tb_request_binds(&plain));
		free(printed);
	}
	tb_request_clear(&request);
}

static void test_plain(void **state)
{
	static const char *const two[] = {
		"bunit=X,bamount=1,bstrategy=linear",
		"bamount=4,bstrategy=linear",
	};
	static const char *const one[] = { "bunit=N,bamount=3" };

	(void)state;
	check_plain("bunit=X:1|C:4,bstrategy=linear", two, 2);
	check_plain("bunit=N:3", one, 1);
	check_plain("bunit=N,bamount=3", one, 1);
}

static void test_find(void **state)
{
	struct tb_request request = make_request("bunit=X:1|N:2");
	struct tb_request plain = make_request("bunit=X,bamount=1");
	char *name;

	(void)state;
	assert_int_equal(0, tb_request_find_alternative(&request, "X:1"));
	assert_int_equal(1, tb_request_find_alternative(&request, "N:2"));
	assert_int_equal(-1, tb_request_find_alternative(&request, "N:1"));
	assert_int_equal(-1, tb_request_find_alternative(&request, "N"));
	assert_int_equal(-1, tb_request_find_alternative(&request, ""));
	assert_int_equal(-1, tb_request_find_alternative(&request, "X:1|N:2"));
	assert_int_equal(-1, tb_request_find_alternative(&plain, "X:1"));
	name = tb_request_print_alternative(&plain);
	assert_string_equal("X:1", name);
	free(name);
	tb_request_clear(&request);
	tb_request_clear(&plain);
}

static void test_off(void **state)
{
	struct tb_request request = make_request("bunit=X:1|N:2,bamount=0");

	(void)state;
	assert_false(tb_request_binds(&request));
	for (unsigned i = 0; i < 2; i++) {
		struct tb_request plain = tb_request_plain(&request, i);

		assert_false(tb_request_binds(&plain));
	}
	tb_request_clear(&request);
}

/* ---- what goes with it ---- */

static void test_windows(void **state)
{
	struct tb_request fine = make_request("bunit=X:1|S:1,bstop=C");
	struct tb_request wrong = make_request("bunit=X:1|C:1,bstop=C");

	(void)state;
	assert_int_equal(0, tb_request_check_window(&fine, NULL));
	assert_int_equal(-1, tb_request_check_window(&wrong, NULL));
	tb_request_clear(&fine);
	tb_request_clear(&wrong);
}

/* An option that is wrong for one of them is wrong. */
static void test_combinations(void **state)
{
	struct tb_request cores = make_request("bunit=X:1|C:1");
	struct tb_request threads = make_request("bunit=X:1|T:1");

	(void)state;
	assert_int_equal(0,
			 tb_combination_check(&cores, TB_JOB,
					      "threads-per-core", "1", NULL));
	assert_int_equal(-1,
			 tb_combination_check(&threads, TB_JOB,
					      "threads-per-core", "1", NULL));
	tb_request_clear(&cores);
	tb_request_clear(&threads);
}

/* ---- which one a node holds ---- */

#define LETTERS "NSXYCT"
#define LEVELS 6
#define CASES 20000

/* A node on which each object of a level has as many below it. */
struct even_node {
	unsigned fanout[LEVELS]; /* of the level in the one above */
	unsigned size[LEVELS];	 /* threads */
	unsigned threads;
	char string[128];
};

static void add_objects(struct even_node *node, unsigned level)
{
	for (unsigned i = 0; i < node->fanout[level]; i++) {
		size_t length = strlen(node->string);

		node->string[length] = LETTERS[level];
		node->string[length + 1] = '\0';
		/* The only thread of a core is not printed. */
		if (level + 2 < LEVELS ||
		    (level + 1 < LEVELS && node->fanout[level + 1] > 1))
			add_objects(node, level + 1);
	}
}

static struct even_node make_node(void)
{
	struct even_node node = { .threads = 1 };

	for (unsigned level = 0; level < LEVELS; level++) {
		node.fanout[level] = node.threads < 16 && rand() % 3 ? 2 : 1;
		node.threads *= node.fanout[level];
	}
	node.size[LEVELS - 1] = 1;
	for (unsigned level = LEVELS - 1; level-- > 0;)
		node.size[level] = node.size[level + 1] *
				   node.fanout[level + 1];
	add_objects(&node, 0);
	return node;
}

/* Free units, looked at one by one. */
static unsigned count_free(const struct even_node *node, unsigned level,
			   unsigned used)
{
	unsigned count = 0, size = node->size[level];

	for (unsigned first = 0; first < node->threads; first += size) {
		unsigned unit = ((1u << size) - 1) << first;

		count += !(used & unit);
	}
	return count;
}

struct random_choice {
	unsigned level[TB_ALTERNATIVES_MAX], amount[TB_ALTERNATIVES_MAX];
	unsigned count;
	char line[128];
};

static bool is_new(const struct random_choice *choice)
{
	for (unsigned i = 0; i < choice->count; i++)
		if (choice->level[i] == choice->level[choice->count] &&
		    choice->amount[i] == choice->amount[choice->count])
			return false;
	return true;
}

static struct random_choice make_choice(void)
{
	struct random_choice choice = { .line = "bunit=" };
	unsigned count = 1 + rand() % TB_ALTERNATIVES_MAX;

	while (choice.count < count) {
		size_t length = strlen(choice.line);

		choice.level[choice.count] = rand() % LEVELS;
		choice.amount[choice.count] = 1 + rand() % 3;
		if (!is_new(&choice))
			continue;
		snprintf(choice.line + length, sizeof(choice.line) - length,
			 "%s%c:%u", choice.count ? "|" : "",
			 LETTERS[choice.level[choice.count]],
			 choice.amount[choice.count]);
		choice.count++;
	}
	return choice;
}

/* *slots: how many fit. */
static unsigned choose_by_force(const struct even_node *node,
				const struct random_choice *choice,
				unsigned used, unsigned wanted, unsigned *slots)
{
	unsigned best = 0;

	*slots = 0;
	for (unsigned i = 0; i < choice->count; i++) {
		unsigned fit = count_free(node, choice->level[i], used) /
			       choice->amount[i];

		if (fit > wanted)
			fit = wanted;
		if (fit > *slots) {
			*slots = fit;
			best = i;
		}
		if (fit == wanted)
			break;
	}
	return best;
}

static void check_random(tb_place_function *place)
{
	struct even_node node = make_node();
	struct random_choice choice = make_choice();
	struct tb_topology *topology = tb_topology_parse(node.string, NULL,
							 NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_bitset *used = tb_bitset_create(node.threads);
	struct tb_request request = make_request(choice.line), plain;
	unsigned mask = rand() & rand() & ((1u << node.threads) - 1);
	unsigned wanted = 1 + rand() % 4, slots, best, chosen;

	assert_int_equal(node.threads, tb_topology_threads(topology));
	for (unsigned i = 0; i < node.threads; i++)
		if (mask & 1u << i)
			tb_bitset_set(used, i);
	best = choose_by_force(&node, &choice, mask, wanted, &slots);
	chosen = tb_place_choose(placer, &request, used, wanted, place);
	plain = tb_request_plain(&request, chosen);
	if (chosen != best || place(placer, &plain, used, wanted) != (int)slots)
		fail_msg("%s on %s, used 0x%x, %u slots: %u, not %u with %u",
			 choice.line, node.string, mask, wanted, chosen, best,
			 slots);
	tb_request_clear(&request);
	tb_bitset_destroy(used);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

static void test_by_force(void **state)
{
	(void)state;
	srand(19);
	for (unsigned i = 0; i < CASES; i++)
		check_random(i % 2 ? tb_place : tb_place_together);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_refused_value),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_combinations),
		cmocka_unit_test(test_by_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

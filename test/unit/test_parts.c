/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bunit=X:1+C:2: how it is read and printed, what goes with it, and where the parts lie,
 * against brute force on random nodes of up to 16 threads.
 */
#include "unit_test.h"

#include "core/place/place.h"
#include "core/request/combination.h"
#include "core/request/parts.h"
#include "core/topology/tree.h"
#include "random_case.h"
#include "request_lines.h"

/* ---- reading ---- */

static const struct request_line lines[] = {
	/* clang-format off */
	{ "bunit=X:1+C:2,btype=host", "bunit=X:1+C:2,btype=host", NULL },
	{ "bunit=l3+core:2,btype=host", "bunit=X:1+C:2,btype=host", NULL },
	{ "bunit=C:2+X:1,btype=host", "bunit=C:2+X:1,btype=host", NULL },
	{ "bunit=CX:1+E:2,btype=host", "bunit=X:1+E:2,btype=host", NULL },
	{ "bunit=X:1+EX:1,btype=host", "bunit=X:1+EX:1,btype=host", NULL },
	{ "bunit=X:1+C:2,bamount=0", "bunit=X:1+C:2,bamount=0", NULL },
	{ "bamount=0,bunit=X:1+C:2", "bunit=X:1+C:2,bamount=0", NULL },
	{ "bunit=X:1+C:2,bunit=X,btype=host", "bunit=X,bamount=1,btype=host",
	  NULL },
	{ "bunit=X:1|N:1,bunit=X:1+C:2,btype=host", "bunit=X:1+C:2,btype=host",
	  NULL },
	{ "bunit=X:1+C:2,bunit=X:1|N:1", "bunit=X:1|N:1", NULL },
	{ "bunit=X:1+C:2,btype=host,bmem=local,bsort=X,bstrategy=packed",
	  "bunit=X:1+C:2,btype=host,bsort=X,bmem=local", NULL },
	{ "bunit=X:1+C:2", NULL, "add btype=host" },
	{ "bunit=X:1+C:2,btype=slot", NULL, "add btype=host" },
	{ "bunit=X:1+C:2,btype=host,bstrategy=scatter", NULL,
	  "leave bstrategy out" },
	{ "bunit=X:1+C:2,btype=host,bstrategy=linear", NULL,
	  "leave bstrategy out" },
	{ "bunit=X:1+C:2,btype=host,bstart=S", NULL, "bstart=S does not go" },
	{ "bunit=X:1+C:2,btype=host,bstop=x", NULL, "bstop=x does not go" },
	{ "bunit=X:1+C:2,btype=host,bspread=S", NULL, "bspread=S does not go" },
	{ "bunit=X:1+C:2,btype=host,bequal=no", NULL, "bequal=no does not go" },
	{ "bunit=X:1+C:2,btype=host,bcpus=0", NULL, "does not go with bcpus=0" },
	{ "bunit=X:1+C:2,bamount=2,btype=host", NULL,
	  "bamount=2 does not go with bunit=X:1+C:2" },
	{ "bunit=X:1+T:2,btype=host", NULL, "threads cannot be a part" },
	{ "bunit=ET:1+C:2,btype=host", NULL, "threads cannot be a part" },
	{ "bunit=X:1+CX:2,btype=host", NULL, "names X twice" },
	{ "bunit=X:1+C:2+E:2,btype=host", NULL, "at most 2 are allowed" },
	{ "bunit=X:1+C:2|N:1,btype=host", NULL, "has both + and |" },
	{ "bunit=N:1|X:1+C:2,btype=host", NULL, "has both + and |" },
	{ "bunit=X:1+,btype=host", NULL, "'' is not a unit" },
	{ "bunit=+C:1,btype=host", NULL, "'' is not a unit" },
	{ "bunit=+", NULL, "'' is not a unit" },
	{ "bunit=X:1+numma:1,btype=host", NULL, "(did you mean numa?)" },
	{ "bunit=X:+C:1,btype=host", NULL, "the amount '' is not allowed" },
	{ "bunit=X:1+C:0,btype=host", NULL, "the amount '0' is not allowed" },
	{ "bunit=X:1+C:65536,btype=host", NULL, "is not allowed" },
	{ "bunit=X:1+C:2:3,btype=host", NULL, "the amount '2:3'" },
	/* clang-format on */
};

static void test_reading(void **state)
{
	(void)state;
	check_request_lines(lines, sizeof(lines) / sizeof(*lines));
}

static void check_text(char *text, const char *expected)
{
	assert_string_equal(expected, text);
	free(text);
}

static void test_printing(void **state)
{
	struct tb_request parts = make_request("bunit=X:1+C:2,btype=host");
	struct tb_request plain = make_request("bunit=X,bamount=3");

	(void)state;
	assert_int_equal(2, tb_request_part_count(&parts));
	assert_int_equal(1, tb_request_part_count(&plain));
	check_text(tb_request_print_units(&parts, "free"),
		   "1 free X unit and 2 free C units");
	check_text(tb_request_print_units(&plain, ""), "3 X units");
	check_text(tb_request_print_part(&parts, 0), "X:1");
	check_text(tb_request_print_part(&parts, 1), "C:2");
	check_text(tb_request_print_part(&plain, 0), "X:3");
	tb_request_clear(&parts);
	tb_request_clear(&plain);
}

/* What the command line says displaces what the environment says. */
static void test_inheriting(void **state)
{
	static const char *const rows[][3] = {
		{ "bunit=X:1+C:2,btype=host", "bamount=4",
		  "bunit=X:1+C:2,btype=host" },
		{ "bamount=4", "bunit=X:1+C:2", "bamount=4" },
		{ "btype=host", "bunit=X:1+C:2", "bunit=X:1+C:2,btype=host" },
		{ "bunit=N", "bunit=X:1+C:2,btype=host",
		  "bunit=N,bamount=1,btype=host" },
		{ "bamount=0", "bunit=X:1+C:2,btype=host",
		  "bamount=0,btype=host" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct tb_request request, lower;
		struct tb_error err = { "" };

		tb_request_init(&request);
		tb_request_init(&lower);
		assert_int_equal(0,
				 tb_request_parse(&request, rows[i][0], &err));
		assert_int_equal(0, tb_request_parse(&lower, rows[i][1], &err));
		if (tb_request_inherit(&request, &lower, &err) ||
		    tb_request_complete(&request, &err))
			fail_msg("%s: %s", rows[i][0], err.text);
		check_text(tb_request_print(&request), rows[i][2]);
		tb_request_clear(&request);
		tb_request_clear(&lower);
	}
}

static void test_combinations(void **state)
{
	struct tb_request parts = make_request("bunit=X:1+C:2,btype=host");
	struct tb_request plain = make_request("bunit=X,bamount=1,btype=host");

	(void)state;
	assert_int_equal(-1, tb_combination_check(&parts, TB_JOB, "gres-flags",
						  "enforce-binding", NULL));
	assert_int_equal(0, tb_combination_check(&parts, TB_JOB, "gres-flags",
						 "disable-binding", NULL));
	assert_int_equal(0, tb_combination_check(&plain, TB_JOB, "gres-flags",
						 "enforce-binding", NULL));
	tb_request_clear(&parts);
	tb_request_clear(&plain);
}

/* ---- where they lie ---- */

#define MOST 16
#define CASES 60000

/* A node as masks of threads, found in the tables of the topology. */
struct machine {
	char string[RANDOM_TEXT];
	struct tb_topology *topology;
	struct tb_placer *placer;
	unsigned used, masked, all;
};

static unsigned mask_of(const struct tb_bitset *set)
{
	return (unsigned)set->words[0];
}

static unsigned mask_of_node(const struct tb_topology *topology, uint32_t node)
{
	struct tb_run run = tb_run_below(topology, node, TB_CLASS_THREAD);

	return ((1u << run.count) - 1) << run.first;
}

/* The units of a part that nobody uses: threads of the kind, and of both kinds. */
struct units {
	unsigned of[MOST], whole[MOST];
	unsigned count, amount, level;
};

static struct units find_units(const struct machine *machine,
			       struct tb_units part)
{
	const struct tb_topology *topology = machine->topology;
	enum tb_class class = tb_class_of_unit(topology, part.unit);
	unsigned of_kind = mask_of(topology->kind_threads[part.unit.kind]);
	uint32_t objects = tb_run_below(topology, 0, class).count;
	struct units units = { .amount = part.amount };

	while (units.level < topology->nlevels &&
	       tb_class_of_letter(topology->levels[units.level].letter) !=
		       class)
		units.level++;
	for (uint32_t i = 0; i < objects; i++) {
		struct tb_run run = tb_threads_of_object(topology, class, i);
		unsigned whole = ((1u << run.count) - 1) << run.first;
		unsigned threads = of_kind & whole;

		if (!(threads & ~machine->masked) || threads & machine->used)
			continue;
		units.of[units.count] = threads;
		units.whole[units.count++] = whole;
	}
	return units;
}

/* How many of them lie in some threads. */
static unsigned count_in(const struct units *units, unsigned threads)
{
	unsigned count = 0;

	for (unsigned i = 0; i < units->count; i++)
		count += !(units->of[i] & ~threads);
	return count;
}

/*
 * Is there a choice of the larger units, from a number on, beside which there are enough
 * of the smaller ones?  All within some threads.
 */
static bool any_choice(const struct units *larger, const struct units *smaller,
		       unsigned within, unsigned from, unsigned missing)
{
	if (!missing)
		return count_in(smaller, within) >= smaller->amount;
	for (unsigned i = from; i < larger->count; i++)
		if (!(larger->of[i] & ~within) &&
		    any_choice(larger, smaller, within & ~larger->of[i], i + 1,
			       missing - 1))
			return true;
	return false;
}

static bool is_possible(const struct units *larger, const struct units *smaller,
			unsigned within)
{
	return any_choice(larger, smaller, within, 0, larger->amount);
}

/* The first container of the innermost level that holds both; all: the node. */
static unsigned find_place(const struct machine *machine,
			   const struct units *larger,
			   const struct units *smaller)
{
	const struct tb_topology *topology = machine->topology;

	for (unsigned level = larger->level; level-- > 0;)
		for (uint32_t i = 1; i < topology->nnodes; i++) {
			const struct tb_tree_node *at = &topology->nodes[i];
			unsigned threads = mask_of_node(topology, i);

			if (tb_class_of_letter(at->letter) < TB_CLASS_CORE &&
			    at->level == level &&
			    is_possible(larger, smaller, threads))
				return threads;
		}
	return machine->all;
}

/* The innermost object around the larger units with enough of the smaller ones. */
static unsigned find_nearest(const struct machine *machine,
			     const struct units *units,
			     const struct units *smaller, unsigned larger)
{
	const struct tb_topology *topology = machine->topology;
	unsigned nearest = machine->all, whole = 0;

	for (unsigned i = 0; i < units->count; i++)
		whole |= units->of[i] & ~larger ? 0 : units->whole[i];

	for (uint32_t i = 1; i < topology->nnodes; i++) {
		unsigned threads = mask_of_node(topology, i);

		if (!(whole & ~threads) && !(threads & ~nearest) &&
		    count_in(smaller, threads & ~larger) >= smaller->amount)
			nearest = threads;
	}
	return nearest;
}

/* How far it is from the NUMA nodes with some threads. */
static uint64_t sum_distances(const struct tb_topology *topology, uint32_t from,
			      unsigned threads)
{
	uint32_t count = tb_run_below(topology, 0, TB_CLASS_N).count;
	uint64_t sum = 0;

	for (uint32_t to = 0; to < count; to++)
		if (mask_of_node(topology, topology->objects[TB_CLASS_N][to]) &
		    threads)
			sum += topology->distances[from * count + to] +
			       topology->distances[to * count + from];
	return sum;
}

/* Of NUMA nodes in there the nearest that has enough. */
static unsigned find_nearest_numa(const struct machine *machine,
				  const struct units *smaller, unsigned larger,
				  unsigned within)
{
	const struct tb_topology *topology = machine->topology;
	uint32_t count = tb_run_below(topology, 0, TB_CLASS_N).count;
	uint64_t least = UINT64_MAX;
	unsigned nearest = within, level = 0;

	while (level < topology->nlevels &&
	       topology->levels[level].letter != 'N')
		level++;
	if (!topology->distances || !topology->distances_differ ||
	    level > smaller->level)
		return within;
	for (uint32_t i = 0; i < count; i++) {
		unsigned threads =
			mask_of_node(topology,
				     topology->objects[TB_CLASS_N][i]);
		uint64_t sum = sum_distances(topology, i, larger);

		if (threads & ~within || sum >= least ||
		    count_in(smaller, threads & ~larger) < smaller->amount)
			continue;
		least = sum;
		nearest = threads;
	}
	return nearest;
}

/* What one part alone gets where all but some threads are in use. */
static unsigned place_alone(const struct machine *machine,
			    const struct tb_request *request, unsigned part,
			    unsigned within)
{
	struct tb_request only = tb_request_only_part(request, part);
	struct tb_bitset *used = tb_bitset_create(machine->topology->nthreads);
	struct tb_placer *placer = tb_placer_create(machine->topology);
	unsigned placed = 0;

	used->words[0] = machine->all & ~(within & ~machine->used);
	if (tb_place(placer, &only, used, 1) > 0)
		placed = mask_of(tb_placed_threads(placer));
	tb_placer_destroy(placer);
	tb_bitset_destroy(used);
	return placed;
}

/* Units of the smaller kind that are lost to these threads. */
static unsigned count_lost(const struct units *smaller, unsigned threads)
{
	return smaller->count - count_in(smaller, ~threads);
}

/* As few of them as any choice loses. */
static unsigned find_least_lost(const struct units *larger,
				const struct units *smaller, unsigned within,
				unsigned from, unsigned missing)
{
	unsigned least = missing ? MOST + 1 : 0;

	for (unsigned i = from; missing && i < larger->count; i++) {
		unsigned lost;

		if (larger->of[i] & ~within)
			continue;
		lost = count_lost(smaller, larger->of[i]) +
		       find_least_lost(larger, smaller, within, i + 1,
				       missing - 1);
		least = lost < least ? lost : least;
	}
	return least;
}

static void fail_case(const struct machine *machine,
		      const struct tb_request *request, const char *what)
{
	char *line = tb_request_print(request);

	fail_msg("%s on %s, used 0x%x, masked 0x%x: %s; parts 0x%x and 0x%x",
		 line, machine->string, machine->used, machine->masked, what,
		 mask_of(tb_placed_part(machine->placer, 0)),
		 mask_of(tb_placed_part(machine->placer, 1)));
}

/* Is the part its amount of units, none of which touches the other part? */
static bool is_whole(const struct units *units, unsigned threads,
		     unsigned other)
{
	unsigned of_units = 0, count = 0;

	for (unsigned i = 0; i < units->count; i++)
		if (!(units->of[i] & ~threads)) {
			of_units |= units->of[i];
			count++;
		}
	return count == units->amount && of_units == threads &&
	       !(threads & other);
}

static void check_larger(const struct machine *machine,
			 const struct tb_request *request, unsigned index,
			 const struct units *larger,
			 const struct units *smaller, unsigned threads)
{
	unsigned place = find_place(machine, larger, smaller);
	unsigned packed = place_alone(machine, request, index, place);

	if (threads & ~place)
		fail_case(machine, request, "the larger ones lie elsewhere");
	if (count_in(smaller, place & ~packed) >= smaller->amount) {
		if (threads != packed)
			fail_case(machine, request,
				  "the larger ones are not packed");
	} else if (count_lost(smaller, threads) !=
		   find_least_lost(larger, smaller, place, 0, larger->amount)) {
		fail_case(machine, request,
			  "the larger ones are not the smallest");
	}
}

static void check_smaller(const struct machine *machine,
			  const struct tb_request *request, unsigned index,
			  const struct units *units,
			  const struct units *smaller, unsigned larger,
			  unsigned threads)
{
	unsigned nearest = find_nearest(machine, units, smaller, larger);

	nearest = find_nearest_numa(machine, smaller, larger, nearest);
	if (threads != place_alone(machine, request, index, nearest & ~larger))
		fail_case(machine, request, "the smaller ones are not nearest");
}

/* The node, which knows only the cores of the job, finds both parts in them. */
static void check_again(const struct machine *machine,
			const struct tb_request *request)
{
	struct tb_bitset *granted = tb_bitset_copy(
		tb_placed_threads(machine->placer));

	if (tb_place_again(machine->placer, request, granted) != 1 ||
	    !tb_bitset_equal(granted, tb_placed_threads(machine->placer)) ||
	    tb_bitset_is_empty(tb_placed_part(machine->placer, 0)) ||
	    tb_bitset_is_empty(tb_placed_part(machine->placer, 1)) ||
	    (mask_of(tb_placed_part(machine->placer, 0)) ^
	     mask_of(tb_placed_part(machine->placer, 1))) != mask_of(granted))
		fail_case(machine, request, "they are not placed again");
	/* A step with a core less has what is left. */
	tb_bitset_clear(granted, tb_bitset_next(granted, 0));
	if (!tb_bitset_is_empty(granted) &&
	    (tb_place_again(machine->placer, request, granted) != 1 ||
	     !tb_bitset_equal(granted, tb_placed_threads(machine->placer))))
		fail_case(machine, request, "a step has not what is left");
	tb_bitset_destroy(granted);
}

static void check_placed(const struct machine *machine,
			 const struct tb_request *request,
			 const struct units *of, bool placed)
{
	unsigned index = of[1].level < of[0].level;
	const struct units *larger = &of[index], *smaller = &of[!index];
	unsigned threads[2];

	if (placed != is_possible(larger, smaller, machine->all))
		fail_case(machine, request, "it is possible, or is not");
	if (!placed)
		return;
	for (unsigned i = 0; i < 2; i++)
		threads[i] = mask_of(tb_placed_part(machine->placer, i));
	for (unsigned i = 0; i < 2; i++)
		if (!is_whole(&of[i], threads[i], threads[!i]))
			fail_case(machine, request, "these are not the units");
	if (mask_of(tb_placed_threads(machine->placer)) !=
	    (threads[0] | threads[1]))
		fail_case(machine, request, "something else is granted, too");
	check_larger(machine, request, index, larger, smaller, threads[index]);
	check_smaller(machine, request, !index, larger, smaller, threads[index],
		      threads[!index]);
}

static void set_distances(struct random *random, struct tb_topology *topology)
{
	uint32_t count = tb_run_below(topology, 0, TB_CLASS_N).count;
	unsigned distances[MOST * MOST];

	for (uint32_t i = 0; i < count * count; i++)
		distances[i] = i % (count + 1) ? 20 + random_below(random, 4)
					       : 10;
	if (count)
		assert_int_equal(0,
				 tb_topology_set_distances(topology, distances,
							   count, NULL));
}

static struct machine make_machine(struct random *random)
{
	const struct random_shape shape = { .most_threads = MOST };
	struct machine machine;
	unsigned threads;

	random_topology(random, &shape, machine.string);
	machine.topology = tb_topology_parse(machine.string, NULL, NULL);
	assert_non_null(machine.topology);
	if (random_percent(random, 50))
		set_distances(random, machine.topology);
	machine.placer = tb_placer_create(machine.topology);
	threads = tb_topology_threads(machine.topology);
	machine.all = (1u << threads) - 1;
	machine.used = random_below(random, 1 << MOST) &
		       random_below(random, 1 << MOST) &
		       random_below(random, 1 << MOST) & machine.all;
	machine.masked = 0;
	return machine;
}

static struct tb_request make_random(struct random *random)
{
	static const char *const units[] = { "N", "S", "X",  "Y", "C",
					     "C", "C", "EX", "X", "E" };
	char line[64];
	struct tb_request request;

	do {
		snprintf(line, sizeof(line), "bunit=%s:%u+%s:%u,btype=host",
			 units[random_below(random, 10)],
			 1 + random_percent(random, 20),
			 units[random_below(random, 10)],
			 1 + random_below(random, 3));
	} while (read_request_line(&request, line, NULL));
	return request;
}

static bool check_random(struct random *random)
{
	struct machine machine = make_machine(random);
	struct tb_request request = make_random(random);
	unsigned threads = tb_topology_threads(machine.topology);
	struct tb_bitset *used = tb_bitset_create(threads);
	struct tb_bitset *masked = tb_bitset_create(threads);
	struct units of[2];
	bool placed;

	if (random_percent(random, 25)) {
		machine.masked = random_below(random, 1 << MOST) &
				 random_below(random, 1 << MOST) & machine.all;
		request.masked = masked;
	}
	used->words[0] = machine.used;
	masked->words[0] = machine.masked;
	for (unsigned i = 0; i < 2; i++)
		of[i] = find_units(&machine, tb_request_part(&request, i));
	placed = (random_percent(random, 50)
			  ? tb_place
			  : tb_place_together)(machine.placer, &request, used,
					       3) > 0;
	request.masked = NULL;
	if (!machine.masked) {
		check_placed(&machine, &request, of, placed);
		if (placed)
			check_again(&machine, &request);
	} else if (placed != is_possible(&of[0], &of[1], machine.all)) {
		fail_case(&machine, &request, "it is possible, or is not");
	}
	tb_request_clear(&request);
	tb_bitset_destroy(used);
	tb_bitset_destroy(masked);
	tb_placer_destroy(machine.placer);
	tb_topology_destroy(machine.topology);
	return placed;
}

static void test_by_force(void **state)
{
	struct random random = { 1906 };
	unsigned placed = 0;

	(void)state;
	for (unsigned i = 0; i < CASES; i++)
		placed += check_random(&random);
	/* The cases are of both kinds. */
	assert_in_range(placed, CASES / 12, CASES / 2);
}

/* Nobody shares the units of parts: what one job has is in use. */
static void test_shared(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SXCCXCCXCC", NULL,
							 NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request = make_request("bunit=X:1+C:2,btype=host");
	struct tb_thread_use use[6] = { { .jobs = 0 } };

	(void)state;
	use[0] = use[1] = (struct tb_thread_use){ 1, 0, 1 };
	assert_int_equal(1, tb_place_shared(placer, &request, use, 4, 1));
	assert_int_equal(0x3c, mask_of(tb_placed_threads(placer)));
	use[3] = (struct tb_thread_use){ 1, 3, 3 };
	assert_int_equal(0, tb_place_shared(placer, &request, use, 4, 1));
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

/* Units of unequal size: the small cache is taken, so that cores are left. */
static void test_unequal(void **state)
{
	struct tb_topology *topology = tb_topology_parse("SXCCCCXCC", NULL,
							 NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request few = make_request("bunit=X:1+C:2,btype=host");
	struct tb_request many = make_request("bunit=X:1+C:3,btype=host");

	(void)state;
	assert_int_equal(4, tb_place(placer, &few, NULL, 4));
	assert_int_equal(0x0f, mask_of(tb_placed_part(placer, 0)));
	assert_int_equal(0x30, mask_of(tb_placed_part(placer, 1)));
	assert_int_equal(4, tb_place(placer, &many, NULL, 4));
	assert_int_equal(0x30, mask_of(tb_placed_part(placer, 0)));
	assert_int_equal(0x07, mask_of(tb_placed_part(placer, 1)));
	tb_request_clear(&few);
	tb_request_clear(&many);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

/* Caches inside a cache are one unit, so the first socket holds one beside a NUMA node. */
static void test_nested(void **state)
{
	struct tb_topology *topology =
		tb_topology_parse("SNXXCCXCCNXCCSNXCCNXCCNXCC", NULL, NULL);
	struct tb_placer *placer = tb_placer_create(topology);
	struct tb_request request = make_request("bunit=N:1+X:2,btype=host");

	(void)state;
	assert_int_equal(1, tb_place(placer, &request, NULL, 1));
	assert_int_equal(0x0c0, mask_of(tb_placed_part(placer, 0)));
	assert_int_equal(0xf00, mask_of(tb_placed_part(placer, 1)));
	tb_request_clear(&request);
	tb_placer_destroy(placer);
	tb_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reading),
		cmocka_unit_test(test_printing),
		cmocka_unit_test(test_inheriting),
		cmocka_unit_test(test_combinations),
		cmocka_unit_test(test_by_force),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_unequal),
		cmocka_unit_test(test_nested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

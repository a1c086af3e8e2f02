/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots that are counted are as many as placed ones, and as large: on random machines,
 * some of whose cores are used, for random requests.  What cannot be counted is
 * listed, too.
 */
#include "unit_test.h"

#include "core/place/countable.h"
#include "core/place/place.h"
#include "core/plan/booked.h"
#include "random_case.h"

#define CASES 40000

struct machine {
	struct tb_topology *topology;
	struct tb_placer *placer;
	struct tb_bitset *cores, *threads, *slot; /* used; scratch */
};

static void setup(struct machine *machine, const char *text)
{
	machine->topology = tb_topology_parse(text, NULL, NULL);
	assert_non_null(machine->topology);
	machine->placer = tb_placer_create(machine->topology);
	machine->cores = tb_bitset_create(tb_topology_cores(machine->topology));
	machine->threads = tb_bitset_create(
		tb_topology_threads(machine->topology));
	machine->slot = tb_bitset_create(
		tb_topology_threads(machine->topology));
}

static void teardown(struct machine *machine)
{
	tb_bitset_destroy(machine->cores);
	tb_bitset_destroy(machine->threads);
	tb_bitset_destroy(machine->slot);
	tb_placer_destroy(machine->placer);
	tb_topology_destroy(machine->topology);
}

static void use_some(struct machine *machine, struct random *random)
{
	unsigned percent = random_below(random, 101);

	tb_bitset_clear_all(machine->cores);
	for (unsigned i = 0; i < machine->cores->nbits; i++)
		if (random_percent(random, percent))
			tb_bitset_set(machine->cores, i);
	tb_threads_of_cores(machine->topology, machine->cores,
			    machine->threads);
}

/* Each slot has as many CPUs, two for a core, as each of its units says. */
static void check_sizes(struct machine *machine,
			const struct tb_request *request,
			const struct tb_countable *countable)
{
	const struct tb_books books = { .threads_per_core = 2,
					.cpus_per_core = 2 };

	for (unsigned i = 0; i < tb_placed_groups(machine->placer); i++) {
		tb_placed_group(machine->placer, i, machine->slot);
		assert_int_equal(tb_booked_cpus(&books, request,
						machine->topology,
						machine->slot),
				 2 * countable->amount * countable->unit_cores);
	}
}

/* Returns how many slots were placed. */
static unsigned compare(struct machine *machine,
			const struct tb_request *request, unsigned wanted,
			const struct tb_countable *countable)
{
	uint32_t counted = tb_count_slots(machine->topology, request, countable,
					  machine->cores, wanted);
	int placed = tb_place_together(machine->placer, request,
				       machine->threads, wanted);

	if (placed < 0)
		placed = 0;
	if (placed && request->type == TB_HOST)
		placed = 1;
	assert_int_equal(counted, placed);
	if (placed)
		check_sizes(machine, request, countable);
	return counted;
}

struct tally {
	unsigned countable, placed, fewer; /* cases */
};

static void try_case(struct random *random, const struct random_case *c,
		     struct tally *tally)
{
	struct tb_countable countable;
	struct tb_request request;
	struct machine machine;
	unsigned slots;

	setup(&machine, c->topology);
	use_some(&machine, random);
	random_case_request(c, &request);
	if (tb_slots_are_countable(machine.topology, &request, &countable)) {
		slots = compare(&machine, &request, c->nslots, &countable);
		tally->countable++;
		tally->placed += slots > 0;
		tally->fewer += slots && slots < c->nslots &&
				request.type == TB_SLOT;
	}
	tb_request_clear(&request);
	teardown(&machine);
}

static void test_random(void **state)
{
	static const struct random_shape shapes[] = { { 32, false },
						      { 64, true } };
	struct random random = { 23 };
	struct tally tally = { 0 };
	struct random_case c;

	(void)state;
	for (unsigned i = 0; i < CASES; i++) {
		random_case(&random, &shapes[i % 2], &c);
		try_case(&random, &c, &tally);
	}
	assert_true(tally.countable > CASES / 10);
	assert_true(tally.placed > CASES / 30);
	assert_true(tally.fewer > CASES / 100);
}

/* With the first two of its cores used. */
static uint32_t count(const char *text, const char *line, uint32_t wanted)
{
	struct tb_countable countable;
	struct tb_request request;
	struct machine machine;
	uint32_t slots = UINT32_MAX;

	setup(&machine, text);
	tb_bitset_set_range(machine.cores, 0, 2);
	tb_request_init(&request);
	assert_int_equal(tb_request_parse(&request, line, NULL), 0);
	if (tb_slots_are_countable(machine.topology, &request, &countable))
		slots = tb_count_slots(machine.topology, &request, &countable,
				       machine.cores, wanted);
	tb_request_clear(&request);
	teardown(&machine);
	return slots;
}

static void test_numbers(void **state)
{
	const char *node = "NSXCTTCTTXCTTCTTXCTTCTT";

	(void)state;
	assert_int_equal(count(node, "bunit=C,bamount=1", 9), 4);
	assert_int_equal(count(node, "bunit=C,bamount=1", 3), 3);
	assert_int_equal(count(node, "bunit=C,bamount=3", 9), 1);
	assert_int_equal(count(node, "bunit=C,bamount=5", 9), 0);
	assert_int_equal(count(node, "bunit=X,bamount=1", 9), 2);
	assert_int_equal(count(node, "bunit=N,bamount=1", 9), 0);
	assert_int_equal(count(node, "bunit=E,bamount=1", 9), 0);
	assert_int_equal(count(node, "bunit=C,bamount=2,btype=host", 9), 1);
	assert_int_equal(count(node, "bunit=X,bamount=1,btopology=NSCC", 9), 0);
}

static void test_not_countable(void **state)
{
	const char *node = "NSXCTTCTTXCTTCTTXCTTCTT";
	static const char *const lines[] = {
		"bunit=T,bamount=1",
		"bunit=C,bamount=1,bstart=x",
		"bunit=C,bamount=1,bstop=x",
		"bunit=C,bamount=1,bfilter=first_core",
		"bunit=C,bamount=1,bequal=no",
		"bunit=C,bamount=1,bspread=X",
		"bunit=X,bamount=1,bcpus=2-3",
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (count(node, lines[i], 9) != UINT32_MAX)
			fail_msg("%s was counted", lines[i]);
	/* Of several sizes, and inside others. */
	assert_int_equal(count("SXCCXC", "bunit=X,bamount=1", 9), UINT32_MAX);
	assert_int_equal(count("(N(N(C(T))(C(T)))(N(C(T))(C(T))))",
			       "bunit=N,bamount=1", 9),
			 UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_not_countable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

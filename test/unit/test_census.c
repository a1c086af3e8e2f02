/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node has of each kind of unit: a table, and a second count that looks at
 * nothing but the text of a topology.
 */
#include "unit_test.h"

#include "random_case.h"

#include "core/topology/census.h"

static void take(const char *text, struct tb_census *census)
{
	struct tb_bitset *used;
	struct tb_error err;
	struct tb_topology *topology = tb_topology_parse(text, &used, &err);

	if (!topology)
		fail_msg("%s: %s", text, err.text);
	tb_census_take(topology, used, NULL, census);
	tb_bitset_destroy(used);
	tb_topology_destroy(topology);
}

/* --- a table -------------------------------------------------------------------- */

static const struct row {
	const char *text;
	const char *unit;
	unsigned total, free, broken, largest;
} rows[] = {
	{ "NSXCCXCC", "S", 1, 1, 0, 1 },
	{ "NSXCCXCC", "X", 2, 2, 0, 2 },
	{ "NSXCCXCC", "C", 4, 4, 0, 4 },
	{ "NSXCCXCC", "T", 4, 4, 0, 4 },
	/* No L2 cache: not even one that means the core. */
	{ "NSXCCXCC", "Y", 0, 0, 0, 0 },
	{ "SCC", "N", 0, 0, 0, 0 },
	{ "NSXCCXCC", "E", 0, 0, 0, 0 },
	/* One core in use breaks its cache, socket and NUMA node. */
	{ "NSXcCXCC", "S", 1, 0, 1, 0 },
	{ "NSXcCXCC", "X", 2, 1, 1, 1 },
	{ "NSXcCXCC", "C", 4, 3, 0, 2 },
	{ "NSxccXCC", "X", 2, 1, 0, 1 },
	{ "nsxccxcc", "S", 1, 0, 0, 0 },
	{ "nsxccxcc", "C", 4, 0, 0, 0 },
	/* A thread in use breaks the core; the other is a block of one. */
	{ "NSXCtTXctt", "C", 2, 0, 1, 0 },
	{ "NSXCtTXctt", "T", 4, 1, 0, 1 },
	{ "NSXCtTXCTT", "T", 4, 3, 0, 2 },
	/* The largest block is a socket, not the caches of both. */
	{ "SXcCXCCSXCCXCC", "X", 4, 3, 1, 2 },
	{ "SXcCXCCSXCCXCC", "C", 8, 7, 0, 4 },
	/* Units of one kind of core are free when only the other is in use. */
	{ "NSXYctttYEE", "X", 1, 0, 0, 0 },
	{ "NSXYcttYEE", "EX", 1, 1, 0, 1 },
	{ "NSXYcttYEE", "E", 2, 2, 0, 2 },
	{ "NSXYcttYEE", "EY", 1, 1, 0, 1 },
	{ "NSXYcttYeE", "EX", 1, 0, 1, 0 },
	{ "NSXYcttYeE", "Y", 1, 0, 0, 0 },
	/* Inside each other: those that can be had at the same time. */
	{ "(N(N(S(C(T))(C(T))))(N(S(C(T)))))", "N", 1, 1, 0, 1 },
	{ "(N(N(S(c(t))(C(T))))(N(S(C(T)))))", "N", 1, 1, 1, 1 },
};

static unsigned kind_of(const char *name)
{
	unsigned kind = 0;

	while (strcmp(tb_unit_name(tb_census_unit(kind)), name))
		assert_true(++kind < TB_CENSUS_KINDS);
	return kind;
}

static void counts_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		const struct tb_unit_census *seen;
		struct tb_census census;

		take(row->text, &census);
		seen = &census.units[kind_of(row->unit)];
		if (seen->total != row->total || seen->free != row->free ||
		    seen->broken != row->broken ||
		    seen->largest != row->largest)
			fail_msg("%s %s: %u/%u/%u/%u", row->text, row->unit,
				 seen->total, seen->free, seen->broken,
				 seen->largest);
	}
}

static void counts_fragments(void **state)
{
	static const struct {
		const char *text;
		unsigned cores, free, fragments;
	} table[] = {
		{ "NSXCCXCC", 4, 4, 0 },
		{ "nsxccxcc", 4, 0, 0 },
		/* One core is left beside one in use. */
		{ "NSXcCXCC", 4, 3, 1 },
		{ "NSxccXCC", 4, 2, 0 },
		/* No L3: the socket is what breaks; no container: the node. */
		{ "ScCCSCC", 5, 4, 2 },
		/* Caches of one core do not count, larger ones do. */
		{ "NSXYcttYCTTXYCTT", 3, 2, 2 },
		{ "NSXYcttYCTTXYCTTYCTT", 4, 3, 1 },
		{ "NSXYcCYCCXYCC", 6, 5, 1 },
		/* Half a core is not free, and breaks what is around. */
		{ "NSXCtTCTTXCTTCTT", 4, 3, 1 },
		/* A cache of its own on a node with nothing around. */
		{ "NSXcNSXC", 2, 1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_census census;

		take(table[i].text, &census);
		if (census.cores != table[i].cores ||
		    census.free_cores != table[i].free ||
		    census.fragments != table[i].fragments)
			fail_msg("%s: %u/%u/%u", table[i].text, census.cores,
				 census.free_cores, census.fragments);
	}
}

/* S, C and cores: free and all of them, beside what a second string masks. */
static void leaves_out_what_is_masked(void **state)
{
	static const struct {
		const char *text, *masked;
		unsigned sockets, free_sockets, broken_sockets, cores,
			free_cores;
	} table[] = {
		{ "SCCCC", "ScCCC", 1, 1, 0, 3, 3 },
		{ "SCcCC", "ScCCC", 1, 0, 1, 3, 2 },
		{ "SCccc", "ScCCC", 1, 0, 0, 3, 0 },
		{ "scccc", "ScCCC", 1, 0, 0, 3, 0 },
		/* Somebody else is on the masked core. */
		{ "ScCCC", "ScCCC", 1, 0, 0, 3, 3 },
		{ "SCCSCC", "sccSCC", 1, 1, 0, 2, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct tb_bitset *used, *masked;
		struct tb_topology *topology = tb_topology_parse(table[i].text,
								 &used, NULL);
		struct tb_topology *again = tb_topology_parse(table[i].masked,
							      &masked, NULL);
		struct tb_census census;

		tb_census_take(topology, used, masked, &census);
		assert_int_equal(tb_census_unit(0).letter, 'S');
		assert_int_equal(census.units[0].total, table[i].sockets);
		assert_int_equal(census.units[0].free, table[i].free_sockets);
		assert_int_equal(census.units[0].broken,
				 table[i].broken_sockets);
		assert_int_equal(census.cores, table[i].cores);
		assert_int_equal(census.free_cores, table[i].free_cores);
		tb_bitset_destroy(used);
		tb_bitset_destroy(masked);
		tb_topology_destroy(topology);
		tb_topology_destroy(again);
	}
}

static void knows_an_idle_node(void **state)
{
	struct tb_topology *topology = tb_topology_parse("NSXCCXCC", NULL,
							 NULL);
	struct tb_census census;

	(void)state;
	tb_census_take(topology, NULL, NULL, &census);
	assert_int_equal(census.units[kind_of("X")].free, 2);
	assert_int_equal(census.free_cores, 4);
	assert_int_equal(census.fragments, 0);
	tb_topology_destroy(topology);
}

/* --- the oracle ----------------------------------------------------------------- */

#define OBJECTS 512
#define THREADS 128

/* An object of a structured string, by nothing but its brackets. */
struct object {
	char letter;	       /* a capital; '*' is the node */
	bool has[2];	       /* a power, an efficiency core in or around it */
	char threads[THREADS]; /* 1: below */
};

struct machine {
	struct object objects[OBJECTS];
	unsigned nobjects;
	unsigned nthreads;
	bool used[THREADS];
	int kind[THREADS];
};

/* A core without brackets inside is its own thread. */
static void read_machine(const char *text, struct machine *machine)
{
	unsigned stack[64], depth = 0;
	struct object *node = &machine->objects[0];

	memset(machine, 0, sizeof(*machine));
	node->letter = '*';
	machine->nobjects = 1;
	stack[depth++] = 0;
	for (; *text; text++) {
		bool leaf = *text != '(' && *text != ')' && text[1] == ')' &&
			    text[-1] == '(';

		if (*text == ')') {
			depth--;
		} else if (*text != '(') {
			unsigned at = machine->nobjects++;

			assert_true(at < OBJECTS && depth < 64);
			machine->objects[at].letter = *text & ~0x20;
			stack[depth++] = at;
		}
		if (!leaf)
			continue;
		for (unsigned i = 0; i < depth; i++) {
			struct object *around = &machine->objects[stack[i]];

			around->threads[machine->nthreads] = 1;
			if (around->letter == 'C' || around->letter == 'E')
				machine->kind[machine->nthreads] =
					around->letter == 'E';
		}
		machine->used[machine->nthreads++] = (*text & 0x20) != 0;
	}
	for (unsigned i = 0; i < machine->nobjects; i++)
		for (unsigned t = 0; t < machine->nthreads; t++)
			if (machine->objects[i].threads[t])
				machine->objects[i].has[machine->kind[t]] = true;
}

/* Threads of the kind in the object that are used, or not. */
static unsigned threads_in(const struct machine *machine,
			   const struct object *object, int kind, bool used)
{
	unsigned count = 0;

	for (unsigned t = 0; t < machine->nthreads; t++)
		count += object->threads[t] && machine->kind[t] == kind &&
			 machine->used[t] == used;
	return count;
}

static bool is_inside(const struct machine *machine, const struct object *inner,
		      const struct object *outer)
{
	for (unsigned t = 0; t < machine->nthreads; t++)
		if (inner->threads[t] && !outer->threads[t])
			return false;
	return true;
}

static bool is_core(const struct object *object)
{
	return object->letter == 'C' || object->letter == 'E';
}

/* A shape without an object inside another one of its letter. */
static bool is_unit(const struct object *object, char letter, int kind)
{
	return object->has[kind] &&
	       (letter == 'C' ? is_core(object) : object->letter == letter);
}

static void oracle_units(const struct machine *machine, char letter, int kind,
			 struct tb_unit_census *units)
{
	memset(units, 0, sizeof(*units));
	for (unsigned i = 1; i < machine->nobjects; i++) {
		const struct object *object = &machine->objects[i];
		bool used, unused;

		if (!is_unit(object, letter, kind))
			continue;
		used = threads_in(machine, object, kind, true);
		unused = threads_in(machine, object, kind, false);
		units->total++;
		units->free += !used;
		units->broken += used && unused;
	}
	for (unsigned i = 0; i < machine->nobjects; i++) {
		const struct object *block = &machine->objects[i];
		unsigned count = 0;

		if (threads_in(machine, block, kind, true))
			continue;
		for (unsigned j = 1; j < machine->nobjects; j++)
			count += is_unit(&machine->objects[j], letter, kind) &&
				 j >= i &&
				 is_inside(machine, &machine->objects[j],
					   block);
		if (count > units->largest)
			units->largest = count;
	}
}

/* Threads stand for themselves: cores may have no letter T below them. */
static void oracle_threads(const struct machine *machine, int kind,
			   struct tb_unit_census *units)
{
	memset(units, 0, sizeof(*units));
	for (unsigned t = 0; t < machine->nthreads; t++) {
		units->total += machine->kind[t] == kind;
		units->free += machine->kind[t] == kind && !machine->used[t];
	}
	units->largest = units->free > 0;
	for (unsigned i = 0; i < machine->nobjects; i++) {
		unsigned count = threads_in(machine, &machine->objects[i], kind,
					    false);

		if (!threads_in(machine, &machine->objects[i], kind, true) &&
		    count > units->largest)
			units->largest = count;
	}
}

static unsigned cores_in(const struct machine *machine,
			 const struct object *object)
{
	unsigned count = 0;

	for (unsigned i = 1; i < machine->nobjects; i++)
		count += is_core(&machine->objects[i]) &&
			 is_inside(machine, &machine->objects[i], object);
	return count;
}

static unsigned used_in(const struct machine *machine,
			const struct object *object)
{
	return threads_in(machine, object, 0, true) +
	       threads_in(machine, object, 1, true);
}

/* The smallest with several cores; objects come before those inside them. */
static const struct object *around(const struct machine *machine,
				   const struct object *core)
{
	const struct object *smallest = &machine->objects[0];

	for (unsigned i = 1; i < machine->nobjects; i++)
		if (is_inside(machine, core, &machine->objects[i]) &&
		    cores_in(machine, &machine->objects[i]) > 1)
			smallest = &machine->objects[i];
	return smallest;
}

static void oracle_cores(const struct machine *machine,
			 struct tb_census *census)
{
	census->cores = census->free_cores = census->fragments = 0;
	for (unsigned i = 1; i < machine->nobjects; i++) {
		const struct object *core = &machine->objects[i];

		if (!is_core(core))
			continue;
		census->cores++;
		if (used_in(machine, core))
			continue;
		census->free_cores++;
		census->fragments += used_in(machine, around(machine, core)) >
				     0;
	}
}

static void agree(const char *text)
{
	static struct machine machine;
	struct tb_census seen, wanted;

	take(text, &seen);
	read_machine(text, &machine);
	for (unsigned kind = 0; kind < TB_CENSUS_KINDS; kind++) {
		struct tb_unit unit = tb_census_unit(kind);

		if (unit.letter == 'T')
			oracle_threads(&machine, unit.kind,
				       &wanted.units[kind]);
		else
			oracle_units(&machine, unit.letter, unit.kind,
				     &wanted.units[kind]);
		if (memcmp(&wanted.units[kind], &seen.units[kind],
			   sizeof(wanted.units[kind])))
			fail_msg("%s: %s: %u/%u/%u/%u, wanted %u/%u/%u/%u",
				 text, tb_unit_name(unit),
				 seen.units[kind].total, seen.units[kind].free,
				 seen.units[kind].broken,
				 seen.units[kind].largest,
				 wanted.units[kind].total,
				 wanted.units[kind].free,
				 wanted.units[kind].broken,
				 wanted.units[kind].largest);
	}
	oracle_cores(&machine, &wanted);
	if (seen.cores != wanted.cores ||
	    seen.free_cores != wanted.free_cores ||
	    seen.fragments != wanted.fragments)
		fail_msg("%s: cores %u/%u/%u, wanted %u/%u/%u", text,
			 seen.cores, seen.free_cores, seen.fragments,
			 wanted.cores, wanted.free_cores, wanted.fragments);
}

static void agrees_with_the_oracle(void **state)
{
	struct random random = { 20 };
	char text[RANDOM_TEXT];

	(void)state;
	/* The oracle is slow on large machines: some are enough. */
	for (int i = 0; i < 20000; i++) {
		const struct random_shape shape = { i % 4 ? 24 : 48, false };

		random_topology(&random, &shape, text);
		random_use(&random, random_below(&random, 101), text);
		agree(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_units),
		cmocka_unit_test(counts_fragments),
		cmocka_unit_test(knows_an_idle_node),
		cmocka_unit_test(leaves_out_what_is_masked),
		cmocka_unit_test(agrees_with_the_oracle),
	};

	return cmocka_run_group_tests_name("census", tests, NULL, NULL);
}

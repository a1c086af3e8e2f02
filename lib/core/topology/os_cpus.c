/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "os_cpus.h"

#include <stdlib.h>

#include "core/base/text.h"

/* Walks over the threads in the order of the text. */
struct walk {
	const struct tb_topology *topology;
	unsigned rank; /* of the thread in its core */
	unsigned core;
	unsigned left; /* threads that are still to come */
};

static struct walk begin_walk(const struct tb_topology *topology)
{
	return (struct walk){ .topology = topology,
			      .left = tb_topology_threads(topology) };
}

/* Only while there are threads left. */
static unsigned next_thread(struct walk *walk)
{
	const struct tb_topology *topology = walk->topology;

	for (;; walk->core++) {
		if (walk->core == tb_topology_cores(topology)) {
			walk->core = 0;
			walk->rank++;
		}
		if (walk->rank < tb_core_threads(topology, walk->core))
			break;
	}
	walk->left--;
	return tb_core_first_thread(topology, walk->core++) + walk->rank;
}

struct run {
	unsigned first, last, step;
};

/* Read a number and move *at behind it; -1: there is none below the limit. */
static int read_number(const char **at, unsigned *number)
{
	uint64_t read;

	if (tb_text_read_number(at, TB_OS_CPUS_MAX - 1, &read))
		return -1;
	*number = (unsigned)read;
	return 0;
}

static int read_run(const char **at, struct run *run)
{
	if (read_number(at, &run->first))
		return -1;
	run->last = run->first;
	run->step = 1;
	if (**at != '-')
		return 0;
	++*at;
	if (read_number(at, &run->last) || run->last <= run->first)
		return -1;
	if (**at != ':')
		return 0;
	++*at;
	return read_number(at, &run->step) || !run->step ||
			       (run->last - run->first) % run->step
		       ? -1
		       : 0;
}

/* Give the next threads the numbers of a run. */
static int take_run(struct walk *walk, const struct run *run,
		    struct tb_bitset *seen, unsigned *os_cpus)
{
	for (unsigned number = run->first; number <= run->last;
	     number += run->step) {
		if (!walk->left || tb_bitset_test(seen, number))
			return -1;
		tb_bitset_set(seen, number);
		os_cpus[next_thread(walk)] = number;
	}
	return 0;
}

static int read_numbers(const char *text, const struct tb_topology *topology,
			struct tb_bitset *seen, unsigned *os_cpus)
{
	struct walk walk = begin_walk(topology);
	struct run run;

	for (;; text++) {
		if (read_run(&text, &run) ||
		    take_run(&walk, &run, seen, os_cpus))
			return -1;
		if (*text != '+')
			return *text || walk.left ? -1 : 0;
	}
}

unsigned *tb_os_cpus_parse(const char *text, const struct tb_topology *topology,
			   struct tb_error *err)
{
	unsigned threads = tb_topology_threads(topology);
	unsigned *os_cpus = calloc(threads, sizeof(*os_cpus));
	struct tb_bitset *seen = tb_bitset_create(TB_OS_CPUS_MAX);
	int rc = -1;

	if (!os_cpus || !seen)
		tb_fail(err, "out of memory");
	else if (read_numbers(text, topology, seen, os_cpus))
		tb_fail(err,
			"for the node's %u threads this must be %u different numbers below %d, such as 0-3 or 0-6:2+1-7:2",
			threads, threads, TB_OS_CPUS_MAX);
	else
		rc = 0;
	tb_bitset_destroy(seen);
	if (!rc)
		return os_cpus;
	free(os_cpus);
	return NULL;
}

/* How a run that begins with these two numbers goes on; 0: not at all. */
static unsigned find_step(unsigned first, unsigned second)
{
	return second > first ? second - first : 0;
}

/* As many of the next numbers as one run can have.  Moves *at behind them. */
static struct run next_run(const unsigned *numbers, unsigned count,
			   unsigned *at)
{
	unsigned first = *at, end = first + 1;
	struct run run = { numbers[first], numbers[first], 1 };

	if (end < count && find_step(run.first, numbers[end]))
		run.step = find_step(run.first, numbers[end]);
	while (end < count && numbers[end] == run.last + run.step)
		run.last = numbers[end++];
	/* Two that are apart are no shorter as a run, and the second can begin one. */
	if (run.step > 1 && end == first + 2)
		run.last = numbers[--end - 1];
	*at = end;
	return run;
}

static void print_run(struct tb_text *text, const struct run *run)
{
	if (text->length)
		tb_text_add_char(text, '+');
	tb_text_add_number(text, run->first);
	if (run->last == run->first)
		return;
	tb_text_add_char(text, '-');
	tb_text_add_number(text, run->last);
	if (run->step == 1)
		return;
	tb_text_add_char(text, ':');
	tb_text_add_number(text, run->step);
}

/* The numbers in the order of the text. */
static unsigned *order_numbers(const unsigned *os_cpus,
			       const struct tb_topology *topology)
{
	struct walk walk = begin_walk(topology);
	unsigned *numbers = calloc(walk.left, sizeof(*numbers));

	for (unsigned i = 0; numbers && walk.left; i++)
		numbers[i] = os_cpus[next_thread(&walk)];
	return numbers;
}

char *tb_os_cpus_print(const unsigned *os_cpus,
		       const struct tb_topology *topology, struct tb_error *err)
{
	unsigned count = tb_topology_threads(topology), at = 0;
	unsigned *numbers = order_numbers(os_cpus, topology);
	struct tb_text text = TB_TEXT_EMPTY;
	char *printed = NULL;
	bool fits = true;

	while (numbers && at < count && fits) {
		struct run run = next_run(numbers, count, &at);

		print_run(&text, &run);
		fits = text.length <= TB_OS_CPUS_TEXT_MAX;
	}
	printed = tb_text_take(&text);
	if (!numbers || !printed) {
		tb_fail(err, "out of memory");
	} else if (!fits) {
		free(printed);
		printed = NULL;
		tb_fail(err,
			"the OS numbers of its %u threads need more than %d bytes",
			count, TB_OS_CPUS_TEXT_MAX);
	}
	free(numbers);
	return printed;
}

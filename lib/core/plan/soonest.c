/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "soonest.h"

#include <stdbool.h>

/* Then halving: answers that lead only a little further would go on for long. */
#define LED_MAX 3

struct search {
	const int64_t *ends;
	uint32_t count;
	uint32_t low, high; /* the number that counts, if there is one */
	struct tb_soonest best;
};

static int64_t find_last_end(const struct search *search, uint32_t ended)
{
	return ended ? search->ends[ended - 1] : 0;
}

static uint32_t count_ended_at(const struct search *search, int64_t time)
{
	uint32_t count = 0;

	while (count < search->count && search->ends[count] <= time)
		count++;
	return count;
}

static uint32_t limit_to(const struct search *search, uint32_t number)
{
	if (number < search->low)
		return search->low;
	return number > search->high ? search->high : number;
}

/* Of equal ones the last, of which the asker still has the rest of the answer. */
static void keep_best(struct search *search, uint32_t ended, int64_t start)
{
	if (!search->best.start || start <= search->best.start)
		search->best = (struct tb_soonest){ ended, start };
}

/* Learn from an answer; *next is the number that it leads to.  True: it is the last. */
static bool take_answer(struct search *search, uint32_t ended, int64_t start,
			uint32_t *next)
{
	int64_t end = find_last_end(search, ended);

	*next = search->count;
	if (!start) {
		search->low = ended + 1;
		return false;
	}
	*next = count_ended_at(search, start);
	keep_best(search, ended, start < end ? end : start);
	if (start == end || *next == ended)
		return true;
	if (start > end) {
		search->low = ended + 1;
		return false;
	}
	/* Fewer could do, but not fewer than that. */
	if (ended == search->low)
		return true;
	search->high = ended - 1;
	return false;
}

struct tb_soonest tb_soonest_find(const int64_t *ends, uint32_t count,
				  uint32_t least, uint32_t guess,
				  uint32_t questions, tb_start_without ask,
				  void *arg)
{
	struct search search = { .ends = ends,
				 .count = count,
				 .low = least,
				 .high = count };
	uint32_t next = guess;

	for (uint32_t asked = 0; asked < questions && search.low <= search.high;
	     asked++) {
		uint32_t ended = asked <= LED_MAX ? limit_to(&search, next)
						  : search.low + (search.high -
								  search.low) /
									 2;

		if (take_answer(&search, ended, ask(arg, ended), &next))
			break;
	}
	return search.best;
}

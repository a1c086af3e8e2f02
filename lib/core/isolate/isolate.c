/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "isolate.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clip.h"

/* What comes back of what was taken; it is taken no more.  NULL: out of memory. */
static struct tb_bitset *give_back(struct tb_isolate_taken *taken,
				   const struct tb_bitset *isolated)
{
	struct tb_bitset *back = tb_bitset_copy(taken->cpus);

	if (back) {
		tb_bitset_andnot(back, isolated);
		tb_bitset_andnot(taken->cpus, back);
	}
	return back;
}

/* It has its own: what is isolated now is taken, too. */
static void take_isolated(struct tb_bitset *now, struct tb_bitset *take,
			  struct tb_isolate_taken *taken,
			  const struct tb_bitset *isolated,
			  const struct tb_bitset *rest)
{
	tb_bitset_and(take, isolated);
	if (!tb_bitset_contains(take, now)) {
		tb_bitset_andnot(now, isolated);
		tb_bitset_or(taken->cpus, take);
	} else if (!tb_bitset_is_empty(now) && !tb_bitset_is_empty(rest)) {
		tb_bitset_assign(now, rest);
		tb_bitset_or(taken->cpus, take);
		taken->moved = true;
	}
}

/* It has others, none of which are its own. */
static void move_on(struct tb_bitset *now, struct tb_isolate_taken *taken,
		    const struct tb_bitset *back, const struct tb_bitset *rest)
{
	taken->moved = tb_bitset_is_empty(back);
	if (!taken->moved)
		tb_bitset_assign(now, back);
	else if (!tb_bitset_is_empty(rest))
		tb_bitset_assign(now, rest);
}

bool tb_isolate_apply(struct tb_bitset *now, struct tb_isolate_taken *taken,
		      const struct tb_bitset *isolated,
		      const struct tb_bitset *online)
{
	struct tb_bitset *take = tb_bitset_copy(now);
	struct tb_bitset *rest = tb_bitset_copy(online);
	struct tb_bitset *back = take && rest ? give_back(taken, isolated)
					      : NULL;

	if (back) {
		tb_bitset_andnot(rest, isolated);
		if (taken->moved) {
			move_on(now, taken, back, rest);
		} else {
			tb_bitset_or(now, back);
			take_isolated(now, take, taken, isolated, rest);
		}
	}
	tb_bitset_destroy(take);
	tb_bitset_destroy(rest);
	tb_bitset_destroy(back);
	return back;
}

/* Prints the CPUs of a set into a sentence. */
static struct tb_clipped print_clipped(const struct tb_bitset *set)
{
	char *list = tb_bitset_print_list(set);
	struct tb_clipped clipped = tb_clip(list ? list : "",
					    list ? strlen(list) : 0);

	free(list);
	return clipped;
}

int tb_isolate_check(const struct tb_bitset *wanted,
		     const struct tb_bitset *isolated,
		     const struct tb_bitset *online, struct tb_error *err)
{
	struct tb_bitset *rest = tb_bitset_copy(online);
	int rc = 0;

	if (!rest)
		return tb_fail(err, "out of memory");
	tb_bitset_andnot(rest, wanted);
	tb_bitset_andnot(rest, isolated);
	if (tb_bitset_is_empty(rest))
		rc = tb_fail(err,
			     "bisolate=yes cannot have CPUs %s: with those of other isolated jobs (%s) that is all of the node, and one must be left for the system; ask for fewer units, or let the site keep a core for the system with CoreSpecCount",
			     print_clipped(wanted).text,
			     tb_bitset_is_empty(isolated)
				     ? "none"
				     : print_clipped(isolated).text);
	tb_bitset_destroy(rest);
	return rc;
}

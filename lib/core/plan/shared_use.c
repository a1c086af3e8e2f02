/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shared_use.h"

struct tb_unit tb_booked_unit(const struct tb_request *request, bool by_thread)
{
	struct tb_unit unit = request->unit;

	/* With a list of CPUs each is a unit. */
	if (request->cpus)
		unit.letter = 'T';
	if (unit.letter == 'T' && !by_thread)
		unit.letter = 'C';
	return unit;
}

/* The units of the threads, into own. */
static bool mark_own(const struct tb_topology *topology,
		     const struct tb_bitset *threads,
		     const struct tb_unit *unit, struct tb_thread_use *own)
{
	struct tb_bitset *others = tb_bitset_create(threads->nbits);

	if (!others)
		return false;
	tb_bitset_set_range(others, 0, others->nbits);
	tb_bitset_andnot(others, threads);
	tb_share_mark(topology, *unit, others, own);
	tb_bitset_destroy(others);
	return true;
}

void tb_shared_use_add(const struct tb_topology *topology,
		       const struct tb_bitset *threads,
		       const struct tb_unit *unit, struct tb_thread_use *use,
		       struct tb_thread_use *own)
{
	bool shares = unit && mark_own(topology, threads, unit, own);

	TB_BITSET_EACH(i, threads) {
		if (!shares || use[i].jobs == TB_SHARE_NEVER ||
		    (use[i].jobs && (use[i].first != own[i].first ||
				     use[i].last != own[i].last))) {
			use[i].jobs = TB_SHARE_NEVER;
			continue;
		}
		use[i].jobs++;
		use[i].first = own[i].first;
		use[i].last = own[i].last;
	}
}

void tb_shared_use_bar(const struct tb_bitset *threads,
		       struct tb_thread_use *use)
{
	TB_BITSET_EACH(i, threads)
		use[i].jobs = TB_SHARE_NEVER;
}

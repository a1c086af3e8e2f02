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

enum tb_shares_as tb_shares_as(const struct tb_request *request,
			       bool whole_nodes, bool turns)
{
	if (turns && (!request || whole_nodes))
		return TB_SHARES_ANY;
	if (!request)
		return TB_SHARES_NOTHING;
	if (whole_nodes)
		return TB_SHARES_NODE;
	return request->nparts ? TB_SHARES_NOTHING : TB_SHARES_UNITS;
}

/* The units of the threads, into own. */
static bool mark_units(const struct tb_topology *topology,
		       const struct tb_bitset *threads, struct tb_unit unit,
		       struct tb_thread_use *own)
{
	struct tb_bitset *others = tb_bitset_create(threads->nbits);

	if (!others)
		return false;
	tb_bitset_set_range(others, 0, others->nbits);
	tb_bitset_andnot(others, threads);
	tb_share_mark(topology, unit, others, own);
	tb_bitset_destroy(others);
	return true;
}

/* As what the job has its threads, into own. */
static void mark_own(const struct tb_topology *topology,
		     const struct tb_bitset *threads, struct tb_share_of share,
		     struct tb_thread_use *own)
{
	struct tb_thread_use all = { .jobs = 1 };

	if (share.as == TB_SHARES_NODE)
		all.last = (uint16_t)(threads->nbits - 1);
	else if (share.as == TB_SHARES_ANY)
		all.last = TB_SHARE_ANY;
	else
		all.jobs = TB_SHARE_NEVER;
	TB_BITSET_EACH(i, threads)
		own[i] = all;
	if (share.as != TB_SHARES_UNITS ||
	    !mark_units(topology, threads, share.unit, own))
		return;
	TB_BITSET_EACH(i, threads)
		own[i].jobs = 1;
}

void tb_shared_use_add(const struct tb_topology *topology,
		       const struct tb_bitset *threads,
		       struct tb_share_of share, struct tb_thread_use *use,
		       struct tb_thread_use *own)
{
	mark_own(topology, threads, share, own);
	TB_BITSET_EACH(i, threads)
		tb_share_join(&use[i], &own[i]);
}

void tb_shared_use_bar(const struct tb_bitset *threads,
		       struct tb_thread_use *use)
{
	TB_BITSET_EACH(i, threads)
		use[i].jobs = TB_SHARE_NEVER;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "listed.h"

static enum tb_listed list_logical(const struct tb_bitset *cpus,
				   struct tb_bitset *threads)
{
	unsigned both = cpus->nbits < threads->nbits ? cpus->nbits
						     : threads->nbits;

	tb_bitset_or_range(threads, cpus, 0, both);
	/* A list ends with the last of its bits. */
	return both == cpus->nbits ? TB_LISTED_ALL : TB_LISTED_SOME;
}

static enum tb_listed list_os_cpus(const struct tb_bitset *cpus,
				   const unsigned *os_cpus,
				   struct tb_bitset *threads)
{
	unsigned found = 0;

	for (unsigned thread = 0; thread < threads->nbits; thread++) {
		unsigned os_cpu = os_cpus[thread];

		if (os_cpu >= cpus->nbits || !tb_bitset_test(cpus, os_cpu))
			continue;
		tb_bitset_set(threads, thread);
		found++;
	}
	return found == tb_bitset_count(cpus) ? TB_LISTED_ALL : TB_LISTED_SOME;
}

enum tb_listed tb_listed_threads(const struct tb_request *request,
				 const struct tb_topology *topology,
				 struct tb_bitset *threads)
{
	const unsigned *os_cpus = tb_topology_os_cpus(topology);

	tb_bitset_clear_all(threads);
	if (!request->os_numbers)
		return list_logical(request->cpus, threads);
	if (!os_cpus)
		return TB_LISTED_UNKNOWN;
	return list_os_cpus(request->cpus, os_cpus, threads);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * booked.h - for how many CPUs slots stand in Slurm's books, and what these allow
 *
 * Slurm books whole cores.  A core counts as all of its threads, or as fewer where the
 * job asks for fewer of each core.  Only slots of threads can share a core, and count
 * as their threads.
 */
#ifndef TB_CORE_PLAN_BOOKED_H
#define TB_CORE_PLAN_BOOKED_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/request/request.h"
#include "core/topology/topology.h"

/* CPUs of a slot: Slurm counts in 16 bits, and the last numbers mean something else. */
#define TB_BOOKED_MOST 0xfffd

/* How a node's cores are booked for a job. */
struct tb_books {
	bool by_thread; /* a core of Slurm is a thread of the string */
	uint32_t threads_per_core; /* Slurm's */
	uint32_t cpus_per_core;	   /* tb_booked_per_core() */
};

/* What a job, and the partition that it is tried in, allow. */
struct tb_booking {
	uint32_t task_cpus; /* a slot must have as many; 0: any */
	uint32_t node_cpus; /* and all slots of a node; 0: any */
	uint32_t left;	    /* tb_booked_left(); UINT32_MAX: no limit */
};

/* What a node has, or a job asks for: --sockets-per-node and so on, 0: any. */
struct tb_layout {
	uint32_t sockets; /* of the node */
	uint32_t cores_per_socket;
	uint32_t threads_per_core;
};

bool tb_layout_suffices(const struct tb_layout *there,
			const struct tb_layout *asked);

/* Of a node with so many threads per core; asked: --threads-per-core, 0: none. */
uint32_t tb_booked_per_core(uint32_t asked, uint32_t there);

/* The CPUs of a set of threads that are one slot or all of a host. */
uint32_t tb_booked_cpus(const struct tb_books *books,
			const struct tb_request *request,
			const struct tb_topology *topology,
			const struct tb_bitset *threads);

/*
 * Those of them on which tasks run, as no thread is masked (place.h): at most as many
 * of a core as it has such threads.  masked may be NULL.
 */
uint32_t tb_booked_runs(const struct tb_books *books,
			const struct tb_request *request,
			const struct tb_topology *topology,
			const struct tb_bitset *threads,
			const struct tb_bitset *masked);

/* What MaxCPUsPerNode leaves of a node on which the partition's jobs have some. */
uint32_t tb_booked_left(uint32_t most, uint32_t used);

/*
 * Of slots on a node that have so many CPUs, the largest of them most: how many the
 * job can be offered, and in *within how many there would be without the partition's
 * limit.
 */
uint32_t tb_booked_slots(const struct tb_booking *booking, uint32_t slots,
			 uint32_t cpus, uint32_t most, uint32_t *within);

#endif

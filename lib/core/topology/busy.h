/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy.h - how busy the units are that a job has
 *
 * For people who look at a job (topobind job --usage) and for its record: who asked for
 * more than he uses learns it from this.
 */
#ifndef TB_CORE_TOPOLOGY_BUSY_H
#define TB_CORE_TOPOLOGY_BUSY_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "unit.h"

struct tb_busy_unit {
	struct tb_bitset *threads; /* that the job has of it */
	double busy;		   /* of these: 0 never, 1 always */
};

struct tb_busy {
	struct tb_busy_unit *units; /* in the order of their first threads */
	unsigned nunits;
	unsigned idle; /* units that are (tb_is_idle()) */
	double mean;   /* of all these threads */
};

/* As good as never busy: what the kernel does on any CPU is less. */
#define TB_IDLE_BELOW 0.05
bool tb_is_idle(double busy);

/*
 * busy has how busy each thread was, for those that the job has.  Threads outside of
 * all units count nowhere.  The caller clears.  -1 when out of memory.
 */
int tb_busy_measure(const struct tb_topology *topology, struct tb_unit unit,
		    const struct tb_bitset *threads, const double *busy,
		    struct tb_busy *measured);
void tb_busy_clear(struct tb_busy *measured);

#endif

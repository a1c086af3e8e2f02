/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * isolate.h - who keeps off the CPUs of isolated jobs
 *
 * A set of CPUs on which something outside of jobs may run, such as an interrupt:
 * what was there before, without the CPUs that isolated jobs have.  Nothing remembers
 * a state before: it is remembered which CPUs were taken out, so that several jobs, and
 * administrators who change a set meanwhile, do not undo what the other did.
 *
 * All sets have the same number of bits, one for each OS CPU.
 */
#ifndef TB_CORE_ISOLATE_ISOLATE_H
#define TB_CORE_ISOLATE_ISOLATE_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

/* What was taken out of a set. */
struct tb_isolate_taken {
	struct tb_bitset *cpus;
	/* The set would have been empty: it has other CPUs until some come back. */
	bool moved;
};

/*
 * Change a set, now as it is, into what it is to be while jobs have the isolated CPUs:
 * those go, those that were taken and are isolated no more come back.  Where nothing
 * would be left it becomes all CPUs (online) that are not isolated; none of these: it
 * stays.  taken becomes what is taken then.  False: out of memory, nothing has changed.
 */
bool tb_isolate_apply(struct tb_bitset *now, struct tb_isolate_taken *taken,
		      const struct tb_bitset *isolated,
		      const struct tb_bitset *online);

/*
 * -1 with a sentence when some CPUs cannot be isolated beside those that are already:
 * one must be left for the system.
 */
int tb_isolate_check(const struct tb_bitset *wanted,
		     const struct tb_bitset *isolated,
		     const struct tb_bitset *online, struct tb_error *err);

#endif

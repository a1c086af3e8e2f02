/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft.h - soft binding: when a task may leave its preferred CPUs, and for which
 *
 * doc/design.md, "Soft binding", after openEuler's.  A task has preferred CPUs,
 * the units that it was granted, and may spread to allowed CPUs while the preferred
 * ones are busy.  Here is only the choice, made from samples of utilisation; other
 * code measures them and sets the CPUs.
 *
 * SoftUtilLowPct, from 0 to 100, is the threshold: below it a task has the
 * preferred CPUs, from it on the allowed ones.  With 0 a task spreads unless the
 * preferred CPUs are idle, with 100 only when they are full.
 *
 * Smoothing: a task spreads after several busy samples in a row and returns after
 * a larger number of quiet ones.  That number doubles each time that the task
 * spreads again soon after it has returned.
 */
#ifndef TB_CORE_SOFT_SOFT_H
#define TB_CORE_SOFT_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/bitset.h"
#include "core/topology/topology.h"

#define TB_SOFT_LOW_PCT 85 /* the default threshold */
#define TB_SOFT_RISE 2	   /* busy samples in a row before spreading */
#define TB_SOFT_FALL 4	   /* quiet samples in a row before returning */
#define TB_SOFT_FALL_MAX \
	64 /* at most, for a task that spreads again and again */

/* Whose load on the preferred CPUs counts: the task's own, or everybody's. */
enum tb_soft_count { TB_SOFT_COUNT_JOB, TB_SOFT_COUNT_ALL };

/* "job" or "all", in any case, and back; false: another word. */
bool tb_soft_count_read(const char *word, enum tb_soft_count *count);
const char *tb_soft_count_name(enum tb_soft_count count);

enum tb_soft_choice { TB_SOFT_PREFERRED, TB_SOFT_ALLOWED };

/* What happened since the sample before. */
struct tb_soft_sample {
	uint64_t busy_us; /* CPU time that was used */
	uint64_t room_us; /* that the preferred CPUs had together; 0: unknown */
	bool paused;	  /* the tasks were stopped: ignore this sample */
};

/* How often each was chosen, and how often smoothing stopped a spread. */
struct tb_soft_counts {
	uint64_t preferred, allowed, smoothed;
};

/* The state of one task, all zero when it starts. */
struct tb_soft {
	enum tb_soft_choice choice;
	unsigned above, below; /* busy or quiet samples in a row */
	unsigned patience;     /* quiet ones needed now; 0: TB_SOFT_FALL */
	unsigned since;	       /* samples since the last return */
	bool returned;	       /* was there one? */
	struct tb_soft_counts counts;
};

/* The choice until the next sample; after a paused sample it does not change. */
enum tb_soft_choice tb_soft_decide(struct tb_soft *soft, unsigned low_pct,
				   const struct tb_soft_sample *sample);

/* Back to the preferred CPUs at once, as when soft binding is switched off. */
void tb_soft_retreat(struct tb_soft *soft);

/*
 * The threads to which a task may spread: the preferred ones, and all threads of
 * the objects of a letter (S, N or X) that have a preferred thread.  On a node
 * without N or X objects these letters mean S; with 0, or without S objects, a
 * task may spread to all threads.  All sets have as many bits as the topology has
 * threads.
 */
void tb_soft_scope(const struct tb_topology *topology, char letter,
		   const struct tb_bitset *preferred, struct tb_bitset *scope);

/*
 * The allowed ones: the scope without what others have in use, and the preferred
 * ones.  The sets are of threads or of OS CPUs, all of the same size.
 */
void tb_soft_allowed(const struct tb_bitset *scope,
		     const struct tb_bitset *preferred,
		     const struct tb_bitset *used, struct tb_bitset *allowed);

/*
 * What a task prefers of which somebody said so (said; NULL: nobody did): of that
 * what is allowed now, or if nothing is, what it was granted.
 */
void tb_soft_preferred(const struct tb_bitset *said,
		       const struct tb_bitset *granted,
		       const struct tb_bitset *allowed,
		       struct tb_bitset *preferred);

#endif

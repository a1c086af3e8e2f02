/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft.h - soft binding: when a task may leave its preferred CPUs, and for which
 *
 * DESIGN.md, section 7, after openEuler's soft binding.  A task has preferred
 * CPUs, the units that it was granted, and may spread to allowed ones while the
 * preferred are busy.  Pure: samples of utilisation in, a choice out; whoever
 * measures them and sets CPUs is elsewhere.
 *
 * SoftUtilLowPct, from 0 to 100, is the threshold: below it the preferred CPUs
 * are chosen, from it on the allowed ones.  0 is no threshold: only idle
 * preferred CPUs are preferred.  100: the preferred CPUs must be full.
 *
 * Smoothing: to spread takes several busy samples in a row, to return more quiet
 * ones, and twice as many each time that a task has spread again soon after it
 * had returned.
 */
#ifndef TB_CORE_SOFT_H
#define TB_CORE_SOFT_H

#include <stdbool.h>
#include <stdint.h>

#include "bitset.h"
#include "topology.h"

#define TB_SOFT_LOW_PCT 85  /* the default threshold */
#define TB_SOFT_RISE 2	    /* busy samples in a row before spreading */
#define TB_SOFT_FALL 4	    /* quiet samples in a row before returning */
#define TB_SOFT_FALL_MAX 64 /* so many at most, for one that flaps */

enum tb_soft_choice { TB_SOFT_PREFERRED, TB_SOFT_ALLOWED };

/* What happened since the sample before. */
struct tb_soft_sample {
	uint64_t busy_us; /* CPU time that was used */
	uint64_t room_us; /* that the preferred CPUs had together; 0: unknown */
	bool paused;	  /* the tasks were stopped: it says nothing */
};

/* How often each was chosen, and how often smoothing kept a task back. */
struct tb_soft_counts {
	uint64_t preferred, allowed, smoothed;
};

/* The state of one task; all zero is right at its start. */
struct tb_soft {
	enum tb_soft_choice choice;
	unsigned above, below; /* busy or quiet samples in a row */
	unsigned patience;     /* quiet ones needed now; 0: TB_SOFT_FALL */
	unsigned since;	       /* samples since the last return */
	bool returned;	       /* was there one? */
	struct tb_soft_counts counts;
};

/* The choice until the next sample; with a paused one it stays. */
enum tb_soft_choice tb_soft_decide(struct tb_soft *soft, unsigned low_pct,
				   const struct tb_soft_sample *sample);

/* Back to the preferred CPUs at once, as when soft binding is switched off. */
void tb_soft_retreat(struct tb_soft *soft);

/*
 * The threads to which a task may spread: those of all objects of a letter (S,
 * N or X) that have preferred threads, with the preferred ones.  0, or a letter
 * that there is no object of: all; but N and X then mean S.  All sets have as
 * many bits as the topology has threads.
 */
void tb_soft_scope(const struct tb_topology *topology, char letter,
		   const struct tb_bitset *preferred, struct tb_bitset *scope);

/*
 * Of these the allowed ones, without what others hold; the preferred stay.  The
 * sets are of threads or of OS CPUs, of the same size.
 */
void tb_soft_allowed(const struct tb_bitset *scope,
		     const struct tb_bitset *preferred,
		     const struct tb_bitset *held, struct tb_bitset *allowed);

#endif

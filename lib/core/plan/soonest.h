/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soonest.h - when a job starts that waits for some running jobs
 *
 * It starts when so many of them have ended, in the order of their ends, and what it
 * needs besides is there; of that nobody knows more than one can ask: when would it
 * start if the first so many did not matter, and the others never ended?  The more do
 * not matter, the sooner.  A start that is told counts when as many have ended by then.
 *
 * What is told without some of them is no sooner than the true start, if they have
 * ended by then, and no later, if not: so each answer says which number to ask about
 * next, and mostly the second or third is its own.
 */
#ifndef TB_CORE_PLAN_SOONEST_H
#define TB_CORE_PLAN_SOONEST_H

#include <stdint.h>

/* The start when the first so many do not matter; 0: never. */
typedef int64_t (*tb_start_without)(void *arg, uint32_t ended);

struct tb_soonest {
	uint32_t ended; /* so many of them have */
	int64_t start;	/* 0: never */
};

/*
 * ends: of the jobs, sorted.  With fewer than least of them it does not start.  guess:
 * asked first.  After so many questions the soonest start that is known to count.
 */
struct tb_soonest tb_soonest_find(const int64_t *ends, uint32_t count,
				  uint32_t least, uint32_t guess,
				  uint32_t questions, tb_start_without ask,
				  void *arg);

#endif

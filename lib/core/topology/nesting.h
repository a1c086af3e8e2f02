/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nesting.h - which container letters lie inside which
 *
 * Private to lib/core.  In the compact form adjacent letters say it, in a tree the
 * branches do.  Both need one order of the letters, outermost first.
 */
#ifndef TB_CORE_TOPOLOGY_NESTING_H
#define TB_CORE_TOPOLOGY_NESTING_H

#include <stdbool.h>
#include <stdint.h>

/* The containers, in the order in which equal cpusets nest. */
enum tb_outer { TB_N, TB_S, TB_X, TB_Y, TB_OUTERS };

struct tb_nesting {
	uint8_t above[TB_OUTERS]; /* bit set of what a letter lies in */
};

/*
 * Note that inner lies in outer, and in everything that outer lies in.  False, and
 * nothing changes, when outer is already known to lie in inner.
 */
bool tb_nesting_add(struct tb_nesting *nesting, enum tb_outer outer,
		    enum tb_outer inner);

/*
 * All four letters, outermost first.  Letters without a relation come in the order
 * N S X Y, so that the same relations always give the same order.
 */
void tb_nesting_order(const struct tb_nesting *nesting,
		      enum tb_outer order[TB_OUTERS]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * starts.h - a line for each node of each job of a replay: when it started, on which cores
 */
#ifndef TB_TOOLS_WHATIF_STARTS_H
#define TB_TOOLS_WHATIF_STARTS_H

#include <stdio.h>

#include "report/known_topologies.h"
#include "whatif.h"

/* Borrowed. */
struct tb_starts {
	FILE *out;
	const struct tb_history *history;
	const struct tb_named_topologies *nodes;
	const char *under; /* the configuration */
};

void tb_starts_print_head(FILE *out);
/* The job begins now. */
void tb_starts_print(const struct tb_starts *starts, unsigned job,
		     unsigned node, const struct tb_bitset *threads,
		     int64_t now);

#endif

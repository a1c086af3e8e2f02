/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distances.h - NUMA distances as text: "10,21;21,10"
 *
 * A row for each N object in string order, rows separated by ';', decimal
 * numbers in them by ','; the smaller the nearer.  topobind.conf (Distances=)
 * and a node's Extra field (m_distances=) have this form (DESIGN.md, sections 2
 * and 9).
 */
#ifndef TB_CORE_DISTANCES_H
#define TB_CORE_DISTANCES_H

#include <stdbool.h>

#include "error.h"

#define TB_DISTANCE_MAX 65535
/*
 * No longer text is made: 64 NUMA nodes with numbers of three digits.  Every
 * command that looks at nodes receives it for each of them.
 */
#define TB_DISTANCES_TEXT_MAX 16384

/*
 * Read the matrix of count NUMA nodes: count x count numbers, row by row, which
 * the caller frees.  NULL with a sentence when the text is anything else.
 */
unsigned *tb_distances_parse(const char *text, unsigned count,
			     struct tb_error *err);

/*
 * The text of such a matrix, which the caller frees.  NULL with a sentence
 * when it would be too long or a number is too large.
 */
char *tb_distances_print(const unsigned *distances, unsigned count,
			 struct tb_error *err);

/* Is a NUMA node nearer to some others than to the rest, or not the same? */
bool tb_distances_differ(const unsigned *distances, unsigned count);

#endif

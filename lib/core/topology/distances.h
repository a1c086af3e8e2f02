/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * distances.h - NUMA distances as text: "10,21;21,10"
 *
 * There is a row for each N object in string order.  ';' separates rows, ','
 * separates the decimal numbers in them; the smaller the nearer.  topobind.conf
 * (Distances=) and a node's Extra field (m_distances=) have this form
 * (doc/design.md, "Topology strings" and "Configuration").
 */
#ifndef TB_CORE_TOPOLOGY_DISTANCES_H
#define TB_CORE_TOPOLOGY_DISTANCES_H

#include <stdbool.h>

#include "core/base/error.h"

#define TB_DISTANCE_MAX 65535
/*
 * Longest text that is made, in bytes: enough for 64 NUMA nodes with numbers of
 * three digits.  Every command that shows nodes receives a text for each node.
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

/* Do the distances between different NUMA nodes differ? */
bool tb_distances_differ(const unsigned *distances, unsigned count);

#endif

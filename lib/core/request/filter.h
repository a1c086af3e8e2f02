/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter.h - which threads are masked, so that no task runs on them
 *
 * "first_core", a topology string with the masked units in lower case, or
 * "first_core+STRING" (doc/design.md, "Requests").  What it means for a placement
 * that threads are masked says place.h.
 */
#ifndef TB_CORE_REQUEST_FILTER_H
#define TB_CORE_REQUEST_FILTER_H

#include "core/topology/topology.h"

struct tb_filter;

struct tb_filter *tb_filter_parse(const char *text, struct tb_error *err);
void tb_filter_destroy(struct tb_filter *filter); /* NULL is fine */
char *tb_filter_print(const struct tb_filter *filter);

/* False when the filter's string has another shape than the topology. */
bool tb_filter_matches(const struct tb_filter *filter,
		       const struct tb_topology *topology);

/* Add its threads to masked.  The filter must match the topology. */
void tb_filter_add(const struct tb_filter *filter,
		   const struct tb_topology *topology,
		   struct tb_bitset *masked);

#endif

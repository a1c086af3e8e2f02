/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listed.h - the threads that a list of CPUs names on a node
 *
 * The list has logical threads, which are the same on each node, or OS CPU
 * numbers, which depend on how the node's OS numbers them (doc/design.md,
 * "Requests").  Whoever asks what a list means asks here.
 */
#ifndef TB_CORE_PLACE_LISTED_H
#define TB_CORE_PLACE_LISTED_H

#include "core/request/request.h"
#include "core/topology/topology.h"

enum tb_listed {
	TB_LISTED_ALL,	   /* the node has all of them */
	TB_LISTED_SOME,	   /* it has fewer CPUs, or does not number so far */
	TB_LISTED_UNKNOWN, /* OS numbers, and it is not known how it numbers */
};

/*
 * The threads of a node that a request's list names, of those that it has.  What
 * threads had before is cleared; it has a bit for each thread of the topology.
 * The request has a list.  Does not allocate.
 */
enum tb_listed tb_listed_threads(const struct tb_request *request,
				 const struct tb_topology *topology,
				 struct tb_bitset *threads);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * masked.h - units with masked threads (place.h)
 */
#ifndef TB_CORE_PLACE_MASKED_H
#define TB_CORE_PLACE_MASKED_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/request/request.h"
#include "core/topology/topology.h"
#include "place.h"

/* The threads of all units of the request that have masked ones, by either mask. */
void tb_masked_units(const struct tb_topology *topology,
		     const struct tb_request *request,
		     struct tb_bitset *threads);

/*
 * Was a grant for this request made while the site masked these threads?  Else it has
 * a unit of which all threads are masked: the job started before, and runs there until
 * it ends.  Who has the whole node (--exclusive) has these in any case, and it cannot be
 * told: true.  by_thread: jobs have single threads, else whole cores.
 */
bool tb_grant_has_mask(const struct tb_topology *topology,
		       const struct tb_request *request,
		       const struct tb_bitset *granted,
		       const struct tb_bitset *masked, bool by_thread);

#endif

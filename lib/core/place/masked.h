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

/*
 * Has each of the placed slots so many threads that are not masked?  Else units with
 * masked ones are too small: those of the request become used, and the caller places
 * again.  group is changed.
 */
bool tb_masked_hold_tasks(const struct tb_placer *placer,
			  const struct tb_request *request,
			  unsigned task_threads, struct tb_bitset *group,
			  struct tb_bitset *used);

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

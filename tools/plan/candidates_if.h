/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidates_if.h - would a job fit if something were otherwise?
 *
 * For the sentence that says what it waits for: devices, memory, nodes that are out of
 * service, or whatever others have.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATES_IF_H
#define TB_TOOLS_PLAN_CANDIDATES_IF_H

#include "candidates.h"

/* Would they fit if there were devices for them? */
bool tb_candidates_have_units(const struct tb_candidates *candidates);
/* Do they fit on nodes that are not short of memory? */
bool tb_candidates_have_memory(const struct tb_candidates *candidates);

/*
 * Could they ever, were the nodes back that are out of service?  False where there
 * are none.
 */
bool tb_candidates_wait_for_nodes(const struct tb_candidates *candidates);
/* Could they ever, did nobody else have anything there?  True where nobody knows. */
bool tb_candidates_could_ever_fit(const struct tb_candidates *candidates);

#endif

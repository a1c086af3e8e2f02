/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidate_holds.h - which jobs hold which threads, devices and memory of nodes
 *
 * By what Slurm tells of jobs and, of what it does not show to this user, by what is in
 * use on nodes.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATE_HOLDS_H
#define TB_TOOLS_PLAN_CANDIDATE_HOLDS_H

#include "candidates.h"

/*
 * Set the holders with their ends, what each node has of them, and the parts of GPUs that
 * others have, too.  The nodes are found, and have no holds yet.  -1 with a sentence.
 */
int tb_candidate_holds_find(struct tb_candidates *candidates,
			    struct tb_error *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpu_claim.h - take CPUs for a step from soft-bound tasks that have spread there
 *
 * Before any task of the step runs.  When it returns they have left, and none
 * comes back as long as the claim is kept (common/soft/soft_registry.h).
 *
 * No Slurm in here.
 */
#ifndef TB_TASK_TOPOBIND_SOFT_CPU_CLAIM_H
#define TB_TASK_TOPOBIND_SOFT_CPU_CLAIM_H

#include "common/soft/soft_registry.h"

/*
 * Set *claim, which tb_registry_claim_release() gives back; NULL when the step
 * keeps nothing for itself.  -1 with a sentence, also when some soft-bound task
 * could not be moved.
 */
int tb_cpu_claim_take(struct tb_registry *registry,
		      const struct tb_registry_claim_input *input,
		      struct tb_registry_claim **claim, struct tb_error *err);

/*
 * Remove what killed slurmstepds left, and put back soft-bound tasks that lost
 * theirs.  False: something is left, as its processes are still there.
 */
bool tb_cpu_claim_sweep(struct tb_registry *registry);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_names.h - Slurm's words for states
 *
 * libslurm exports them, and its public headers do not declare them.
 */
#ifndef TB_TOOLS_CLUSTER_SLURM_NAMES_H
#define TB_TOOLS_CLUSTER_SLURM_NAMES_H

#include <stdint.h>

/* "MIXED", "DRAINED*"; "RUNNING".  Static text. */
extern char *slurm_node_state_string(uint32_t state);
extern char *slurm_job_state_string(uint32_t state);

#endif

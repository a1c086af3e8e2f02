/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_names.h - Slurm's words for states, and its readers of times
 *
 * libslurm exports them, and its public headers do not declare them.
 */
#ifndef TB_TOOLS_CLUSTER_SLURM_NAMES_H
#define TB_TOOLS_CLUSTER_SLURM_NAMES_H

#include <stdint.h>
#include <time.h>

/* "MIXED", "DRAINED*"; "RUNNING".  Static text. */
extern char *slurm_node_state_string(uint32_t state);
extern char *slurm_job_state_string(uint32_t state);

/* "now+1hour", "2026-11-28T12:00"; past: of a time of day the last one.  0: wrong. */
extern time_t slurm_parse_time(const char *text, int past);
/* "1-12:00:00" in minutes; negative: wrong, or INFINITE. */
extern int slurm_time_str2mins(const char *text);

#endif

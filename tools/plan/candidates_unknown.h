/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * candidates_unknown.h - what only slurmctld knows of the devices of a job's nodes
 *
 * Slurm tells how many devices there are and which are in use; not which of them
 * reservations keep, nor always which are near which units, nor how many of them each
 * node gets.
 */
#ifndef TB_TOOLS_PLAN_CANDIDATES_UNKNOWN_H
#define TB_TOOLS_PLAN_CANDIDATES_UNKNOWN_H

#include "candidates.h"

/*
 * Why only slurmctld knows whether there are devices, too, for a job that fits: "whether
 * they are near free GRES".  NULL: it is known.
 */
const char *tb_candidates_unknown(const struct tb_candidates *candidates);
/*
 * Why it is not known which units the controller gives: it first says how many devices
 * each node has, for example.  NULL: it is.
 */
const char *tb_candidates_units_unknown(const struct tb_candidates *candidates);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refused.h - why slurmctld refused a job that no node can hold
 *
 * Slurm's clients print no more than "Requested node configuration is not
 * available", and give plugins no word of it: what is left is errno as the client
 * ends.  Only then the nodes are asked for.
 */
#ifndef TB_SPANK_REFUSED_H
#define TB_SPANK_REFUSED_H

#include "core/base/error.h"

/*
 * A job with this request, a canonical line, is about to be submitted.  Of a
 * heterogeneous job, where nobody says which part was refused, nothing is told.
 */
void tb_refused_remember(const char *line);

/*
 * Slurm does not ask whether a job that begins held (--hold) can run ever.  -1 with a
 * sentence when no node that it may use has its units, or the features that it prefers, or
 * it asks for memory of GPUs and for no GPUs.  Nodes of other clusters (--clusters) are not
 * looked at.
 */
int tb_refused_check_held(const char *line, struct tb_error *err);

#endif

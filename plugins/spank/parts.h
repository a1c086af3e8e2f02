/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h - the requests of a heterogeneous job's parts, in the environment
 *
 * A step may be in several parts.  A script is told by the controller what each was
 * started with, the shell of salloc by salloc itself what was asked for.
 */
#ifndef TB_SPANK_PARTS_H
#define TB_SPANK_PARTS_H

#include <stdint.h>

/* Those of a job in which this sbatch or salloc was called; before any is noted. */
void tb_parts_forget(void);

/* sbatch, salloc: the request of one part more, in their order; NULL: it has none. */
void tb_parts_note(const char *request);

/*
 * The request of this part of the job that the environment is of, empty for none; it
 * points into the environment.  NULL: nothing is said.
 */
const char *tb_parts_find(uint32_t part);

#endif

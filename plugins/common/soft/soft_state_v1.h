/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_state_v1.h - the state of a soft-bound step, as topobind wrote it until 0.1
 *
 * A step that began before topobind was replaced goes on with its old slurmstepd, and
 * leaves its CPUs to new steps like any other.  It counted for the whole step only.
 */
#ifndef TB_COMMON_SOFT_SOFT_STATE_V1_H
#define TB_COMMON_SOFT_SOFT_STATE_V1_H

#include "soft_state.h"

/*
 * What such a file says, as a state without tasks; the caller frees.  NULL: it is no
 * such file, or no memory.
 */
struct tb_soft_state *tb_soft_state_of_v1(const void *file, size_t size);

#endif

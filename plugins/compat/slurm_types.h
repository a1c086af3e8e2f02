/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_types.h - types of Slurm's that have other names in other versions
 *
 * The code uses the newer names.  For the command and the plugins alike:
 * Slurm's public header is all that is needed.
 */
#ifndef TB_COMPAT_SLURM_TYPES_H
#define TB_COMPAT_SLURM_TYPES_H

#include "slurm/slurm.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef hostlist_t tb_hostlist_t; /* a pointer there */
typedef struct job_details job_details_t;
#else
typedef hostlist_t *tb_hostlist_t;
#endif

#endif

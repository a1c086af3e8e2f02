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
#include "slurm/slurm_errno.h"

/* Errors of the connection are from here to ESLURM_AUTH_SKIP. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define TB_FIRST_PROTOCOL_ERROR SLURM_PROTOCOL_SOCKET_IMPL_ZERO_RECV_LENGTH
#else
#define TB_FIRST_PROTOCOL_ERROR ESLURM_PROTOCOL_INCOMPLETE_PACKET
#endif

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef hostlist_t tb_hostlist_t; /* a pointer there */
typedef struct job_details job_details_t;
#else
typedef hostlist_t *tb_hostlist_t;
#endif

#endif

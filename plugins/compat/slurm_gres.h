/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_gres.h - Slurm's own gres.h, wherever the release has it
 */
#ifndef TB_COMPAT_SLURM_GRES_H
#define TB_COMPAT_SLURM_GRES_H

#include "slurm_compat.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#include "src/common/gres.h"
#else
#include "src/interfaces/gres.h"
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch_words.h - how sbatch takes words out of #SBATCH lines
 */
#ifndef TB_COMPAT_SBATCH_WORDS_H
#define TB_COMPAT_SBATCH_WORDS_H

#include "slurm/slurm.h"

/* Does a blank behind a backslash belong to the word?  For 22.05 the word ends. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define TB_SBATCH_KEEPS_BLANKS 0
#else
#define TB_SBATCH_KEEPS_BLANKS 1
#endif

#endif

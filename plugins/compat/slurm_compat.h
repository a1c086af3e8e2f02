/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_compat.h - what differs between the Slurm versions in shared helpers
 *
 * Only files of this directory ask for SLURM_VERSION_NUMBER.
 */
#ifndef TB_COMPAT_SLURM_H
#define TB_COMPAT_SLURM_H

/* First: programs that link the public libslurm have prefixed names only. */
#include "src/common/slurm_xlator.h"

#include "slurm_types.h"
#include "src/common/parse_config.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 5, 0) || \
	SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 6, 0)
#error "topobind knows Slurm 22.05 to 26.05"
#endif

#ifndef CONF_FLAG_OR
#define CONF_FLAG_OR CTL_CONF_OR /* SlurmdParameters=config_overrides */
#endif

/*
 * Does select/cons_tres leave cores out that are too few for one more task of several
 * CPUs?  As measured by test/integration/whatif.sh.
 */
#define TB_CORES_OF_WHOLE_TASKS \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0))

/* Does it give a job of one task the first node that has room?  As measured there, too. */
#define TB_FIRST_NODE_FOR_ONE_TASK \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(26, 5, 0))

/*
 * Does sched/backfill ask for a start between two times, and round ends up?  As measured by
 * test/differential/whatif_backfill.
 */
#define TB_BACKFILL_ASKS_FOR_A_SPAN \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0))

/* Read a file with Slurm's parser.  0 or -1 (logged by Slurm). */
static inline int tb_parse_file(s_p_hashtbl_t *table, const char *path,
				bool ignore_unknown_keys)
{
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0) && \
	SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
	return s_p_parse_file(table, NULL, (char *)path, ignore_unknown_keys,
			      NULL, false) == SLURM_ERROR
		       ? -1
		       : 0;
#else
	return s_p_parse_file(table, NULL, (char *)path, ignore_unknown_keys,
			      NULL) == SLURM_ERROR
		       ? -1
		       : 0;
#endif
}

/* Read a file with Slurm's parser, strictly.  0 or -1 (logged by Slurm). */
static inline int tb_parse_conf_file(s_p_hashtbl_t *table, const char *path)
{
	return tb_parse_file(table, path, false);
}

#endif

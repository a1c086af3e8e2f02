/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch_options.h - the options of sbatch that do not change a plan
 *
 * Those of all supported releases of Slurm; test/integration/script.sh compares them
 * with those that the installed one has.  Those that do are in plan_options.c.
 */
#ifndef TB_TOOLS_PLAN_SBATCH_OPTIONS_H
#define TB_TOOLS_PLAN_SBATCH_OPTIONS_H

#include "command.h"

enum {
	/* Of no account for where and when a job starts. */
	TB_SBATCH_IGNORED = TB_OPTION_OWN + 0x200,
	/* From here on, a number each: of some account, which no plan tells. */
	TB_SBATCH_UNPLANNED = TB_OPTION_OWN + 0x300,
};
/* How many of the latter there may be: a bit of an uint32_t each. */
#define TB_SBATCH_UNPLANNED_MAX 32

extern const struct tb_command_option tb_sbatch_options[];

/* The name of one of them; number is TB_SBATCH_UNPLANNED + n. */
const char *tb_sbatch_unplanned(unsigned n);

#endif

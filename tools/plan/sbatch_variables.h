/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sbatch_variables.h - the variables of the environment that sbatch reads as options
 *
 * SBATCH_PARTITION is --partition, and so on.  They count less than options on the
 * command line and more than those in a script.
 */
#ifndef TB_TOOLS_PLAN_SBATCH_VARIABLES_H
#define TB_TOOLS_PLAN_SBATCH_VARIABLES_H

#include "command.h"

/*
 * Have each that is set, and is of account for a plan, taken by line.  reset is asked
 * for flags that a variable takes back, by their names.  -1 with a sentence that names
 * the variable.
 */
int tb_sbatch_variables_read(const struct tb_command_line *line,
			     void (*reset)(void *data, const char *option),
			     void *data, struct tb_error *err);

#endif

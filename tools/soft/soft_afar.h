/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * soft_afar.h - topobind soft status JOB, by the job's user, from anywhere
 *
 * The registry of a node is for root.  The user's command starts a step of the job on
 * each of its nodes (srun --overlap), which Slurm allows its user alone, and this
 * command there prints what the user may see (common/soft/soft_view.h).
 */
#ifndef TB_TOOLS_SOFT_SOFT_AFAR_H
#define TB_TOOLS_SOFT_SOFT_AFAR_H

#include <jansson.h>

#include "soft_target.h"

/* Is this command in such a step? */
bool tb_soft_is_inside(void);
/* There: print it, as lines.  An exit code. */
int tb_soft_inside_print(const char *command, const struct tb_soft_job *target);

/*
 * The steps of the job as "topobind soft --json --tasks" has them, each with its node;
 * a new array.  NULL: an error was printed.
 */
json_t *tb_soft_afar_steps(const char *command,
			   const struct tb_soft_job *target);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grants.h - the grant of a job as text of bounded length
 */
#ifndef TB_SELECT_GRANTS_H
#define TB_SELECT_GRANTS_H

#include <stddef.h>

#include "compat/select_compat.h"

/*
 * " grant=NODES:STRING" for each distinct grant, in the order of the nodes:
 * NODES is a Slurm hostlist, STRING their topology with the job's units in
 * lower case.  Where these need more than room characters, the positions of
 * the granted threads in the string stand for it, as in " grant=n[1-4]:0-5,8".
 * Grants for which there is no room even so are left out, and " more=N" at the
 * end says on how many nodes they are.
 *
 * xmalloc()ed; NULL when nothing is granted.  Time and memory grow with the
 * number of nodes and of their cores, no faster.
 */
char *tb_grants_print(const job_resources_t *granted, size_t room);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grant_text.h - the grant of a job as text of bounded length
 */
#ifndef TB_SELECT_TOPOBIND_SHOW_GRANT_TEXT_H
#define TB_SELECT_TOPOBIND_SHOW_GRANT_TEXT_H

#include <stddef.h>

#include "compat/select_compat.h"

/*
 * " grant=NODES:STRING" for each distinct grant, in the order of the nodes:
 * NODES is a Slurm hostlist, STRING their topology with the job's units in
 * lower case.  Where these need more than room characters, the positions of
 * the granted threads in the string stand for it, as in " grant=n[1-4]:0-5,8".
 * If even that does not fit, some grants are left out, and " more=N" at the end
 * says on how many nodes they are.
 *
 * xmalloc()ed; NULL when nothing is granted.  Time and memory grow with the
 * number of nodes and of their cores, no faster.
 */
char *tb_grant_text_print(const job_resources_t *granted, size_t room);

#endif

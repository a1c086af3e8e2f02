/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops.h - the operations of the loaded select/cons_tres
 *
 * Private to this directory.  Slurm 22.05 has the table's type in a header;
 * later versions keep it to themselves, so they will declare it here.
 */
#ifndef TB_COMPAT_SELECT_OPS_H
#define TB_COMPAT_SELECT_OPS_H

#include "src/common/select.h"

extern slurm_select_ops_t tb_ops;

/* Load select/cons_tres.  SLURM_SUCCESS or SLURM_ERROR; again is fine. */
int tb_ops_load(void);
void tb_ops_unload(void);

#endif

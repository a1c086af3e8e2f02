/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops.h - the operations of the loaded select/cons_tres
 *
 * Private to this directory.  Slurm 22.05 has the table's type in a header,
 * later versions keep it to themselves: select_ops_*.h.
 */
#ifndef TB_COMPAT_SELECT_OPS_H
#define TB_COMPAT_SELECT_OPS_H

#include "select_compat.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 2, 0)
#include "select_ops_2411.h"
#endif

#define EXPORT __attribute__((visibility("default")))

/* In both the same order: the operations, and the names of their symbols. */
extern slurm_select_ops_t tb_ops;
extern const char *tb_ops_symbols[];

/* Load select/cons_tres.  SLURM_SUCCESS or SLURM_ERROR; again is fine. */
int tb_ops_load(void);
void tb_ops_unload(void);

/*
 * What is Slurm's alone: passed on as it came.  FORWARD(returns, name,
 * operation, parameters, arguments) defines the required symbol of that name.
 */
#define FORWARD(type, name, op, parameters, arguments) \
	EXPORT extern type select_p_##name parameters; \
	extern type select_p_##name parameters \
	{ \
		return tb_ops.op arguments; \
	}

#endif

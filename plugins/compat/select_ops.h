/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select_ops.h - the operations of the loaded select/cons_tres
 *
 * Private to this directory.  Up to Slurm 23.11 the table's type is in a header,
 * later releases keep it to themselves.
 */
#ifndef TB_COMPAT_SELECT_OPS_H
#define TB_COMPAT_SELECT_OPS_H

#include "select_compat.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 5, 0)
#include "select_ops_2405.h"
#endif

#define EXPORT __attribute__((visibility("default")))

extern slurm_select_ops_t tb_ops;

/* Load select/cons_tres.  SLURM_SUCCESS or SLURM_ERROR; again is fine. */
int tb_ops_load(void);
void tb_ops_unload(void);

/*
 * slurmctld has control, since just now or still.  Where it does not ask plugins
 * to save and to restore their state this begins to do so in its place.
 */
void tb_state_begin(void);

/* What slurmctld is told; since 23.11 reservations ask as jobs do. */
int tb_answer(struct tb_test *test);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_ops.h - operations since Slurm 26.05; see ../select_ops.h */
#ifndef TB_COMPAT_FROM_2605_SELECT_OPS_H
#define TB_COMPAT_FROM_2605_SELECT_OPS_H

/* clang-format off */
#define SELECT_OPS_FROM_2605(OWN, PASS) \
	OWN(void, job_mem_reduce, (job_record_t *job))
/* clang-format on */

#endif

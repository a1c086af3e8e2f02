/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_ops.h - operations up to Slurm 23.02; see ../select_ops.h */
#ifndef TB_COMPAT_UP_TO_2302_SELECT_OPS_H
#define TB_COMPAT_UP_TO_2302_SELECT_OPS_H

/* clang-format off */
#define SELECT_OPS_UP_TO_2302(OWN, PASS) \
	OWN(bitstr_t *, resv_test, \
	    (resv_desc_msg_t *resv, uint32_t node_count, bitstr_t *nodes, \
	     bitstr_t **cores))
/* clang-format on */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_mask.h - the inside of struct tb_mask (select_compat.h)
 *
 * Private to this directory.  Slurm up to 23.02 takes one bitmap over the cores
 * of all nodes; later releases take a bitmap for each node, by its index, and
 * NULL where nothing is excluded.
 */
#ifndef TB_COMPAT_CORE_MASK_H
#define TB_COMPAT_CORE_MASK_H

#include "select_compat.h"

struct tb_mask {
	uint32_t count;
	bitstr_t **excluded; /* so many; a set bit: the core must not be used */
};

#endif

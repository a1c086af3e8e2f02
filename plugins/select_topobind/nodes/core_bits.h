/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * core_bits.h - copies the cores of one node from and to Slurm's bitmaps of the
 * cores of many nodes
 *
 * In these the cores of a node lie together, from a first bit on.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_CORE_BITS_H
#define TB_SELECT_TOPOBIND_NODES_CORE_BITS_H

#include <stdint.h>

#include "compat/select_compat.h"
#include "core/base/bitset.h"

/* Replaces the node's cores by those whose bits, from first on, are set. */
void tb_cores_from_bits(struct tb_bitset *cores, const bitstr_t *bits,
			uint32_t first);
/* Sets the bits of the node's cores; other bits stay as they are. */
void tb_cores_to_bits(const struct tb_bitset *cores, bitstr_t *bits,
		      uint32_t first);

#endif

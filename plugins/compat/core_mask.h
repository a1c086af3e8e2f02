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

#include "core/base/bitset.h"
#include "select_compat.h"

struct tb_mask {
	uint32_t count;
	bitstr_t **excluded; /* so many; a set bit: the core must not be used */
};

/* So many are looked at together: a word of Slurm's bitmaps. */
#define TB_BITS_AT_ONCE 64

/* Add those of count cores, from one on, whose bits from first on are set. */
static inline void tb_add_some_bits(struct tb_bitset *cores, uint32_t from,
				    uint32_t count, bitstr_t *bits,
				    uint32_t first)
{
	uint32_t set = bit_set_count_range(bits, first, first + count);

	if (set == count) {
		tb_bitset_set_range(cores, from, count);
		return;
	}
	for (uint32_t i = 0; set && i < count; i++)
		if (bit_test(bits, first + i))
			tb_bitset_set(cores, from + i);
}

/*
 * Add the cores whose bits, from first on, are set; mostly there are none, or many
 * together.  The bits can end sooner after nodes were added: Slurm ignores these, too.
 */
static inline void tb_add_bits(struct tb_bitset *cores, bitstr_t *bits,
			       uint32_t first)
{
	uint32_t size = bit_size(bits), from = 0;
	uint32_t end = first < size ? size - first : 0;

	if (end > cores->nbits)
		end = cores->nbits;
	for (; from < end; from += TB_BITS_AT_ONCE)
		tb_add_some_bits(cores, from,
				 end - from < TB_BITS_AT_ONCE ? end - from
							      : TB_BITS_AT_ONCE,
				 bits, first + from);
}

#endif

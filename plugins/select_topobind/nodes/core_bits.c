/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core_bits.h"

void tb_cores_from_bits(struct tb_bitset *cores, const bitstr_t *bits,
			uint32_t first)
{
	tb_bitset_clear_all(cores);
	for (uint32_t core = 0; core < cores->nbits; core++)
		if (bit_test((bitstr_t *)bits, first + core))
			tb_bitset_set(cores, core);
}

void tb_cores_to_bits(const struct tb_bitset *cores, bitstr_t *bits,
		      uint32_t first)
{
	TB_BITSET_EACH(core, cores)
		bit_set(bits, first + core);
}

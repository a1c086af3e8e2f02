/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nesting.h"

bool tb_nesting_add(struct tb_nesting *nesting, enum tb_outer outer,
		    enum tb_outer inner)
{
	uint8_t more = (uint8_t)(nesting->above[outer] | 1u << outer);

	if (more & 1u << inner)
		return false;
	nesting->above[inner] |= more;
	for (unsigned i = 0; i < TB_OUTERS; i++)
		if (nesting->above[i] & 1u << inner)
			nesting->above[i] |= more;
	return true;
}

void tb_nesting_order(const struct tb_nesting *nesting,
		      enum tb_outer order[TB_OUTERS])
{
	unsigned placed = 0; /* bit set */

	for (unsigned i = 0; i < TB_OUTERS; i++) {
		enum tb_outer next = TB_N;

		while (placed & 1u << next || nesting->above[next] & ~placed)
			next++;
		order[i] = next;
		placed |= 1u << next;
	}
}

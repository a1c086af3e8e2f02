/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "choose.h"

#include "core/request/alternatives.h"

unsigned tb_place_choose(struct tb_placer *placer,
			 const struct tb_request *request,
			 const struct tb_bitset *used, unsigned nslots,
			 tb_place_function *place)
{
	unsigned count = tb_request_plain_count(request), chosen = 0;
	int most = 0;

	for (unsigned i = 0; i < count; i++) {
		struct tb_request plain = tb_request_plain(request, i);
		int slots = place(placer, &plain, used, nslots);

		if (slots <= most)
			continue;
		most = slots;
		chosen = i;
		if ((unsigned)slots == nslots)
			break;
	}
	return chosen;
}

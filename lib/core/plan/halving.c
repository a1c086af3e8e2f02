/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "halving.h"

uint32_t tb_halve_least(tb_fits fits, void *arg, uint32_t first, uint32_t last,
			uint32_t questions)
{
	for (; first < last && questions; questions--) {
		uint32_t half = first + (last - first) / 2;

		if (fits(arg, half))
			last = half;
		else
			first = half + 1;
	}
	return last;
}

uint32_t tb_halve_most(tb_fits fits, void *arg, uint32_t first, uint32_t last)
{
	if (first >= last || fits(arg, last))
		return last > first ? last : first;
	while (last - first > 1) {
		uint32_t half = first + (last - first) / 2;

		if (fits(arg, half))
			first = half;
		else
			last = half;
	}
	return first;
}

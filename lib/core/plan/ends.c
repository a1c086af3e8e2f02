/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ends.h"

/* The first of 1 to last; 0: none. */
static uint32_t find_one_by_one(tb_fits fits, void *arg, uint32_t last)
{
	for (uint32_t number = 1; number <= last; number++)
		if (fits(arg, number))
			return number;
	return 0;
}

static uint32_t find_in_window(tb_fits fits, void *arg, uint32_t count)
{
	return find_one_by_one(fits, arg,
			       count < TB_ENDS_ONE_BY_ONE ? count
							  : TB_ENDS_ONE_BY_ONE);
}

bool tb_ends_find(const struct tb_request *request, tb_fits fits, void *arg,
		  uint32_t count, uint32_t *ended)
{
	bool window = request->start || request->stop;

	*ended = 0;
	/* The state as it is costs nothing. */
	if (fits(arg, 0))
		return true;
	if (window)
		*ended = find_in_window(fits, arg, count);
	if (*ended)
		return true;
	if ((window && count <= TB_ENDS_ONE_BY_ONE) || !count ||
	    !fits(arg, count))
		return false;
	*ended = tb_halve_least(fits, arg, window ? TB_ENDS_ONE_BY_ONE + 1 : 1,
				count, UINT32_MAX);
	return true;
}

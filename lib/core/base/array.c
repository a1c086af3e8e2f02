/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "array.h"

#include <stdlib.h>

void *tb_array_create(size_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

void *tb_array_make_room(void *items, size_t count, size_t size)
{
	if (count & (count - 1))
		return items;
	return realloc(items, size * (count ? 2 * count : 1));
}

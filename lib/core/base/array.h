/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - an array that grows
 */
#ifndef TB_CORE_BASE_ARRAY_H
#define TB_CORE_BASE_ARRAY_H

#include <stddef.h>

/*
 * Make room for one more item after count items of a size.  The array, NULL at
 * first, has room for a power of two: its room doubles when it is full.  Returns
 * the array, which may have moved; NULL when out of memory, then items is as it
 * was.
 */
void *tb_array_make_room(void *items, size_t count, size_t size);

#endif

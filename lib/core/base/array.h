/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * array.h - arrays of as many items as are needed, or that grow
 */
#ifndef TB_CORE_BASE_ARRAY_H
#define TB_CORE_BASE_ARRAY_H

#include <stddef.h>

/*
 * So many items of a size, all zero, and no more, so that sanitizers see a step too
 * far.  NULL means out of memory, also for no items.
 */
void *tb_array_create(size_t count, size_t size);

/*
 * Make room for one more item after count items of a size.  The array, NULL at
 * first, has room for a power of two: its room doubles when it is full.  Returns
 * the array, which may have moved; NULL when out of memory, then items is as it
 * was.
 */
void *tb_array_make_room(void *items, size_t count, size_t size);

#endif

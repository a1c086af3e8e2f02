/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * placed_slots.h - what was placed, as text
 */
#ifndef TB_TEST_PLACED_SLOTS_H
#define TB_TEST_PLACED_SLOTS_H

#include "core/place/place.h"

/* The threads of each slot as "0-1;2-3", "" for none; malloc()ed. */
char *print_slots(const struct tb_placer *placer);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.h - where units may lie
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_WINDOW_H
#define TB_CORE_PLACE_WINDOW_H

#include "placer.h"

/* Find placer->window: the units in it.  False when nothing starts it. */
bool tb_window_find(struct tb_placer *placer);

#endif

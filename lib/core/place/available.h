/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * available.h - which units can be taken
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_PLACE_AVAILABLE_H
#define TB_CORE_PLACE_AVAILABLE_H

#include "placer.h"

/*
 * Find placer->available: the units that are not busy and lie in the window.
 * False when nothing starts the window.
 */
bool tb_find_available(struct tb_placer *placer);

/* The same without the window, of all units. */
void tb_find_free(struct tb_placer *placer);

#endif

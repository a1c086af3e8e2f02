/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window_ever.h - can a window ever hold a unit of the node?
 *
 * A window (window.h) begins and ends at objects that are in use, or at objects that
 * are not, so what an idle node has in it says little: --bstart=c finds nothing
 * there, and --bstop=X nothing before the first L3 cache.  Here all that others can
 * have of a node is thought of.
 */
#ifndef TB_CORE_PLACE_WINDOW_EVER_H
#define TB_CORE_PLACE_WINDOW_EVER_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/request/request.h"
#include "place.h"

/*
 * Is there any use of a node with which one unit of the request is available?  taken:
 * threads that are never free.  by_thread: others have single threads, else whole
 * cores.  True without a window, for another shape of node, when out of memory, and
 * where it would take too long to say: where the window starts at one letter and
 * stops at another, both capital, or where a sort moves the start.
 */
bool tb_window_can_hold(struct tb_placer *placer,
			const struct tb_request *request,
			const struct tb_bitset *taken, bool by_thread);

/*
 * So many units of the request its window holds at most, whatever is in use;
 * UINT32_MAX: any number.  At most one where the window ends at something free of
 * which there is some in every unit: --bunit=X --bstop=C.  Says nothing of nodes with
 * cores of two kinds.
 */
uint32_t tb_window_most_units(const struct tb_topology *topology,
			      const struct tb_request *request);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h - units: their names in requests, and what they are on a node
 *
 * Private to lib/core.
 */
#ifndef TB_CORE_UNIT_H
#define TB_CORE_UNIT_H

#include "request.h"
#include "tree.h"

/* All names of --bunit, for messages. */
extern const char tb_unit_names[];

/* False, unit not touched, when there is no such unit. */
bool tb_unit_parse(const char *name, struct tb_unit *unit);

/*
 * Which objects a unit means on this node: N and X on a node without them
 * mean S, Y means the core (DESIGN.md, section 3).
 */
enum tb_class tb_class_of_unit(const struct tb_topology *topology,
			       struct tb_unit unit);

/*
 * Is there a thread of the kind in this object, and is none of them in used?
 * used may be NULL.
 */
bool tb_object_is_free(const struct tb_topology *topology, enum tb_class class,
		       uint32_t object, enum tb_core_kind kind,
		       const struct tb_bitset *used);

/* The object of the class that follows this one and is not inside it. */
uint32_t tb_object_after(const struct tb_topology *topology,
			 enum tb_class class, uint32_t object);

#endif

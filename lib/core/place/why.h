/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.h - which containers a slot's placement looked at, for people to read
 *
 * The place of a slot is the innermost container with all its units, or the node.
 */
#ifndef TB_CORE_PLACE_WHY_H
#define TB_CORE_PLACE_WHY_H

#include "place.h"

/* A container, or where the units are threads a core; counts are of units. */
struct tb_why_container {
	char letter;	 /* a capital; '\0': the whole node */
	unsigned number; /* among those of its letter, from 0, in string order */
	unsigned units;	 /* in use or not */
	unsigned free;	 /* before this slot */
	unsigned taken;	 /* by this slot */
	bool inside;	 /* the place, not the place itself or beside it */
};

struct tb_why {
	struct tb_why_container place;
	/*
	 * In string order: the containers further in than the place's level,
	 * and of its level, that have free units.
	 */
	struct tb_why_container *containers;
	unsigned ncontainers;
};

/*
 * Of a placer whose last call was tb_place() for one slot, and placed it.  -1 when
 * out of memory.  tb_why_clear() frees what *why has.
 */
int tb_why_placed(const struct tb_placer *placer, struct tb_why *why);
void tb_why_clear(struct tb_why *why);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lstopo.h - a machine as hwloc's XML that lstopo draws in our colours
 *
 * lstopo takes colours from the info attribute lstopoStyle of an object
 * ("Background=#rrggbb;Text=#rrggbb"), draws a Misc object as a box with its name,
 * and an object's subtype in place of its type (lstopo(1) of hwloc 2; seen with
 * 2.9).
 */
#ifndef TB_HWLOC_LSTOPO_H
#define TB_HWLOC_LSTOPO_H

#include "machine.h"

/* A box with words, in the smallest object around some threads. */
struct tb_lstopo_note {
	const char *text; /* of letters that are no markup: lstopo escapes none */
	const struct tb_bitset *threads;
	int rgb;
};

struct tb_lstopo {
	const char *xml; /* where it is from; NULL: this machine */
	const struct tb_machine *machine; /* loaded from there */
	const int *rgb;			  /* per thread; -1: as lstopo has it */
	const char *signs; /* per thread, in place of "PU"; 0: none */
	const struct tb_lstopo_note *notes;
	unsigned nnotes;
};

/* To stdout.  -1 with a sentence. */
int tb_lstopo_write(const struct tb_lstopo *picture, struct tb_error *err);

#endif

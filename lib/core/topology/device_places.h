/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_places.h - which cores of a node are near which devices, as text:
 * "gpu:a100:0-1@0-7;gpu:a100:2-3@8-15;nic:0"
 *
 * The GPUs and other GRES of a node, by Cores= of gres.conf.  A place has a name and
 * perhaps a type, the numbers of its devices as Slurm tells them (IDX), and behind an @
 * the cores near them, as Slurm counts cores; without it all are.  slurmctld shows this
 * text in a node's Extra field as m_devices= (doc/design.md, "Display").
 */
#ifndef TB_CORE_TOPOLOGY_DEVICE_PLACES_H
#define TB_CORE_TOPOLOGY_DEVICE_PLACES_H

#include <stdbool.h>

#include "core/base/bitset.h"
#include "core/base/error.h"

/* Devices of a name have numbers below this. */
#define TB_DEVICES_OF_NAME 1024
/* Longest text that is made, in bytes: each command that shows nodes receives it. */
#define TB_DEVICE_PLACES_TEXT_MAX 2048
/* The cores of a node are fewer than this. */
#define TB_DEVICE_CORES_MAX 65536

struct tb_device_place {
	char *name, *type;	   /* type NULL: none is told */
	struct tb_bitset *devices; /* TB_DEVICES_OF_NAME bits */
	struct tb_bitset *cores;   /* near them; NULL: all are */
};

/* Begins as { 0 }. */
struct tb_device_places {
	unsigned count;
	struct tb_device_place *list;
};

/*
 * Add devices; to a place with the same name, type and cores, if there is one.  Copies
 * all.  -1 when out of memory.
 */
int tb_device_places_add(struct tb_device_places *places, const char *name,
			 const char *type, const struct tb_bitset *devices,
			 const struct tb_bitset *cores);

/* Has any place cores of its own? */
bool tb_device_places_are_near(const struct tb_device_places *places);

/*
 * Read the text of a node with so many cores into places, which the caller clears after
 * -1, too.  -1 with a sentence when it is anything else.
 */
int tb_device_places_parse(struct tb_device_places *places, const char *text,
			   unsigned ncores, struct tb_error *err);

/*
 * The text, which the caller frees.  NULL with a sentence when it would be too long, or a
 * name could not be read again.
 */
char *tb_device_places_print(const struct tb_device_places *places,
			     struct tb_error *err);

void tb_device_places_clear(struct tb_device_places *places);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reserved_cores.h - which cores of nodes are reserved, now or later
 *
 * By Slurm's list of reservations, which changes with the write lock on nodes only.
 */
#ifndef TB_SELECT_TOPOBIND_NODES_RESERVED_CORES_H
#define TB_SELECT_TOPOBIND_NODES_RESERVED_CORES_H

#include "compat/select_compat.h"
#include "core/base/bitset.h"

struct tb_reserved_cores {
	const slurmctld_resv_t **list; /* those with nodes */
	uint32_t count;
	bitstr_t *nodes; /* with reserved cores; NULL: there are none */
};

/* The caller clears, while the same lock is held. */
void tb_reserved_cores_find(struct tb_reserved_cores *reserved);
void tb_reserved_cores_clear(struct tb_reserved_cores *reserved);

/* Replaces cores, as many as the node has.  False: none is reserved. */
bool tb_reserved_cores_of(const struct tb_reserved_cores *reserved,
			  uint32_t node, struct tb_bitset *cores);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reservation_text.h - where a reservation has the text that says its units, and how a
 * client asks for cores
 *
 * The comment of a reservation; Slurm 22.05 has none, and there it is BurstBuffer, which
 * nobody reads who has no plugin for burst buffers.
 */
#ifndef TB_COMPAT_RESERVATION_TEXT_H
#define TB_COMPAT_RESERVATION_TEXT_H

#include <stdlib.h>

#include "slurm_types.h"

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 2, 0)
#define TB_RESERVATION_TEXT burst_buffer
#else
#define TB_RESERVATION_TEXT comment
#endif

/* Do select plugins see it before the reservation is made? */
static inline bool tb_reservation_text_is_seen(void)
{
	return SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0);
}

#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(23, 11, 0)
/* counts has room for listed + 3 numbers, and must outlive desc. */
static inline void tb_reservation_ask(resv_desc_msg_t *desc, uint32_t nodes,
				      uint32_t listed, uint32_t *counts)
{
	uint32_t cores = listed ? listed : 1;

	for (uint32_t i = 0; i < cores; i++)
		counts[i] = !listed && nodes ? nodes : 1;
	counts[cores] = 0;
	desc->core_cnt = counts;
	if (listed || !nodes)
		return;
	counts[cores + 1] = nodes;
	counts[cores + 2] = 0;
	desc->node_cnt = counts + cores + 1;
}
#else
/*
 * Ask for cores of so many nodes (0: any number), or of those that are listed.  How many
 * cores these are topobind's select plugin says: to Slurm it is one of each.
 */
static inline void tb_reservation_ask(resv_desc_msg_t *desc, uint32_t nodes,
				      uint32_t listed, uint32_t *counts)
{
	uint32_t least = listed ? listed : nodes;

	(void)counts;
	desc->core_cnt = least ? least : 1;
	if (nodes && !listed)
		desc->node_cnt = nodes;
}
#endif

/* What frees the name that slurm_create_reservation() returns; NULL is fine. */
#if SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(26, 5, 0)
static inline void tb_reservation_name_free(char *name)
{
	free(name);
}
#else
extern void slurm_xfree(void **memory); /* no public header says it */

static inline void tb_reservation_name_free(char *name)
{
	void *memory = name;

	slurm_xfree(&memory);
}
#endif

#endif

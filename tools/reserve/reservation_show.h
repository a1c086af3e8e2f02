/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reservation_show.h - reservations and their units, as Slurm and the nodes show them
 */
#ifndef TB_TOOLS_RESERVE_RESERVATION_SHOW_H
#define TB_TOOLS_RESERVE_RESERVATION_SHOW_H

#include "cluster/cluster.h"
#include "common/job/reserved_request.h"
#include "core/place/place.h"

/* The nodes, the reservations, and with jobs their cores.  NULL with a sentence. */
struct tb_cluster *tb_reservations_load(bool jobs, struct tb_error *err);

/* NULL: Slurm knows none of this name. */
const reserve_info_t *tb_reservation_find(const struct tb_cluster *cluster,
					  const char *name);

/*
 * How many slots of the request its cores are, on all of its nodes; TB_HOST: nodes.  Of
 * alternatives the one of which it has most counts.  UINT32_MAX: a node shows no
 * topology, or Slurm not its cores.
 */
uint32_t tb_reservation_slots(const struct tb_cluster *cluster,
			      const reserve_info_t *reservation,
			      const struct tb_reserved_request *reserved);

/*
 * Slurm can leave out cores, of nodes whose first core is no multiple of 64 of all
 * cores (bit_fmt_range(), in all releases).
 */
bool tb_reservation_shows_all(const reserve_info_t *reservation);

/* One for people, all those of units, and both for programs.  Exit codes. */
int tb_reservation_print(const char *command, bool json,
			 const struct tb_cluster *cluster,
			 const reserve_info_t *reservation);
int tb_reservations_print(const char *command, bool json,
			  const struct tb_cluster *cluster);

#endif

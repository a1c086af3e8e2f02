/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_reservations.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/reserved.h"

static bool covers_node(const reserve_info_t *reservation,
			const struct tb_candidate_node *node)
{
	tb_hostlist_t nodes;
	bool in;

	if (!reservation->node_list)
		return false;
	nodes = slurm_hostlist_create(reservation->node_list);
	in = nodes && tb_candidate_is_in(nodes, node->info);
	if (nodes)
		slurm_hostlist_destroy(nodes);
	return in;
}

/* Slurm tells how many, on all of its nodes, and not which. */
static void note_devices(const reserve_info_t *reservation,
			 struct tb_candidate_node *node)
{
	if (reservation->tres_str && strstr(reservation->tres_str, "gres/"))
		node->devices_reserved = true;
}

static void note_reservation(struct tb_candidate_node *node, const char *name)
{
	char *before = node->reserved_by;

	node->reserved_by = NULL;
	tb_candidate_say(&node->reserved_by, "%s%s%s", before ? before : "",
			 before ? ", " : "", name);
	free(before);
}

static void take_reserved(const reserve_info_t *reservation, time_t now,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *threads = tb_reserved_threads(reservation, node->info,
							node->topology);
	bool begun = reservation->start_time <= now;

	if (threads && threads->nbits == node->reserved->nbits) {
		tb_bitset_or(node->reserved, threads);
		note_reservation(node, reservation->name);
	} else {
		tb_candidate_say(&node->closed, "reserved by %s%s",
				 reservation->name,
				 begun ? "" : " before the job would end");
	}
	tb_bitset_destroy(threads);
}

/* Inside the job's own reservation the other cores are out of reach. */
static void close_outside(const reserve_info_t *own,
			  struct tb_candidate_node *node)
{
	struct tb_bitset *inside = tb_reserved_threads(own, node->info,
						       node->topology);

	if (inside && inside->nbits == node->reserved->nbits) {
		tb_bitset_set_range(node->reserved, 0, node->reserved->nbits);
		tb_bitset_andnot(node->reserved, inside);
	}
	tb_bitset_destroy(inside);
}

void tb_candidate_check_reservations(const struct tb_candidate_rules *rules,
				     struct tb_candidate_node *node)
{
	const reserve_info_msg_t *all = rules->cluster->reservations;

	if (rules->own && !covers_node(rules->own, node))
		tb_candidate_say(&node->closed, "not in reservation %s",
				 rules->own->name);
	if (rules->own && node->topology)
		close_outside(rules->own, node);
	if (rules->own)
		note_devices(rules->own, node);
	for (uint32_t i = 0; all && node->topology && i < all->record_count;
	     i++) {
		const reserve_info_t *other = &all->reservation_array[i];

		if (other != rules->own && other->start_time < rules->end &&
		    other->end_time > rules->now && covers_node(other, node)) {
			take_reserved(other, rules->now, node);
			note_devices(other, node);
		}
	}
}

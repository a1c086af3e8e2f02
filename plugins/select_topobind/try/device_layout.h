/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * device_layout.h - which cores of a node are near which of its devices
 *
 * In this most nodes of a cluster are alike.  The pools of devices are made for the
 * first node with a layout and used for all others; what differs from node to node
 * is how many devices are free.
 */
#ifndef TB_SELECT_TOPOBIND_TRY_DEVICE_LAYOUT_H
#define TB_SELECT_TOPOBIND_TRY_DEVICE_LAYOUT_H

#include "compat/select_compat.h"
#include "compat/select_gres.h"
#include "core/place/device_affinity.h"

#include "select_topobind/nodes/shape.h"

/* A cluster with more kinds of nodes pays for making pools again. */
#define TB_LAYOUTS_MAX 16

/* A place (select_gres.h) of a node. */
struct tb_device_place {
	bool listed;	       /* it has what the job asks for */
	const bitstr_t *cores; /* near it, NULL: any.  In a layout a copy */
	uint32_t free;
	uint32_t pool; /* TB_NO_POOL: in none */
};
#define TB_NO_POOL UINT32_MAX

struct tb_device_layout {
	const struct tb_shape *shape;
	uint32_t nplaces, npools;
	struct tb_device_place *places;
	struct tb_device_pool *pools; /* with the free devices of the last node */
};

/* Those of the nodes that were looked at for one entry of a job's list of GRES. */
struct tb_device_layouts {
	struct tb_device_layout list[TB_LAYOUTS_MAX];
	uint32_t count, next; /* the one that the next new layout replaces */
	struct tb_device_place *seen; /* of the present node */
	uint32_t room;
};

/*
 * The layout of a node for an entry of the job's list; its pools have the node's free
 * devices.  Changes cores, Slurm's of the node.  Valid until the next call.
 */
struct tb_device_layout *
tb_device_layout_find(struct tb_device_layouts *layouts,
		      const job_record_t *job, uint32_t entry, uint32_t node,
		      const struct tb_shape *shape,
		      const struct tb_gres_view *view, struct tb_bitset *cores);
void tb_device_layouts_clear(struct tb_device_layouts *layouts);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scene_nodes.h - which nodes a job may use, and if not, why
 *
 * Private to scene.c.
 */
#ifndef TB_TOOLS_SCENE_NODES_H
#define TB_TOOLS_SCENE_NODES_H

#include "scene.h"

/* All nodes of the cluster, without holders.  -1 with a sentence. */
int tb_scene_add_nodes(struct tb_scene *scene,
		       const struct tb_cluster *cluster, struct tb_error *err);

/* Units of a node with a topology that are wholly outside of used; NULL: all. */
unsigned tb_scene_units_beside(const struct tb_scene *scene,
			       const struct tb_scene_node *node,
			       const struct tb_bitset *used);

#endif
